"""Preview of an import from a file's first rows (docs/reference/import.md#preview).

It needs no database.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import msgspec

from firmograph.directory.identity import Digests
from firmograph.ingest.reading.clean_texts import clean_value
from firmograph.ingest.reading.conversion import convert_row
from firmograph.ingest.reading.date_orders import column_date_orders
from firmograph.ingest.reading.encodings import encoding_label
from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.flat_keys import FlatKeys
from firmograph.ingest.reading.header_names import nearest_field
from firmograph.ingest.reading.json_rows import load_json_line
from firmograph.ingest.reading.mapping import (
    ROW_TYPES,
    ColumnMapping,
    build_layout,
    build_object_layout,
    build_table_layout,
    column_labels,
    fits_table,
    native_record,
    value_at,
)
from firmograph.ingest.reading.readers import RawRow, ReadOptions, RowFile, open_rows
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.ingest.records.company import normalise_company
from firmograph.ingest.records.contact import normalise_contact
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.unread_values import ColumnCounts, UnreadValues
from firmograph.ingest.records.values import read_source_id
from firmograph.kit.errors import Refused
from firmograph.security.keyring import new_keyring
from firmograph.security.record_ids import Entity

PREVIEW_ROWS = 1000
_SHOWN_VALUES = 3
_TRIED_ROWS = 50
"""Rows with a value in the column that are tried to find different values."""
_MAX_SHOWN = 80


class PreviewColumn(msgspec.Struct):
    column: str
    """The column's name in a mapping."""
    fields: list[str]
    """Its fields; empty for an unused column."""
    values: list[str]
    """Examples as an import would store them; for an unused column as written."""
    guess: str = ""
    """The likely field of an unused column."""


class RejectGroup(msgspec.Struct):
    reason: str
    count: int
    lines: list[int]


class Preview(msgspec.Struct, rename="camel"):
    file: str
    kind: str
    format: str
    encoding: str | None
    delimiter: str | None
    sheet: str | None
    other_sheets: list[str]
    """Sheets of a workbook that are not read."""
    rows: int
    """Number of rows read."""
    complete: bool
    """Whether these are all rows."""
    columns: list[PreviewColumn]
    unread: dict[str, UnreadValues]
    """Unread values by column, as in the summary of an import."""
    repaired: UnreadValues
    """Rows with quotation marks or signs that would be repaired."""
    skipped: UnreadValues
    """Lines that are no rows, up to the last row read."""
    unknown: dict[str, int]
    """Number of rows with a value under each column or JSON key that nothing reads."""
    rejected: list[RejectGroup]
    looks_like: str | None
    """The other kind, if the columns are typical of it."""
    problem: str | None
    """Why the file cannot be imported as it is."""


class PreviewResult(msgspec.Struct):
    preview: Preview
    layout: Layout | None
    lost: int
    """Rejected rows with which data would be lost."""
    unread: int
    """Values that cannot be read."""


def preview_file(entity: Entity, path: Path, mapping: ColumnMapping, reading: ReadOptions) -> PreviewResult:
    """Return the preview of a file from its first rows. Raises Refused when the file cannot be read."""
    with open_rows(path, reading, fits_table(mapping, entity, path)) as file:
        given, complete = _first_rows(file)
        rows = [row for row in given if not row.is_skipped]
        layout, problem = _layout(file, mapping, entity)
        columns = _ColumnPreviews(file, mapping, layout, rows, entity)
        values, rejects = _count_as_import(entity, copy.deepcopy(layout), file, given)
        skipped = {row.line for row in given if row.is_skipped}
        return PreviewResult(
            Preview(
                file=str(path),
                kind=entity.plural,
                format=file.format,
                encoding=encoding_label(file.options.encoding) or None,
                delimiter=file.delimiter or None,
                sheet=file.options.sheet or None,
                other_sheets=file.other_sheets,
                rows=len(rows),
                complete=complete,
                columns=list(columns.previewed()),
                unread=values.unread,
                repaired=values.repaired,
                skipped=values.skipped,
                unknown=values.unknown,
                rejected=_group_rejects(reject for reject in rejects if reject.line not in skipped),
                looks_like=other.plural if (other := detect_other_kind(columns.names, entity)) else None,
                problem=problem,
            ),
            layout,
            sum(reject.is_lost for reject in rejects),
            values.count_unread(),
        )


