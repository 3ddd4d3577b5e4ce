"""Command group `firmograph match`: why a look-up by name found a record, or none."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, print_json, write_table
from firmograph.cli.progress import count_progress

if TYPE_CHECKING:
    from firmograph.company_names.explanation import CompanyCandidate, CompanyExplanation
    from firmograph.directory.lookup.explanation import ExplainedPerson

app = typer.Typer(no_args_is_help=True, help="Explain look-ups by name.")

Company = Annotated[
    str, typer.Option("--company", metavar="NAME", help="Name of the company, as a caller gives it.")
]
Name = Annotated[
    str, typer.Option("--name", metavar="NAME", help="Full name of a person, looked up at the company.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def group() -> None:
    """Explain look-ups by name."""


@app.command(
    epilog=examples(
        'firmograph match explain --company "Acme Intl Hldgs"',
        'firmograph match explain --name "Jon Smyth" --company acme.com',
    )
)
def explain(company: Company, name: Name = "", as_json: Json = False) -> None:
    """Show the companies that a name may mean, or with --name the people at a company: scores, rules and refusals.

    Equal keys decide first: the name without legal forms, case, accents and spaces. Where no company has the key, the
    company with the name most alike is meant, if its score is at company_match_threshold and company_match_margin above
    the others.
    """
    if name:
        _explain_person(name, company, as_json)
        return
    from firmograph.company_names.explanation import explain_company

    installation = open_installation()
    with count_progress("Company names") as show_progress:
        found = explain_company(installation, company, show_progress)
    if as_json:
        print_json(_as_json(found))
        return
    note(f"{company!r} is compared as {found.compared!r}")
    note(f"Answer: {found.answer or 'none'} ({found.rule})")
    write_table(found.candidates, _COLUMNS)


def _explain_person(name: str, company: str, as_json: bool) -> None:
    """Show the people at a company, by name or domain, that a name may mean."""
    from firmograph.directory.lookup.explanation import explain_people
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.kit.errors import BadRequest, Refused
    from firmograph.security.record_ids import Entity

    installation = open_installation()
    lookup, ids = installation.get(RecordLookup), installation.record_ids
    try:
        query = lookup.queries.named_contact(name, company)
    except BadRequest as error:
        raise Refused(error.message) from None
    with installation.database.read() as session:
        found = explain_people(session, lookup, query)
    rows = [(ids.seal(Entity.CONTACT, each.number), each) for each in found.candidates]
    if as_json:
        members = {
            "name": name,
            "company": company,
            "foundBy": found.found_by or None,
            "reason": found.reason,
            "threshold": found.threshold,
            "margin": found.margin,
        }
        candidates = [
            {
                "id": token,
                "name": f"{each.first_name} {each.last_name}".strip(),
                "score": round(each.score, 4),
                "similarity": round(each.similarity, 4),
                "rule": each.rule,
                "verdict": each.verdict,
            }
            for token, each in rows
        ]
        print_json({**members, "candidates": candidates})
        return
    note(f"Found by: {found.found_by or 'nothing'} ({found.reason})")
    columns: list[Column[tuple[str, ExplainedPerson]]] = [
        Column("ID", lambda row: row[0], whole=True),
        Column("NAME", lambda row: f"{row[1].first_name} {row[1].last_name}".strip(), least=16),
        Column("SCORE", lambda row: f"{row[1].score:.2f}", whole=True),
        Column("RULE", lambda row: row[1].rule, 1, least=12, ends=True),
        Column("VERDICT", lambda row: row[1].verdict, least=16, ends=True),
    ]
    write_table(rows, columns, empty="Nobody at the company has a name like this")


def _as_json(found: "CompanyExplanation") -> Mapping[str, object]:
    return {
        "name": found.name,
        "compared": found.compared,
        "answer": found.answer,
        "rule": found.rule,
        "threshold": found.threshold,
        "margin": found.margin,
        "candidates": [
            {
                "id": each.id,
                "name": each.name,
                "compared": each.compared,
                "country": each.country or None,
                "score": round(each.score, 4),
                "refusal": each.refusal or None,
            }
            for each in found.candidates
        ],
    }


_COLUMNS: Final[list[Column["CompanyCandidate"]]] = [
    Column("ID", lambda each: each.id, whole=True),
    Column("NAME", lambda each: each.name, least=16),
    Column("COUNTRY", lambda each: each.country, 1, whole=True),
    Column("SCORE", lambda each: f"{each.score:.2f}", whole=True),
    Column("REFUSED", lambda each: each.refusal or "answer", least=16, ends=True),
]
