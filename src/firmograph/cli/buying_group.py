"""Command `firmograph buying-group`: the buying group of one company without a server.

See docs/reference/command-line.md#buying-groups-without-a-server.

It shows previews only, without e-mails and phones, so it needs no account and is free.
"""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, Details, Ids, note, open_output
from firmograph.cli.prospect.options import Raw, refuse_option
from firmograph.cli.prospect.output import (
    CsvColumn,
    OutputFormat,
    Row,
    TableLayout,
    choose_format,
    write_previews,
)
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.buying_groups.ranking import RankedGroup, Ranker
    from firmograph.buying_groups.roles.table import RoleExplanation
    from firmograph.installation import Installation

app = typer.Typer()

_DEFAULT_LIMIT: Final = 60
_OMITTED: Final = ("COMPANY", "DOMAIN")
"""Columns that are the same for all people."""
_PARTS: Final = ("fit", "recency", "reach")
"""Parts of a score."""
_EXAMPLES: Final = examples(
    "firmograph buying-group --domain acme.com --persona decision_maker --limit 10",
    "firmograph buying-group --domain acme.com --explain --format jsonl",
)


class _PersonaName(StrEnum):
    DECISION_MAKER = "decision_maker"
    POTENTIAL_CHAMPION = "potential_champion"
    END_USER = "end_user"


@app.command("buying-group", epilog=_EXAMPLES)
def buying_group(
    domain: Annotated[str | None, typer.Option(help="Domain of the company.")] = None,
    id: Annotated[str | None, typer.Option(metavar="ID", help="Id of the company.")] = None,
    persona: Annotated[
        list[_PersonaName] | None, typer.Option(help="Role that people must have; all roles by default.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Maximum number of people.")
    ] = _DEFAULT_LIMIT,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show the words and rules behind roles, and the parts of scores."),
    ] = False,
    format: Annotated[
        OutputFormat | None,
        typer.Option("--format", help="Output format; by default a table, or that of the --output file."),
    ] = None,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write.")] = None,
    ids: Ids = False,
    raw: Raw = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object: total and results.")] = False,
) -> None:
    """Show the people of a company who take part in a purchase, best first. Free previews."""
    from firmograph.cli.context import open_installation

    if (domain is None) == (id is None):
        refuse_option("domain", "give exactly one of --domain and --id")
    chosen = choose_format(format, output, json=json)
    installation = open_installation()
    try:
        group = _find_group(installation, domain, id, list(persona or ()), explain=explain)
        total, rows = len(group), _rows(installation, group, limit, explain=explain)
    finally:
        installation.database.close()
    with open_output(output) as out:
        write_previews(
            rows,
            Entity.CONTACT,
            {"total": total},
            chosen,
            out,
            csv_columns=_csv_columns(explain=explain),
            table=_table_layout(explain=explain, ids=ids),
            raw=raw,
        )
    if output or chosen is not OutputFormat.JSON:
        _note_total(len(rows), total)


def _note_total(shown: int, total: int) -> None:
    if total:
        note(f"{shown:,} of {total:,} people", "" if shown == total else "--limit shows more")
    else:
        note(
            "Nobody in the company has such a role",
            "--persona asks for others, a personas file gives other roles",
        )


def _find_group(
    installation: "Installation", domain: str | None, id: str | None, personas: list[Any], *, explain: bool
) -> "RankedGroup":
    """Return the group of a company.

    Raises BadRequest for a malformed identifier, and Refused if there is no such company.
    """
    from msgspec import UNSET

    from firmograph.buying_groups.service import BuyingGroups
    from firmograph.cli.prospect.search import open_search
    from firmograph.directory.lookup.record_lookup import RecordLookup

    query = installation.get(RecordLookup).queries.company(
        (), id=UNSET if id is None else id, domain=UNSET if domain is None else domain
    )
    open_search(installation)
    at = installation.clock.seconds()
    with installation.database.read() as session:
        groups = installation.get(BuyingGroups).rank(session, [query], personas, at, with_matched=explain)
    (found,) = groups.slots
    if found is None:
        raise Refused(
            f"No company has {f'the domain {domain}' if domain else f'the id {id}'}; find companies with"
            " firmograph prospect companies --name"
        )
    return found[1]


def _rows(installation: "Installation", group: "RankedGroup", limit: int, *, explain: bool) -> list[Row]:
    """Return the first people of a group."""
    import msgspec

    from firmograph.buying_groups.ranking import SCORE_SCALE, Ranker
    from firmograph.buying_groups.service import BuyingGroups
    from firmograph.caller import InstallationOperator

    numbers = group.numbers[:limit].tolist()
    with installation.database.read() as session:
        previews = installation.get(BuyingGroups).previews(session, InstallationOperator(), numbers)
    rows = []
    for place, number in enumerate(numbers):
        if number in previews:
            found = {"roles": group.roles(place), "score": int(group.scores[place]) / SCORE_SCALE}
            if explain:
                found["explanation"] = _explain(installation.get(Ranker), group, place)
            rows.append(msgspec.json.decode(previews[number]) | found)
    return rows


def _explain(ranker: "Ranker", group: "RankedGroup", place: int) -> dict[str, object]:
    """Return the parts of a contact's score, and the rules that count for each role."""
    if group.matched is None:
        raise TypeError("the group was ranked without the conditions that each contact meets")
    roles = ranker.table.explain(group.matched[place])
    return {
        "fit": float(group.requested_fits[place]),
        "recency": round(float(group.recency[place]), 4),
        "reach": float(group.reach[place]),
        "roles": [_explain_role(role) for role in roles if role.parts],
    }


def _explain_role(role: "RoleExplanation") -> dict[str, object]:
    rules = [
        {"rule": part.rule, "words": [condition.text for condition in part.met], "weight": part.weight}
        for part in role.parts
    ]
    return {
        "role": role.role,
        "fit": role.fit,
        "threshold": role.threshold,
        "sum": role.total,
        "rules": rules,
    }


# --- columns ---


def _roles(row: Row) -> str:
    return "; ".join(row["roles"])


def _score(row: Row) -> str:
    return f"{row['score']:g}"


def _part(name: str) -> Callable[[Row], str]:
    return lambda row: f"{row['explanation'][name]:g}"


def _why(row: Row) -> tuple[str, ...]:
    """Return a line for each role with the rules that count for it."""
    return tuple(map(_role_line, row["explanation"]["roles"]))


def _role_line(role: dict[str, Any]) -> str:
    rules = ", ".join(f"{_rule_name(rule)} {rule['weight']:+g}" for rule in role["rules"])
    reached = f"{role['fit']:g}" if role["fit"] else f"not reached, {role['sum']:g} of {role['threshold']:g}"
    return f"{role['role']} {reached}: {rules}"


def _rule_name(rule: dict[str, Any]) -> str:
    words = rule["words"]
    return f"{rule['rule']} ({', '.join(words)})" if words != [rule["rule"]] else str(rule["rule"])


def _csv_columns(*, explain: bool) -> list[CsvColumn]:
    columns: list[CsvColumn] = [("roles", _roles), ("score", _score)]
    if explain:
        parts: list[CsvColumn] = [(name, _part(name)) for name in _PARTS]
        columns += [*parts, ("why", lambda row: "; ".join(_why(row)))]
    return columns


def _table_layout(*, explain: bool, ids: bool) -> TableLayout:
    columns = [Column("ROLES", _roles, least=18), Column("SCORE", _score, whole=True)]
    if explain:
        columns += [Column(name.upper(), _part(name), 2, whole=True) for name in _PARTS]
    return TableLayout(columns, Details("WHY", _why) if explain else None, _OMITTED, ids)