def _first_rows(file: RowFile) -> tuple[list[RawRow], bool]:
    """Return the first rows with the skipped lines between them, and whether the file has no more."""
    found: list[RawRow] = []
    count = 0
    for row in file:
        count += not row.is_skipped
        if count > PREVIEW_ROWS:
            return found, False
        found.append(row)
    return found, True


def _layout(file: RowFile, mapping: ColumnMapping, entity: Entity) -> tuple[Layout | None, str | None]:
    if file.columns is None:
        return build_object_layout(mapping, entity), None
    try:
        layout = build_table_layout(file.columns, mapping, entity, file.path)
        layout.date_orders = column_date_orders(file)
        return layout, None
    except Refused as refusal:
        return build_layout(file.columns, mapping, entity, file.path), refusal.message


def _count_as_import(
    entity: Entity, layout: Layout | None, file: RowFile, rows: Sequence[RawRow]
) -> tuple[ColumnCounts, list[Reject]]:
    """Return values and rejects as an import would count them."""
    # the digests are discarded, so any keyring will do
    preparer = Preparer(entity, Digests(new_keyring()), "", layout, file.options.dates)
    preparer.count_repaired_header(file.repaired_header)
    _, rejects = (
        preparer.prepare_contacts(rows) if entity is Entity.CONTACT else preparer.prepare_companies(rows)
    )
    return preparer.take_counts(), rejects


def _group_rejects(rejects: Iterable[Reject]) -> list[RejectGroup]:
    found: dict[str, UnreadValues] = {}
    for reject in rejects:
        found.setdefault(reject.reason, UnreadValues()).add(UnreadValues(1, [reject.line]))
    return [RejectGroup(reason, lines.count, lines.lines) for reason, lines in found.items()]


_PERSONAL = {"firstName", "lastName", "jobTitle"}
_CORPORATE = {"name", "domain", "homepageUrl"}


def detect_other_kind(names: Sequence[str], entity: Entity) -> Entity | None:
    """Return the other kind of record if the columns are typical of its exports."""
    other = Entity.COMPANY if entity is Entity.CONTACT else Entity.CONTACT

    def roots(kind: Entity) -> set[str]:
        layout = build_layout(names, ColumnMapping(), kind, Path())
        return {column.path.partition(".")[0] for column in layout.columns}

    personal = roots(Entity.CONTACT) & _PERSONAL
    if other is Entity.CONTACT:
        return other if personal else None
    return other if not personal and roots(other) & _CORPORATE else None


# --- columns ---


