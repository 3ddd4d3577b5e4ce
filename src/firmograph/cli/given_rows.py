"""Identifiers of records in a file, under the column names of common exports (docs/tables.md#files)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from firmograph.directory.normalise.placeholders import (
    are_placeholder_names,
    is_placeholder_name,
    is_placeholder_text,
)
from firmograph.ingest.reading.clean_texts import clean_text
from firmograph.ingest.reading.conversion import whole_number_text
from firmograph.ingest.reading.header_names import NameTable, find_guess, name_tables, plain_name
from firmograph.ingest.reading.json_rows import load_json_line
from firmograph.ingest.reading.readers import ReadOptions, RowFile, open_rows
from firmograph.ingest.reading.unknown_keys import OWN_KEYS, has_value
from firmograph.ingest.records.person_names import read_full_name
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.ingest.records.values import has_sign_before, is_any_placeholder, without_sign_before
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity, is_record_token

_ID: Final = "id"
_FIELDS: Final[Mapping[Entity, dict[str, str]]] = {
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
_PHONE_FIELDS: Final = {"phones": "phone", "phones.+.number": "phone"}
_ID_NAMES: Final = {Entity.CONTACT: ("id", "contactid"), Entity.COMPANY: ("id", "companyid")}
_ALONE: Final = {_ID, "linkedin_url", "email", "phone", "domain", "name"}
"""Identifiers that suffice."""
_IS_PLACEHOLDER: Final[Mapping[str, Callable[[str], bool]]] = {
    "first_name": is_placeholder_name,
    "last_name": is_placeholder_name,
    "company_name": is_placeholder_text,
    "name": is_placeholder_text,
}
"""Checks of identifiers that have rules of their own."""
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
    is_skipped: bool = False
    """Whether the line is no row, such as a footer."""


class GivenFile(NamedTuple):
    """Open file of rows."""

    file: RowFile
    rows: Iterator[GivenRow]
    counts: ColumnCounts
    """Unread values, repaired and skipped lines, unknown columns and keys of the rows read so far."""


@contextmanager
def open_given_rows(
    path: Path, entity: Entity, sheet: str = "", *, by_phone: bool = False
) -> Iterator[GivenFile]:
    """Open a file. Raises Refused, with what to do, if it is none of rows or has no column that identifies records."""
    reader = _RowReader(entity, by_phone=by_phone)
    with open_rows(path, ReadOptions(sheet=sheet), reader.names_records) as file:
        rows = reader.objects(file) if file.columns is None else reader.cells(file, file.columns)
        yield GivenFile(file, rows, reader.counts)


class _RowReader:
    """Reader of rows that counts what it cannot read."""

    def __init__(self, entity: Entity, *, by_phone: bool) -> None:
        """Set `by_phone` if a telephone number identifies a person."""
        self._entity = entity
        self._fields = _FIELDS[entity] | (_PHONE_FIELDS if by_phone else {})
        self._expected = f"a telephone number, {EXPECTED[entity]}" if by_phone else EXPECTED[entity]
        self.counts = ColumnCounts()

    def names_records(self, header: Sequence[str]) -> bool:
        """Return whether these columns are enough to name a record."""
        return _names_records(self._identifiers(header))

    def cells(self, file: RowFile, header: Sequence[str]) -> Iterator[GivenRow]:
        """Return the rows of a table. Raises Refused if its columns name no records."""
        columns = self._identifiers(header)
        if not _names_records(columns):
            raise Refused(
                f"{file.path} has no columns that name records: {self._expected}. Its columns are:"
                f" {', '.join(header)}"
            )

        read_positions = {at for at, _ in columns}
        others = [(at, name) for at, name in enumerate(header) if at not in read_positions]
        if file.repaired_header:
            self.counts.add_repaired(file.repaired_header)

        def read() -> Iterator[GivenRow]:
            for row in file:
                if row.is_repaired:
                    self.counts.add_repaired(row.line)
                if row.is_skipped:
                    self.counts.add_skipped(row.line)
                    yield GivenRow(row.line, {}, row.problem, is_skipped=True)
                elif isinstance(row.value, list):
                    cells = row.value
                    self._count_unknown((name, cells[at]) for at, name in others if at < len(cells))
                    found = [(header[at], name, cells[at]) for at, name in columns if at < len(cells)]
                    yield self._row(row.line, found)
                elif row.problem:
                    yield GivenRow(row.line, {}, row.problem)

        return read()

    def objects(self, file: RowFile) -> Iterator[GivenRow]:
        """Yield the rows of JSON objects."""
        for row in file:
            value = _decode(row.value) if isinstance(row.value, bytes) else None
            if isinstance(value, dict):
                members = dict(_members(value))
                header = list(members)
                columns = self._identifiers(header)
                identifying = {header[at] for at, _ in columns}
                self._count_unknown(one for one in members.items() if one[0] not in identifying)
                yield self._row(row.line, [(header[at], name, members[header[at]]) for at, name in columns])
            else:
                yield GivenRow(row.line, {}, row.problem or "not a JSON object")

    def _identifiers(self, header: Sequence[str]) -> list[tuple[int, str]]:
        """Return the columns that hold identifiers; of several for one, the most usual name comes first."""
        tables = name_tables(header, self._entity)
        found = [(*known, at) for at, name in enumerate(header) if (known := self._identifier(name, tables))]
        return [(at, identifier) for _, identifier, at in sorted(found)]

    def _identifier(self, name: str, tables: Iterable[NameTable]) -> tuple[int, str] | None:
        """Return the rank and identifier of a column name; None for a column of anything else."""
        if plain_name(name) in _ID_NAMES[self._entity]:
            return 0, _ID
        if name in self._fields:
            return 0, self._fields[name]
        guess = find_guess(name, tables)
        return (guess.rank, self._fields[guess.path]) if guess and guess.path in self._fields else None

    def _count_unknown(self, values: Iterable[tuple[str, Any]]) -> None:
        """Count the columns or keys, of those that identify nothing, that have a value in a row."""
        self.counts.add_unknown(
            {name: 1 for name, value in values if name and name not in OWN_KEYS and has_value(value)}
        )

    def _row(self, line: int, values: Iterable[tuple[str, str, Any]]) -> GivenRow:
        """Return a row of the first text for each identifier; `values` are columns, identifiers and values."""
        given: dict[str, str] = {}
        unread: dict[str, list[object]] = {}
        for column, name, value in values:
            text = clean_text(value).strip() if isinstance(value, str) else whole_number_text(value)
            if text is None and has_value(value):
                unread.setdefault(column, []).append(value)
            if text and name not in given and (kept := _without_placeholder(name, text)):
                given[name] = kept
        if unread:
            self.counts.add_unread(unread, line)
        if are_placeholder_names(given.get("first_name", ""), given.get("last_name", "")):
            del given["first_name"], given["last_name"]
        if has_sign_before(given.get("email", "")):
            given["email"] = without_sign_before(given["email"])
            self.counts.add_repaired(line)
        if len(given) > 1 and not _is_id(given.get(_ID, "")):
            # the id of another system
            given.pop(_ID, None)
        return GivenRow(line, given, "" if given else f"needs {self._expected}")


def _without_placeholder(name: str, text: str) -> str | None:
    """Return the text of an identifier; None for a placeholder (docs/reference/records.md#placeholders)."""
    if name == "full_name":
        return read_full_name(text)
    return None if _IS_PLACEHOLDER.get(name, is_any_placeholder)(text) else text


def _names_records(columns: Iterable[tuple[int, str]]) -> bool:
    """Return whether columns of identifiers are enough to name a record."""
    names = {name for _, name in columns}
    has_name = not names.isdisjoint(("full_name", "first_name"))
    return not names.isdisjoint(_ALONE) or (has_name and any(name.startswith("company_") for name in names))


def _decode(line: bytes) -> Any:
    try:
        return load_json_line(line)
    except (ValueError, RecursionError):
        return None


def _members(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the plain members of an object by dotted names; of a list, the first one."""
    for name, member in value.items():
        first = member[0] if isinstance(member, list) and member else member
        if isinstance(first, dict):
            yield from _members(first, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", first


def _is_id(text: str) -> bool:
    return is_record_token(text) or (text.isascii() and text.isdigit())
