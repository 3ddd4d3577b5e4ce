"""Output of previews as a table, CSV, Excel, JSON Lines or one JSON object."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from firmograph.cli.output import Column, Details, json_text, write_table
from firmograph.cli.prospect.options import refuse_option
from firmograph.kit.table_files.columns import FileColumn
from firmograph.kit.table_files.formats import FileFormat, write_rows
from firmograph.security.record_ids import Entity

Row = dict[str, Any]
"""Preview as in API responses, without `canReveal`, which depends on the account."""


class OutputFormat(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"
    JSON = "json"
    EXCEL = "xlsx"


_OF_NAMES: Final = (OutputFormat.CSV, OutputFormat.JSONL, OutputFormat.JSON, OutputFormat.EXCEL)
"""Formats that the ending of a file's name chooses."""


def choose_format(format: OutputFormat | None, output: Path | None, *, json: bool) -> OutputFormat:
    """Return the format of `--format`, `--json` or the name of the file. Exits if they do not fit together."""
    if json and format not in (None, OutputFormat.JSON):
        refuse_option("json", "cannot be combined with another --format")
    if json:
        return OutputFormat.JSON
    if format is OutputFormat.EXCEL and output is None:
        refuse_option("format", "Excel is written to a file only; name one with --output")
    if format is not None or output is None:
        return format or OutputFormat.TABLE
    extension = output.suffix.removeprefix(".").lower()
    if extension not in _OF_NAMES:
        refuse_option("output", "give --format, or a name that ends in .csv, .xlsx or .jsonl")
    return OutputFormat(extension)


CsvColumn = tuple[str, Callable[[Row], Any]]
"""Heading, and a function for the value of a row."""


class TableLayout(NamedTuple):
    """Columns of a table of previews besides those of its kind of record, and those that it lacks."""

    columns: Sequence[Column[Row]] = ()
    details: Details[Row] | None = None
    omitted: Collection[str] = ()
    ids: bool = False


def _value_at(path: str) -> Callable[[Row], object]:
    """Return a function for the value at a path of names; an empty text without one."""
    *outer, last = path.split(".")

    def get(row: Row) -> object:
        for name in outer:
            row = row.get(name, {})
        value = row.get(last, "")
        return "; ".join(value) if isinstance(value, list) else value

    return get


def _name(row: Row) -> str:
    return " ".join(row[part] for part in ("firstName", "lastName") if part in row)


def _employees(row: Row) -> object:
    """Return the exact figure, else the band."""
    count = row.get("employeeCount", {})
    if "exact" in count or not count:
        return count.get("exact", "")
    return f"{count.get('min', '')}-{count.get('max', '')}"


_LOCATION: Final[Sequence[CsvColumn]] = tuple(
    (name, _value_at(f"location.{name}")) for name in ("country", "state", "city")
)
_LINKEDIN: Final[CsvColumn] = ("linkedinUrl", _value_at("socialLinks.linkedin"))
_CSV: Final[dict[Entity, Sequence[CsvColumn]]] = {
    Entity.CONTACT: (
        *((name, _value_at(name)) for name in ("id", "firstName", "lastName")),
        *((name, _value_at(f"jobTitle.{path}")) for name, path in (
            ("jobTitle", "title"), ("seniority", "seniority"), ("departments", "departments"),
        )),
        *(
            (f"company{name.capitalize()}", _value_at(f"company.{name}"))
            for name in ("id", "name", "domain", "industry")
        ),
        *_LOCATION,
        _LINKEDIN,
    ),
    Entity.COMPANY: (
        *((name, _value_at(name)) for name in ("id", "name", "domain", "industry")),
        ("employeeCount", _employees),
        *_LOCATION,
        _LINKEDIN,
    ),
}  # fmt: skip
_TABLE: Final[dict[Entity, Sequence[Column[Row]]]] = {
    Entity.CONTACT: (
        Column("NAME", _name),
        Column("TITLE", _value_at("jobTitle.title"), 1, least=20),
        Column("COMPANY", _value_at("company.name"), 2),
        Column("DOMAIN", _value_at("company.domain"), 4, whole=True),
        Column("COUNTRY", _value_at("location.country"), 3),
        Column("LINKEDIN", _LINKEDIN[1], 5, whole=True),
    ),
    Entity.COMPANY: (
        Column("NAME", _value_at("name"), least=20),
        Column("DOMAIN", _value_at("domain"), 1, whole=True),
        Column("INDUSTRY", _value_at("industry"), 2),
        Column("EMPLOYEES", _employees, 2, whole=True),
        Column("COUNTRY", _value_at("location.country"), 3),
        Column("LINKEDIN", _LINKEDIN[1], 4, whole=True),
    ),
}
_ID: Final[Column[Row]] = Column("ID", _value_at("id"), is_id=True)


def write_previews(
    rows: Iterable[Row],
    entity: Entity,
    head: Mapping[str, object],
    format: OutputFormat,
    out: TextIO,
    *,
    table: TableLayout,
    csv_columns: Sequence[CsvColumn] = (),
    raw: bool = False,
) -> None:
    """Write rows one by one; only a table on a terminal needs all of them first.

    `head` are the members of the JSON object before `results`; `csv_columns` are the last ones of CSV. `raw` leaves
    texts of CSV that look like formulas as they are.
    """
    if format is OutputFormat.TABLE:
        columns = [column for column in _TABLE[entity] if column.head not in table.omitted]
        write_table(rows, [*columns, *table.columns, _ID], out, details=table.details, ids=table.ids)
    elif format in (OutputFormat.CSV, OutputFormat.EXCEL):
        _write_file(rows, (*_CSV[entity], *csv_columns), FileFormat(format), out, raw=raw)
    else:
        _write_json(rows, head, format, out)


def _write_file(
    rows: Iterable[Row], columns: Sequence[CsvColumn], format: FileFormat, out: TextIO, *, raw: bool
) -> None:
    cells = ([get(row) for _, get in columns] for row in rows)
    write_rows(out.buffer, format, [FileColumn(head) for head, _ in columns], cells, raw=raw)


def _write_json(rows: Iterable[Row], head: Mapping[str, object], format: OutputFormat, out: TextIO) -> None:
    lines = map(json_text, rows)
    if format is OutputFormat.JSONL:
        out.writelines(f"{line}\n" for line in lines)
        return
    members = (f"{json_text(name)}:{json_text(value)}," for name, value in head.items())
    out.write(f'{{{"".join(members)}"results":[')
    for number, line in enumerate(lines):
        out.write(f",{line}" if number else line)
    out.write("]}\n")
