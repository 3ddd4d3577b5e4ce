"""Commands `firmograph prospect contacts|companies`.

See docs/reference/command-line.md#prospecting-without-a-server.

They show previews only, without e-mails and phones, so they need no account and are free.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import msgspec
import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Ids, note, open_output
from firmograph.cli.prospect.options import Raw, refuse_option, with_filters
from firmograph.cli.prospect.output import OutputFormat, Row, TableLayout, choose_format, write_previews
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting
    from firmograph.prospecting.service import Matches

app = typer.Typer(no_args_is_help=True, help="Find contacts or companies by filters, without a server.")


FiltersFile = Annotated[
    str | None,
    typer.Option("--filters", metavar="FILE", help="JSON body of the API's POST; - for standard input."),
]
Dnc = Annotated[bool, typer.Option("--exclude-dnc", help="Leave out people with any do-not-call number.")]
Most = Annotated[int | None, typer.Option(min=1, max=20, metavar="N", help="Maximum people per company.")]
Partial = Annotated[
    bool | None,
    typer.Option(
        "--partial/--no-partial",
        help="Include partial records; by default partial people, but no partial companies.",
    ),
]
Limit = Annotated[int | None, typer.Option(min=0, metavar="N", help="Maximum results; 25 by default.")]
All = Annotated[bool, typer.Option("--all", help="Show all results.")]
FormatOption = Annotated[
    OutputFormat | None,
    typer.Option("--format", help="Output format; by default a table, or that of the --output file."),
]
Output = Annotated[Path | None, typer.Option(metavar="FILE", help="File to write.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object: total and results.")]

_CONTACT_EXAMPLES = examples(
    "firmograph prospect contacts --title senator --state Ohio --state Texas --has work_email",
    'firmograph prospect contacts --technology "Argo CD" --max-per-company 3 --all --output people.csv',
)
_COMPANY_EXAMPLES = examples(
    "firmograph prospect companies --industry Finance --country Japan --exclude-city Tokyo",
    "firmograph prospect companies --filters body.json --all --format jsonl > companies.jsonl",
)


_PROGRESS_THRESHOLD: Final = 5_000
"""Number of rows above which a progress bar is shown."""


@dataclass(frozen=True, slots=True)
class _OutputOptions:
    """Number, format and file of the results."""

    limit: int | None
    all: bool
    format: OutputFormat
    output: Path | None
    ids: bool
    raw: bool


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
    ids: Ids = False,
    raw: Raw = False,
    json: Json = False,
    **given: Any,
) -> None:
    """Find people, most complete records first. Free previews without e-mails and phones."""
    from firmograph.cli.prospect.request import build_request
    from firmograph.prospecting.filters.requests import ContactProspecting

    output_options = _output_options(limit, all, format, output, ids=ids, raw=raw, json=json)
    options = {
        "excludeDnc": exclude_dnc or None,
        "maxContactsPerCompany": max_per_company,
        "includePartialProfiles": partial,
    }
    body = build_request(ContactProspecting, Entity.CONTACT, filters, given, options)
    _prospect(body, output_options)


@app.command("companies", epilog=_COMPANY_EXAMPLES)
@with_filters(Entity.COMPANY)
def companies(
    filters: FiltersFile = None,
    partial: Partial = None,
    limit: Limit = None,
    all: All = False,
    format: FormatOption = None,
    output: Output = None,
    ids: Ids = False,
    raw: Raw = False,
    json: Json = False,
    **given: Any,
) -> None:
    """Find companies, most complete records first. Free previews."""
    from firmograph.cli.prospect.request import build_request
    from firmograph.prospecting.filters.requests import CompanyProspecting

    output_options = _output_options(limit, all, format, output, ids=ids, raw=raw, json=json)
    body = build_request(
        CompanyProspecting, Entity.COMPANY, filters, given, {"includePartialProfiles": partial}
    )
    _prospect(body, output_options)


def _output_options(
    limit: int | None,
    all: bool,
    format: OutputFormat | None,
    output: Path | None,
    *,
    ids: bool,
    raw: bool,
    json: bool,
) -> _OutputOptions:
    if all and limit is not None:
        refuse_option("all", "cannot be combined with --limit")
    return _OutputOptions(limit, all, choose_format(format, output, json=json), output, ids, raw)


def _prospect(body: "ContactProspecting | CompanyProspecting", output_options: _OutputOptions) -> None:
    from firmograph.cli.context import open_installation
    from firmograph.cli.prospect.search import open_search
    from firmograph.prospecting.current_search import CurrentSearch

    installation = open_installation()
    try:
        open_search(installation)
        matches = installation.get(CurrentSearch).every_match(body, installation.clock.seconds())
        _print_results(matches, output_options)
    finally:
        installation.database.close()


def _print_results(matches: "Matches", options: _OutputOptions) -> None:
    start, end = _row_range(matches, options)
    with open_output(options.output) as out, _row_progress(end - start, out) as with_progress:
        write_previews(
            with_progress(map(msgspec.json.decode, matches.previews(start, end))),
            matches.query.entity,
            {"total": matches.total},
            options.format,
            out,
            table=TableLayout(ids=options.ids),
            raw=options.raw,
        )
    if options.output or options.format is not OutputFormat.JSON:
        _note_total(matches, end - start)


def _note_total(matches: "Matches", shown: int) -> None:
    kind = matches.query.entity.plural
    if matches.total:
        more = "" if shown == matches.total else "--all shows all of them"
        note(f"{shown:,} of {matches.total:,} {kind}", more)
    else:
        note(f"No {kind} match")


def _row_range(matches: "Matches", options: _OutputOptions) -> tuple[int, int]:
    """Return start and end of the rows to show: as in the options, else the requested page."""
    if options.all:
        return 0, matches.total
    if options.limit is not None:
        return 0, min(options.limit, matches.total)
    start = min(matches.query.offset, matches.total)
    return start, min(start + matches.query.size, matches.total)


@contextmanager
def _row_progress(total: int, out: TextIO) -> Iterator[Callable[[Iterator[Row]], Iterator[Row]]]:
    """Yield a function for the row iterator, which shows a progress bar for many rows not printed to a terminal."""
    from firmograph.cli.progress import count_progress

    if total <= _PROGRESS_THRESHOLD or out.isatty():
        yield iter
        return
    with count_progress("Writing") as report:

        def count_rows(rows: Iterator[Row]) -> Iterator[Row]:
            done = 0
            for done, row in enumerate(rows, start=1):
                yield row
                if done % _PROGRESS_THRESHOLD == 0:
                    report(done, total)
            report(done, total)

        yield count_rows
