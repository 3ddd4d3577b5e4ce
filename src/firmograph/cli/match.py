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

app = typer.Typer(no_args_is_help=True, help="Explain look-ups by name.")

Company = Annotated[
    str, typer.Option("--company", metavar="NAME", help="Name of the company, as a caller gives it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def group() -> None:
    """Explain look-ups by name."""


@app.command(epilog=examples('firmograph match explain --company "Acme Intl Hldgs"'))
def explain(company: Company, as_json: Json = False) -> None:
    """Show the companies that a name may mean: their scores, the rule that decided, and why the others were refused.

    Equal keys decide first: the name without legal forms, case, accents and spaces. Where no company has the key, the
    company with the name most alike is meant, if its score is at company_match_threshold and company_match_margin above
    the others.
    """
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
