"""Rows that `table add` is given: identifiers of records in a file, under the column names of common exports.

See docs/tables.md#files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.ingest.reading.clean_texts import clean_text
from firmograph.ingest.reading.conversion import whole_number_text
from firmograph.ingest.reading.header_names import NameTable, find_guess, name_tables, plain_name
from firmograph.ingest.reading.readers import RowFile, open_rows
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity, is_record_token

_ID: Final = "id"
_FIELDS: Final[Mapping[Entity, Mapping[str, str]]] = {
    Entity.CONTACT: {
        "socialLinks.linkedin": "linkedin_url",
        "emails": "email",
        "emails.email": "email",
        "emails.+.email": "email",
        "firstName": "first_name",
        "lastName": "last_name",
        "fullName": "full_name",
        "company.name": "company_name",
        "company.domain": "company_domain",
        "company.linkedinUrl": "company_linkedin_url",
    },
    Entity.COMPANY: {"domain": "domain", "socialLinks.linkedin": "linkedin_url", "name": "name"},
}
"""Identifier by the field of a native record."""
_ID_NAMES: Final = {Entity.CONTACT: ("id", "contactid"), Entity.COMPANY: ("id", "companyid")}
_ALONE: Final = {_ID, "linkedin_url", "email", "domain", "name"}
"""Identifiers that suffice."""
EXPECTED: Final = {
    Entity.CONTACT: "an id, a LinkedIn URL, an e-mail, or a name with a company name or domain",
    Entity.COMPANY: "an id, a domain, a LinkedIn URL or a name",
}


class GivenRow(NamedTuple):
    line: int
    identifiers: Mapping[str, str]
    """Texts by the argument names of `QueryReader`, and `full_name`."""
    problem: str = ""
    """Why there are none."""


class GivenFile(NamedTuple):
    """Open file of rows."""

    file: RowFile
    rows: Iterator[GivenRow]
    counts: ColumnCounts
    """Repaired and skipped lines of the rows read so far."""


@contextmanager
def open_given_rows(path: Path, entity: Entity) -> Iterator[GivenFile]:
    """Open a file. Raises Refused, with what to do, if it is none of rows or has no column that identifies records."""
    with open_rows(path, fits=lambda header: _names_records(_identifiers(header, entity))) as file:
        counts = ColumnCounts()
        rows = _objects(file, entity) if file.columns is None else _cells(file, file.columns, entity, counts)
        yield GivenFile(file, rows, counts)


def _cells(file: RowFile, header: Sequence[str], entity: Entity, counts: ColumnCounts) -> Iterator[GivenRow]:
    columns = _identifiers(header, entity)
    if not _names_records(columns):
        raise Refused(
            f"{file.path} has no columns that name records: {EXPECTED[entity]}. Its columns are:"
            f" {', '.join(header)}"
        )

    def read() -> Iterator[GivenRow]:
        for row in file:
            if row.is_repaired:
                counts.add_repaired(row.line)
            if row.is_skipped:
                counts.add_skipped(row.line)
            if isinstance(row.value, list):
                cells = row.value
                yield _row(row.line, ((name, cells[at]) for at, name in columns if at < len(cells)), entity)
            elif row.problem and not row.is_skipped:
                yield GivenRow(row.line, {}, row.problem)

    return read()


def _names_records(columns: Iterable[tuple[int, str]]) -> bool:
    """Return whether columns of identifiers are enough to name a record."""
    names = {name for _, name in columns}
    has_name = "full_name" in names or {"first_name", "last_name"} <= names
    return not names.isdisjoint(_ALONE) or (has_name and any(name.startswith("company_") for name in names))


def _objects(file: RowFile, entity: Entity) -> Iterator[GivenRow]:
    for row in file:
        value = _decode(row.value) if isinstance(row.value, bytes) else None
        if isinstance(value, dict):
            members = dict(_members(value))
            header = list(members)
            columns = _identifiers(header, entity)
            yield _row(row.line, ((name, members[header[at]]) for at, name in columns), entity)
        else:
            yield GivenRow(row.line, {}, row.problem or "not a JSON object")


def _decode(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _members(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the plain members of an object by dotted names; of a list, the first one."""
    for name, member in value.items():
        first = member[0] if isinstance(member, list) and member else member
        if isinstance(first, dict):
            yield from _members(first, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", first


def _identifiers(header: Sequence[str], entity: Entity) -> list[tuple[int, str]]:
    """Return the columns that hold identifiers; of several for one, the most usual name comes first."""
    tables = name_tables(header, entity)
    found = [(*known, at) for at, name in enumerate(header) if (known := _identifier(name, tables, entity))]
    return [(at, identifier) for _, identifier, at in sorted(found)]


def _identifier(name: str, tables: Iterable[NameTable], entity: Entity) -> tuple[int, str] | None:
    """Return the rank and identifier of a column name; None for a column of anything else."""
    if plain_name(name) in _ID_NAMES[entity]:
        return 0, _ID
    fields = _FIELDS[entity]
    if name in fields:
        return 0, fields[name]
    guess = find_guess(name, tables)
    return (guess.rank, fields[guess.path]) if guess and guess.path in fields else None


def _row(line: int, values: Iterable[tuple[str, Any]], entity: Entity) -> GivenRow:
    """Return a row of the first text for each identifier."""
    given: dict[str, str] = {}
    for name, value in values:
        text = clean_text(value).strip() if isinstance(value, str) else whole_number_text(value)
        if text and name not in given:
            given[name] = text
    if len(given) > 1 and not _is_id(given.get(_ID, "")):
        # the id of another system
        given.pop(_ID, None)
    return GivenRow(line, given, "" if given else f"needs {EXPECTED[entity]}")


def _is_id(text: str) -> bool:
    return is_record_token(text) or (text.isascii() and text.isdigit())
