"""`firmograph prospect contacts|companies`: the filters of the API over the database, without a server.

See docs/reference/command-line.md#prospecting-without-a-server.

Previews only: no e-mails and phones, so it needs no account and costs nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from firmograph.cli.prospect.options import refuse_option, with_filters
from firmograph.cli.prospect.output import OutputFormat, Row, open_output, write
from firmograph.kit.clock import SystemClock, today
from firmograph.security.record_ids import Entity
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.cli.prospect.search import Search
    from firmograph.prospecting.engines.query import Query
    from firmograph.prospecting.filters.filter_reader import Resolver

app = typer.Typer(no_args_is_help=True, help="Find contacts or companies by filters, without a server.")


FiltersFile = Annotated[
    str | None,
    typer.Option(
        "--filters", metavar="FILE", help="The JSON body of the API's POST; - reads it from standard input."
    ),
]
Dnc = Annotated[bool, typer.Option("--exclude-dnc", help="Leave out people with any do-not-call number.")]
Most = Annotated[
    int | None, typer.Option(min=1, max=20, metavar="N", help="At most so many people of each company.")
]
Partial = Annotated[
    bool | None,
    typer.Option(
        "--partial/--no-partial",
        help="With or without partial records; by default with partial people, without partial companies.",
    ),
]
Limit = Annotated[int | None, typer.Option(min=0, metavar="N", help="How many to show; by default 25.")]
All = Annotated[bool, typer.Option("--all", help="Show all.")]
FormatOption = Annotated[
    OutputFormat | None,
    typer.Option("--format", help="By default a table, or what the name of --output says."),
]
Output = Annotated[Path | None, typer.Option(metavar="FILE", help="Write to a file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object: total and results.")]

_CONTACT_EXAMPLES = """Examples:

firmograph prospect contacts --title senator --state Ohio --state Texas --has work_email

firmograph prospect contacts --technology "Argo CD" --max-per-company 3 --all --output people.csv"""
_COMPANY_EXAMPLES = """Examples:

firmograph prospect companies --industry Finance --country Japan --exclude-city Tokyo

firmograph prospect companies --filters body.json --all --format jsonl > companies.jsonl"""


@dataclass(frozen=True, slots=True)
class _OutputOptions:
    """How much is shown, where and how."""

    limit: int | None
    all: bool
    format: OutputFormat
    output: Path | None


@app.command("contacts", epilog=_CONTACT_EXAMPLES)
@with_filters(Entity.CONTACT)
def contacts(
    filters: FiltersFile = None,
    exclude_dnc: Dnc = False,
    max_per_company: Most = None,
    partial: Partial = None,
    limit: Limit = None,
    all: All = False,
    format: FormatOption = None,
    output: Output = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Find people, those with the fullest records first. Previews only: no e-mails and phones; free."""
    from firmograph.cli.prospect.request import request
    from firmograph.prospecting.filters.compiler import contact_query
    from firmograph.prospecting.filters.requests import ContactProspecting

    shown = _shown(limit, all, format, output, json)
    options = {
        "excludeDnc": exclude_dnc or None,
        "maxContactsPerCompany": max_per_company,
        "includePartialProfiles": partial,
    }
    body = request(ContactProspecting, Entity.CONTACT, filters, given, options)
    _prospect(lambda resolver: contact_query(body, resolver, today(SystemClock())), shown)


@app.command("companies", epilog=_COMPANY_EXAMPLES)
@with_filters(Entity.COMPANY)
def companies(
    filters: FiltersFile = None,
    partial: Partial = None,
    limit: Limit = None,
    all: All = False,
    format: FormatOption = None,
    output: Output = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Find companies, those with the fullest records first. Previews only; free."""
    from firmograph.cli.prospect.request import request
    from firmograph.prospecting.filters.compiler import company_query
    from firmograph.prospecting.filters.requests import CompanyProspecting

    shown = _shown(limit, all, format, output, json)
    body = request(CompanyProspecting, Entity.COMPANY, filters, given, {"includePartialProfiles": partial})
    _prospect(lambda resolver: company_query(body, resolver, today(SystemClock())), shown)


def _shown(
    limit: int | None, all: bool, format: OutputFormat | None, output: Path | None, json: bool
) -> _OutputOptions:
    if all and limit is not None:
        refuse_option("all", "cannot stand with --limit")
    if json and format not in (None, OutputFormat.JSON):
        refuse_option("json", "cannot stand with another --format")
    if json:
        format = OutputFormat.JSON
    elif format is None and output is not None:
        named = output.suffix.removeprefix(".").lower()
        if named not in (OutputFormat.CSV, OutputFormat.JSONL, OutputFormat.JSON):
            refuse_option(
                "output", "say --format csv or --format jsonl, or give a name that ends in .csv or .jsonl"
            )
        format = OutputFormat(named)
    return _OutputOptions(limit, all, format or OutputFormat.TABLE, output)


def _prospect(query_of: "Callable[[Resolver], Query]", shown: _OutputOptions) -> None:
    from firmograph.cli.context import open_database, open_keyring
    from firmograph.cli.prospect.search import Search, open_index

    settings = load_settings()
    database = open_database(settings)
    try:
        keyring = open_keyring(settings, database)
        _show(Search(database, keyring, open_index(database, settings), query_of), shown)
    finally:
        database.close()


def _show(search: "Search", shown: _OutputOptions) -> None:
    start, end = _stretch(search, shown)
    told_total = _told_total(search, end - start)
    with open_output(shown.output) as out, _told(end - start, out) as told:
        write(told(search.rows(start, end)), search.query.entity, search.total, shown.format, out)
        if shown.format is OutputFormat.TABLE:
            out.write(f"{told_total}\n")
    if shown.output or shown.format in (OutputFormat.CSV, OutputFormat.JSONL):
        typer.echo(told_total, err=True)


def _told_total(search: "Search", shown: int) -> str:
    kind = "contacts" if search.query.entity is Entity.CONTACT else "companies"
    if not search.total:
        return f"No {kind} match"
    rest = "" if shown == search.total else "; --all shows all of them"
    return f"{shown:,} of {search.total:,} {kind}{rest}"


def _stretch(search: "Search", shown: _OutputOptions) -> tuple[int, int]:
    """The first and the last row to show: as the options say, else the page that the request asks for."""
    if shown.all:
        return 0, search.total
    if shown.limit is not None:
        return 0, min(shown.limit, search.total)
    start = min(search.query.offset, search.total)
    return start, min(start + search.query.size, search.total)


@contextmanager
def _told(total: int, out: TextIO) -> Iterator[Callable[[Iterator[Row]], Iterator[Row]]]:
    """Yields what rows pass through on their way out; it moves a bar if they are many and do not go to the screen."""
    from firmograph.cli.progress import count_progress
    from firmograph.cli.prospect.search import LONG

    if total <= LONG or out.isatty():
        yield iter
        return
    with count_progress("Writing") as told:

        def passing(rows: Iterator[Row]) -> Iterator[Row]:
            done = 0
            for done, row in enumerate(rows, start=1):
                yield row
                if done % LONG == 0:
                    told(done, total)
            told(done, total)

        yield passing
