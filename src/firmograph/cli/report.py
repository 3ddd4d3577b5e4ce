"""Command `firmograph report quality`: fill rates, ages, and conflicts between sources."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, print_json, write_table
from firmograph.cli.progress import count_progress
from firmograph.cli.sentences import stubs_text
from firmograph.ingest.quality.fields import FIELDS
from firmograph.ingest.quality.figures import (
    AGES,
    GroupFigures,
    KindFigures,
    QualityFigures,
    SourceFigures,
    UnreadColumn,
)
from firmograph.ingest.quality.service import QualityReports
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.ingest.quality.service import QualityReport

app = typer.Typer(no_args_is_help=True, help="Reports on the data held.")

Save = Annotated[
    bool,
    typer.Option("--save", help="Keep the figures, without any value; the next report shows what changed."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, with all countries.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")]

_MOST_COUNTRIES: Final = 10
_SHOWN: Final = {
    Entity.CONTACT: {"emails": "EMAILS", "phones": "PHONES", "linkedinUrl": "LINKEDIN", "jobTitle": "TITLE"},
    Entity.COMPANY: {
        "domain": "DOMAIN",
        "linkedinUrl": "LINKEDIN",
        "industry": "INDUSTRY",
        "employeeCount": "SIZE",
    },
}
"""Fields shown by country and source."""
_AGE_NAMES: Final = (*(f"{days} DAYS" for days in AGES[:2]), "1 YEAR", "2 YEARS", "OLDER")


class _Section(NamedTuple):
    """Table of the report."""

    title: str
    columns: Sequence[Column[Any]]
    rows: Sequence[Any]


@app.callback()
def _group() -> None:
    """Keep `quality` a command of the group."""


@app.command(epilog=examples("firmograph report quality --save"))
def quality(save: Save = False, json: Json = False, markdown: Markdown = False) -> None:
    """Show fill rates by field, country and source, ages, conflicts between sources, and values not read.

    Reads all records and changes none. With --save the next report shows what changed.
    """
    if json and markdown:
        raise Refused("Give either --json or --markdown")
    installation = open_installation()
    reports = installation.get(QualityReports)
    with count_progress("Reading records") as progress:
        report = reports.report(progress)
    if json:
        print_json({**_json(report.figures), "before": report.before})
    else:
        for section in _sections(report):
            (_print_markdown if markdown else _print_section)(section)
    if save:
        reports.save(report.figures)
        note("Saved; the next report shows what changed")


def _json(figures: QualityFigures) -> dict[str, Any]:
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(figures)
    return found


# --- tables ---


def _sections(report: "QualityReport") -> Iterable[_Section]:
    before = dict(report.before.kinds()) if report.before else {}
    since = f", compared with {report.before.at[:10]}" if report.before else ""
    for entity, figures in report.figures.kinds():
        known = before.get(entity)
        name = entity.plural.capitalize()
        title = f"{name}: {figures.all.records:,}{stubs_text(figures.stubs)}{since}"
        columns, fields = _by_field(entity, figures, known)
        yield _Section(title, columns, fields if figures.all.records else ())
        if len(figures.countries) > 1:
            yield _Section(f"{name} by country", *_by_country(entity, figures))
        if figures.sources:
            yield _Section(f"{name} by source", *_by_source(entity, figures))
            yield _Section(f"{name} by source and age of its newest row, in %", *_by_age(figures))
    if report.figures.unread:
        yield _Section("Values that the last imports could not read", _UNREAD, report.figures.unread)


_UNREAD: Final[Sequence[Column[UnreadColumn]]] = (
    Column("SOURCE", lambda one: one.source),
    Column("KIND", lambda one: one.kind, 1, whole=True),
    Column("COLUMN", lambda one: one.column),
    Column("VALUES", lambda one: one.values),
    Column("IMPORT", lambda one: one.import_id, 1),
)


def _by_field(
    entity: Entity, figures: KindFigures, before: KindFigures | None
) -> tuple[Sequence[Column[str]], Sequence[str]]:
    conflicts = figures.conflicts

    def change(field: str) -> str:
        now, then = figures.all.rate(field), before.all.rate(field) if before else None
        return "" if now is None or then is None or round(now, 1) == round(then, 1) else f"{now - then:+.1f}"

    columns: list[Column[str]] = [
        Column("FIELD", lambda field: field, whole=True),
        Column("FILLED", lambda field: figures.all.fields.get(field, 0)),
        Column("%", lambda field: _percent(figures.all.rate(field))),
        *([Column("CHANGE", change)] if before else []),
        Column("COMPARED", lambda field: conflicts[field].compared if field in conflicts else "", 1),
        Column("DIFFERING", lambda field: conflicts[field].differing if field in conflicts else "", 1),
    ]
    return columns, [field.name for field in FIELDS[entity]]


_Named = tuple[str, GroupFigures]


def _by_country(entity: Entity, figures: KindFigures) -> tuple[Sequence[Column[_Named]], Sequence[_Named]]:
    largest = sorted(figures.countries.items(), key=lambda one: (-one[1].records, one[0]))
    rest = largest[_MOST_COUNTRIES:]
    rows = largest[:_MOST_COUNTRIES] + ([("others", _sum([one for _, one in rest]))] if rest else [])
    return [Column("COUNTRY", lambda one: one[0] or "none", whole=True), *_rates(entity)], rows


_OfSource = tuple[str, SourceFigures]


def _by_source(entity: Entity, figures: KindFigures) -> tuple[Sequence[Column[_OfSource]], list[_OfSource]]:
    return [_SOURCE, *_rates(entity)], _largest_sources(figures)


def _by_age(figures: KindFigures) -> tuple[Sequence[Column[_OfSource]], list[_OfSource]]:
    ages: list[Column[_OfSource]] = [Column(name, _age(position)) for position, name in enumerate(_AGE_NAMES)]
    return [_SOURCE, *ages], _largest_sources(figures)


def _largest_sources(figures: KindFigures) -> list[_OfSource]:
    return sorted(figures.sources.items(), key=lambda one: (-one[1].records, one[0]))


_SOURCE: Final[Column[_OfSource]] = Column("SOURCE", lambda one: one[0])


def _age(position: int) -> Callable[[tuple[str, SourceFigures]], float | None]:
    return lambda one: _percent(100 * one[1].ages[position] / one[1].records)


def _rates(entity: Entity) -> list[Column[Any]]:
    def rate(field: str) -> Callable[[_Named], float | None]:
        return lambda one: _percent(one[1].rate(field))

    shown = [Column(f"{head} %", rate(field)) for field, head in _SHOWN[entity].items()]
    return [Column("RECORDS", lambda one: one[1].records), *shown]


def _sum(groups: Iterable[GroupFigures]) -> GroupFigures:
    total = GroupFigures()
    for group in groups:
        total.records += group.records
        for field, count in group.fields.items():
            total.fields[field] = total.fields.get(field, 0) + count
    return total


def _percent(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


# --- output ---


def _print_section(section: _Section) -> None:
    note(f"\n{section.title}")
    if section.rows:
        write_table(section.rows, section.columns)


def _print_markdown(section: _Section) -> None:
    typer.echo(f"\n## {section.title}\n")
    if not section.rows:
        return
    typer.echo(_markdown_line(column.head for column in section.columns))
    typer.echo(_markdown_line("---" for _ in section.columns))
    for row in section.rows:
        typer.echo(_markdown_line(_markdown_cell(column.value(row)) for column in section.columns))


def _markdown_cell(value: object) -> str:
    return "" if value is None else str(value)


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