class _ColumnPreviews:
    """Previews of a table's columns or of JSON keys."""

    def __init__(
        self,
        file: RowFile,
        mapping: ColumnMapping,
        layout: Layout | None,
        rows: Sequence[RawRow],
        entity: Entity,
    ) -> None:
        self._layout, self._entity, self._mapping = layout, entity, mapping
        self._is_table = file.columns is not None
        self._dates = file.options.dates
        self._rows = [value for row in rows if (value := self._readable(row)) is not None]
        self.names = file.columns if file.columns is not None else list(self._keys())
        self._flat = FlatKeys(entity)
        self._flat_fields = {} if self._is_table else self._flat.fields(self.names)

    def previewed(self) -> Iterator[PreviewColumn]:
        for position, (name, address) in enumerate(zip(self.names, column_labels(self.names), strict=True)):
            fields = self._fields(position, name)
            if fields:
                yield PreviewColumn(address, fields, self._stored(position, name, fields))
            else:
                yield PreviewColumn(address, [], self._written(position, name), self._guess(name))

    def _guess(self, name: str) -> str:
        """Return the likely field of an unused column that no other column fills; in a list its first free item."""
        found = nearest_field(name, self._entity)
        taken = {column.path for column in self._layout.columns} if self._layout else set()
        free = (one for position in count() if (one := found.replace("+", str(position))) not in taken)
        return next(free) if "+" in found else "" if found in taken else found

    def _readable(self, row: RawRow) -> Any:
        if self._is_table:
            return row.value
        try:
            value = clean_value(load_json_line(row.value)) if isinstance(row.value, bytes) else None
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _keys(self) -> dict[str, None]:
        keys: dict[str, None] = {}
        for value in self._rows:
            keys |= dict.fromkeys(_paths(value, self._mapping.columns))
        return keys

    def _fields(self, position: int, name: str) -> list[str]:
        if self._is_table or (self._layout and name in self._layout.header):
            assert self._layout is not None
            at = position if self._is_table else self._layout.header.index(name)
            return [column.path for column in self._layout.columns if column.position == at]
        keeps = self._layout is None or self._layout.keeps_other_keys
        if not keeps:
            return []
        is_native = field_kind(ROW_TYPES[self._entity], name) is not None
        return [name] if is_native else self._flat_fields.get(name, [])

    def _written(self, position: int, name: str) -> list[str]:
        return _distinct(_display(cell) for row in self._rows for cell in [self._cell(row, position, name)])

    def _cell(self, row: Any, position: int, name: str) -> Any:
        if isinstance(row, list):
            return row[position] if position < len(row) else None
        return value_at(row, name)

    def _stored(self, position: int, name: str, fields: Sequence[str]) -> list[str]:
        filled = (row for row in self._rows if self._cell(row, position, name) not in (None, "", UNREADABLE))
        return _distinct(self._stored_of(row, position, name, fields) for row in islice(filled, _TRIED_ROWS))

    def _stored_of(self, row: Any, position: int, name: str, fields: Sequence[str]) -> str:
        """Return the values that the record would lack without this column."""
        whole = self._record(row)
        found = list((whole - self._record(_remove_column(row, position, name))).elements())
        paths = {one for field in fields for one in _record_paths(field)}
        at_paths = [value for path, value in found if path in paths]
        return _display(", ".join(dict.fromkeys(at_paths or [value for _, value in found])))

    def _record(self, row: Any) -> "Counter[tuple[str, str]]":
        value = row
        if self._layout:
            value = self._layout.build_record(row) if self._is_table else native_record(self._layout, row)
            self._layout.unreadable.clear()
        if not self._is_table and (expanded := self._flat.expand(value)):
            value = expanded.record
        given: Any = convert_row(copy.deepcopy(value), ROW_TYPES[self._entity])[0]
        notes = Notes(self._dates)
        stored = [
            (
                "",
                normalise_contact(given, notes)
                if self._entity is Entity.CONTACT
                else normalise_company(given, notes),
            )
        ]
        if employer := getattr(given, "employer", None):
            stored.append(("employer", normalise_company(employer, notes)))
        found = Counter(
            {("sourceId", source_id): 1} if (source_id := read_source_id(given.source_id)) else ()
        )
        for path, record in stored:
            found.update(_leaves(msgspec.json.decode(msgspec.json.encode(record)), path))
        return found


_CANONICAL_PATHS = {
    "linkedinUrl": "socialLinks.linkedin",
    "emails": "emails.email",
    "phones": "phones.number",
    "company": "company.name",
    "jobTitle": "jobTitle.title",
}
"""Paths in a record of the fields that rows may write in a short form."""


def _record_paths(field: str) -> list[str]:
    """Return the paths in a record, as `_leaves` yields them, that a field's value may have."""
    plain = ".".join(part for part in field.split(".") if not part.isdigit())
    return [plain, _CANONICAL_PATHS.get(plain, plain)]


def _paths(value: Any, whole: Iterable[str], path: str = "") -> Iterator[str]:
    """Yield the paths of an object's values; objects named in `whole` count as one value."""
    if isinstance(value, dict) and value and path not in whole:
        for name, inner in value.items():
            yield from _paths(inner, whole, f"{path}.{name}" if path else str(name))
    elif path:
        yield path


def _remove_column(row: Any, position: int, name: str) -> Any:
    if isinstance(row, list):
        return [None if at == position else cell for at, cell in enumerate(row)]
    if not isinstance(row, dict):
        return row
    if name in row:
        return {key: value for key, value in row.items() if key != name}
    first, _, rest = name.partition(".")
    return {
        key: _remove_column(value, position, rest) if key == first else value for key, value in row.items()
    }


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None:
        yield path, ("true" if value else "false") if isinstance(value, bool) else str(value)


def _distinct(values: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for value in values:
        if value:
            found[value] = None
        if len(found) == _SHOWN_VALUES:
            break
    return list(found)


def _display(value: Any) -> str:
    if value is None or value is UNREADABLE:
        return ""
    text = " ".join((value if isinstance(value, str) else msgspec.json.encode(value).decode()).split())
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
