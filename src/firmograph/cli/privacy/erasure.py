"""Erasure and opt-out of one person, or of a file of them, and what they print."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from firmograph.cli.context import clear_remains, open_installation
from firmograph.cli.losses import EXIT_LOST
from firmograph.cli.output import plural, print_json
from firmograph.cli.privacy.output import place_json, print_near, print_suppressed, write_places
from firmograph.cli.privacy.people_file import read_people, report_lines, suppress_rows, suppressed_text
from firmograph.cli.sentences import say
from firmograph.privacy.suppression import Suppression

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.privacy.person_reports import PersonReport
    from firmograph.privacy.person_search import FoundPerson

_ERASE, OPT_OUT = "privacy erase", "privacy opt-out"
_NOT_REACHED: Final = (
    "backups, until they are removed; a restore brings nobody back",
    "index files of other machines, for about an hour; no answer shows the person",
    "files that were imported or exported",
    "receivers, partners, models and providers that were sent the data",
)
_OF_SERVERS: Final = (
    "free space in the server's pages until it is used again, its write-ahead log, its replicas and archives"
)


def erase(
    installation: "Installation",
    found: "Sequence[FoundPerson]",
    reports: "Sequence[PersonReport]",
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase people whose reports were read, and print what went. Exits with 3 if files still hold them."""
    from firmograph.cli.privacy.disk_erasure import erase_from_disk

    names = [each.name or "the person with this identifier" for each in reports]
    if not yes:
        typer.confirm(f"Erase {'; '.join(names)} for good?", abort=True, err=True)
    removed = _suppress(installation, found, _ERASE, None)
    keeping = erase_from_disk(installation)
    near = _near(installation, found, removed)
    if as_json:
        places = [place_json(place) for each in reports for place in each.places]
        named = {"near": near} if near else {}
        print_json(
            {"recordsRemoved": removed, "places": places, **named, **_ended_json(installation, keeping)}
        )
    else:
        say(f"Erased {'; '.join(names)}: {removed} {plural(removed, 'record')} removed.")
        write_places([place for each in reports for place in each.places])
        print_near(near)
        _print_ended(installation, keeping)
    if keeping:
        raise typer.Exit(EXIT_LOST)


def erase_file(path: Path, *, yes: bool, as_json: bool) -> None:
    """Erase the person of each line. Exits with 3 if a line failed, or files still hold people."""
    from firmograph.cli.privacy.disk_erasure import erase_from_disk

    rows = read_people(path)
    if not yes:
        typer.confirm(
            f"Erase the people of {len(rows):,} {plural(len(rows), 'line')} for good?", abort=True, err=True
        )
    installation = open_installation()
    result = suppress_rows(installation, rows, action=_ERASE)
    keeping = erase_from_disk(installation)
    if not as_json:
        _print_ended(installation, keeping)
    report_lines(
        f"{suppressed_text(result)}.",
        {"suppressed": result.done, "recordsRemoved": result.removed},
        result.failed,
        _ended_json(installation, keeping),
        as_json=as_json,
    )
    if keeping:
        raise typer.Exit(EXIT_LOST)


def opt_out(
    installation: "Installation", found: "Sequence[FoundPerson]", requested_at: float | None, *, as_json: bool
) -> None:
    """Suppress people as of the time of their request, and print the number of removed records."""
    removed = _suppress(installation, found, OPT_OUT, requested_at)
    near = _near(installation, found, removed)
    print_suppressed(removed, near, clear_remains(installation.database), as_json=as_json)


def _suppress(
    installation: "Installation", found: "Sequence[FoundPerson]", action: str, requested_at: float | None
) -> int:
    suppression = installation.get(Suppression)
    return sum(suppression.suppress(each.person, action=action, requested_at=requested_at) for each in found)


def _near(installation: "Installation", found: "Sequence[FoundPerson]", removed: int) -> list[str]:
    suppression = installation.get(Suppression)
    return [] if removed else [near for each in found for near in suppression.near(each.person)]


def _ended_json(installation: "Installation", keeping: Sequence[str]) -> dict[str, object]:
    return {"erased": not keeping, "keeping": keeping, "notReached": _not_reached(installation)}


def _print_ended(installation: "Installation", keeping: Sequence[str]) -> None:
    if keeping:
        say(
            "These still hold copies of the data, without showing them; run the command again later:",
            err=True,
        )
        for each in keeping:
            say(f"- {each}", err=True)
    say("Not reached by this command:")
    for each in _not_reached(installation):
        say(f"- {each}")


def _not_reached(installation: "Installation") -> list[str]:
    return [*_NOT_REACHED, *([] if installation.database.embedded else [_OF_SERVERS])]
