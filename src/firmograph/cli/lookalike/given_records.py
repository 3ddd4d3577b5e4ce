"""Records that a command is given: by options, or in a file of lines, CSV or JSON Lines.

See docs/lookalikes.md#files.
"""

import csv
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from firmograph.directory.lookup.identifiers import (
    COMPANY_PAGE,
    DOMAIN,
    EMAIL,
    ID,
    PROFILE,
    IdentifierKind,
)
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity, is_record_token


class Identifier(NamedTuple):
    """Identifier of a record as it was given."""

    name: str
    """`id`, `domain`, `linkedin` or `email`."""
    text: str


class GivenRecord(NamedTuple):
    """Record that a command was given by one or several identifiers; the first that names one record decides."""

    place: str
    """Option, or file and line, for messages."""
    identifiers: tuple[Identifier, ...]


class _Name(NamedTuple):
    kind: IdentifierKind
    member: str
    """Member of the seeds of a request."""


NAMES: Final[Mapping[Entity, Mapping[str, _Name]]] = {
    Entity.CONTACT: {
        "id": _Name(ID, "ids"),
        "linkedin": _Name(PROFILE, "linkedin_urls"),
        "email": _Name(EMAIL, "emails"),
    },
    Entity.COMPANY: {
        "id": _Name(ID, "ids"),
        "domain": _Name(DOMAIN, "domains"),
        "linkedin": _Name(COMPANY_PAGE, "linkedin_urls"),
    },
}
"""Names of identifiers in the order in which those of one record are tried."""

_DELIMITERS: Final = ",;\t"
_COLUMNS: Final[Mapping[Entity, Mapping[str, str]]] = {
    Entity.CONTACT: {
        **dict.fromkeys(("id", "contactid"), "id"),
        **dict.fromkeys(("linkedin", "linkedinurl"), "linkedin"),
        **dict.fromkeys(("email", "emailaddress", "workemail"), "email"),
    },
    Entity.COMPANY: {
        **dict.fromkeys(("id", "companyid"), "id"),
        **dict.fromkeys(("domain", "companydomain", "website"), "domain"),
        **dict.fromkeys(("linkedin", "linkedinurl", "companylinkedinurl"), "linkedin"),
    },
}
"""Name of an identifier by its column, in lower-case letters."""


def records_of_options(options: Mapping[str, Sequence[str] | None]) -> list[GivenRecord]:
    """Return the records of repeatable options by their names."""
    return [
        GivenRecord(f"--{name}", (Identifier(name, text.strip()),))
        for name, texts in options.items()
        for text in texts or ()
    ]


def read_records(file: str, entity: Entity) -> list[GivenRecord]:
    """Return the records of a file; `-` is standard input.

    A record has the columns or members that name an identifier, else the line is one. Raises Refused, naming the line,
    for one that cannot be read.
    """
    name = "standard input" if file == "-" else Path(file).name
    lines = _read_lines(file, name)
    first = next((line for line in lines if not _is_skipped(line)), None)
    if first is None:
        return []
    if first.lstrip().startswith("{"):
        return list(_json_records(lines, name, entity))
    if (delimiter := _delimiter(first, entity)) is not None:
        return list(_table_records(lines, name, entity, delimiter))
    return [
        GivenRecord(place, (_guess(line.strip(), place, entity),))
        for place, line in _places(lines, name)
        if not _is_skipped(line)
    ]


def _read_lines(file: str, name: str) -> list[str]:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}") from error
    try:
        return re.split(r"\r\n|\r|\n", content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Refused(f"{name} line {line} is not text in UTF-8; save it as CSV or as text") from None


def _places(lines: Sequence[str], name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, start=1):
        yield f"{name} line {number}", line


def _is_skipped(line: str) -> bool:
    text = line.strip()
    return not text or text.startswith("#")


# --- one identifier a line ---


def _guess(text: str, place: str, entity: Entity) -> Identifier:
    """Return the identifier that a line can only be. Raises Refused if it can be none."""
    if any(mark in text for mark in _DELIMITERS):
        names = ", ".join(NAMES[entity])
        raise Refused(
            f"{place} is more than one identifier; a CSV file begins with a line of column names, some of: {names}"
        )
    if "linkedin.com/" in text.lower():
        return Identifier("linkedin", text)
    if is_record_token(text) or text.isdigit():
        return Identifier("id", text)
    if entity is Entity.COMPANY:
        return Identifier("domain", text)
    if "@" in text:
        return Identifier("email", text)
    raise Refused(f"{place}: {text!r} is no id, LinkedIn URL or e-mail address")


# --- tables ---


def _column_names(header: Sequence[str], entity: Entity) -> list[str | None]:
    """Return the name of the identifier in each column, None for a column of anything else."""
    columns = _COLUMNS[entity]
    return [columns.get("".join(filter(str.isalnum, title)).lower()) for title in header]


def _delimiter(first: str, entity: Entity) -> str | None:
    """Return the delimiter of a header, None for a line that is none."""
    found = max(_DELIMITERS, key=first.count)
    return found if any(_column_names(next(csv.reader([first], delimiter=found)), entity)) else None


def _table_records(lines: Sequence[str], name: str, entity: Entity, delimiter: str) -> Iterator[GivenRecord]:
    rows = csv.reader(lines, delimiter=delimiter)
    columns: list[str | None] | None = None
    try:
        for row in rows:
            if not row or (columns is None and _is_skipped(delimiter.join(row))):
                continue
            if columns is None:
                columns = _column_names(row, entity)
                continue
            values = zip(columns, row, strict=False)
            yield _record(f"{name} line {rows.line_num}", values, entity)
    except csv.Error as error:
        raise Refused(f"{name} line {rows.line_num} is not CSV: {error}") from error


# --- JSON Lines ---


def _json_records(lines: Sequence[str], name: str, entity: Entity) -> Iterator[GivenRecord]:
    for place, line in _places(lines, name):
        if not _is_skipped(line):
            values = _json_values(line, place)
            names = _column_names(list(values), entity)
            yield _record(place, zip(names, values.values(), strict=True), entity)


def _json_values(line: str, place: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise Refused(f"{place} is not a JSON object")
    return values


def _record(place: str, values: Iterator[tuple[str | None, Any]], entity: Entity) -> GivenRecord:
    """Return the record of named values; empty and nameless ones are left out."""
    given: dict[str, str] = {}
    for name, value in values:
        if name is None or value is None or name in given:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Refused(f"{place}: {name} must be text")
        if text := str(value).strip():
            given[name] = text
    return GivenRecord(place, tuple(Identifier(name, given[name]) for name in NAMES[entity] if name in given))
