"""Options of imports about people and joined records: `--suppress-opted-out` and `--merged`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.import_run import print_waiting
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.ingest.summary import Join
    from firmograph.installation import Installation

SuppressOptedOut = Annotated[
    bool,
    typer.Option(
        "--suppress-opted-out",
        help="Suppress the people marked as opted out in the file, as `firmograph suppress` does.",
    ),
]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="The files are all of the source: contacts that they lack count as unseen from today.",
    ),
]
Merged = Annotated[
    Path | None,
    typer.Option(
        "--merged",
        metavar="FILE",
        help="New file for the records of other sources that took rows: JSON Lines of id, sources and key.",
    ),
]

_AT_ONCE: Final = 5
"""People that one transaction suppresses, so that it holds the writer briefly."""


class OptedOutPeople:
    """Suppression of the people that an import's files mark as opted out; their remains are cleared on leaving."""

    def __init__(self, installation: "Installation", *, suppresses: bool) -> None:
        self._installation = installation
        self._suppresses = suppresses
        self.suppressed = 0
        """Number of records removed."""

    def suppress(self, numbers: Sequence[int]) -> None:
        """Suppress the people of these contacts; wait for the database as the import does."""
        if not self._suppresses:
            return
        from firmograph.ingest.commits import Commits
        from firmograph.privacy.suppression import Suppression

        commits = Commits(self._installation.database, print_waiting)
        suppression = self._installation.get(Suppression)
        distinct = list(dict.fromkeys(numbers))
        for start in range(0, len(distinct), _AT_ONCE):
            part = distinct[start : start + _AT_ONCE]
            self.suppressed += commits.run_with_retry(lambda part=part: suppression.suppress_records(part))  # type: ignore[misc]

    def __enter__(self) -> "OptedOutPeople":
        return self

    def __exit__(self, *_: object) -> None:
        from firmograph.cli.context import clear_remains

        if self.suppressed:
            clear_remains(self._installation.database)


@contextmanager
def merged_file(
    path: Path | None, entity: Entity, installation: "Installation"
) -> Iterator[Callable[[int, "Join"], None]]:
    """Yield a function that writes a joined record to the file, which appears at the end of the import."""
    import msgspec

    from firmograph.kit.atomic_files import atomic_write
    from firmograph.kit.machine_errors import refuse_machine_errors

    if path is None:
        yield lambda number, join: None
        return
    check_merged_file(path)
    seal, encode = installation.record_ids.seal, msgspec.json.encode
    unwritable = f"{path} cannot be written"
    with ExitStack() as stack:
        with refuse_machine_errors(unwritable):
            draft = stack.enter_context(atomic_write(path, replace=False))
            out = stack.enter_context(draft.open("wb"))

        def write(number: int, join: "Join") -> None:
            line = {"id": seal(entity, number), "sources": join.sources, "key": join.key}
            with refuse_machine_errors(unwritable):
                out.write(encode(line) + b"\n")

        yield write
        with refuse_machine_errors(unwritable):
            stack.pop_all().close()


def check_merged_file(path: Path) -> None:
    """Raise Refused if the file exists."""
    if path.exists():
        raise Refused(f"{path} exists already; choose another name with --merged")
