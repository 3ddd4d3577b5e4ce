"""Output of previews as a table, CSV, JSON Lines or one JSON object."""

import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TextIO

from firmograph.cli.output import Column as TableColumn
from firmograph.cli.output import json_text, write_table
from firmograph.cli.prospect.options import refuse_option
from firmograph.kit.formula_guard import guard_cell
from firmograph.security.record_ids import Entity

Row = dict[str, Any]
"""Preview as in API responses, without `canReveal`, which depends on the account."""


class OutputFormat(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"
    JSON = "json"


def choose_format(format: OutputFormat | None, output: Path | None, *, json: bool) -> OutputFormat:
    """Return the format of `--format`, `--json` or the name of the file. Exits if they do not fit together."""
    if json and format not in (None, OutputFormat.JSON):
        refuse_option("json", "cannot be combined with another --format")
    if json:
        return OutputFormat.JSON
    if format is not None or output is None:
        return format or OutputFormat.TABLE
    extension = output.suffix.removeprefix(".").lower()
    if extension not in (OutputFormat.CSV, OutputFormat.JSONL, OutputFormat.JSON):
        refuse_option("output", "give --format csv or --format jsonl, or a name that ends in .csv or .jsonl")
    return OutputFormat(extension)


Column = tuple[str, Callable[[Row], object]]
"""Heading, and a function for the value of a row; in a table, a tuple is a line for each of its texts."""


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


_LOCATION: Final[Sequence[Column]] = tuple(
    (name, _value_at(f"location.{name}")) for name in ("country", "state", "city")
)
_LINKEDIN: Final[Column] = ("linkedinUrl", _value_at("socialLinks.linkedin"))
_CSV: Final[dict[Entity, Sequence[Column]]] = {
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
_TABLE: Final[dict[Entity, Sequence[Column]]] = {
    Entity.CONTACT: (
        ("ID", _value_at("id")),
        ("NAME", _name),
        ("TITLE", _value_at("jobTitle.title")),
        ("COMPANY", _value_at("company.name")),
        ("DOMAIN", _value_at("company.domain")),
        ("COUNTRY", _value_at("location.country")),
        ("LINKEDIN", _LINKEDIN[1]),
    ),
    Entity.COMPANY: (
        ("ID", _value_at("id")),
        ("NAME", _value_at("name")),
        ("DOMAIN", _value_at("domain")),
        ("INDUSTRY", _value_at("industry")),
        ("EMPLOYEES", _employees),
        ("COUNTRY", _value_at("location.country")),
        ("LINKEDIN", _LINKEDIN[1]),
    ),
}


def write_previews(
    rows: Iterable[Row],
    entity: Entity,
    head: Mapping[str, object],
    format: OutputFormat,
    out: TextIO,
    more_columns: Sequence[Column] = (),
    omitted: Collection[str] = (),
    *,
    raw: bool = False,
) -> None:
    """Write rows one by one; only a table needs all of them first.

    `head` are the members of the JSON object before `results`. The last columns of a table or CSV are `more_columns`;
    a table lacks the `omitted` ones. `raw` leaves texts of CSV that look like formulas as they are.
    """
    if format is OutputFormat.TABLE:
        columns = [column for column in (*_TABLE[entity], *more_columns) if column[0] not in omitted]
        write_table(rows, [TableColumn(*column, rank) for rank, column in enumerate(columns)], out)
    elif format is OutputFormat.CSV:
        _write_csv(rows, (*_CSV[entity], *more_columns), out, raw=raw)
    else:
        _write_json(rows, head, format, out)


def _write_csv(rows: Iterable[Row], columns: Sequence[Column], out: TextIO, *, raw: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([head for head, _ in columns])
    for row in rows:
        values = [get(row) for _, get in columns]
        writer.writerow(values if raw else map(guard_cell, values))


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
