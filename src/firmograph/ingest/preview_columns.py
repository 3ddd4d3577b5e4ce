"""Preview of a file's columns: their fields, and the values that an import would store."""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

import msgspec

from firmograph.ingest.reading.clean_texts import clean_value
from firmograph.ingest.reading.conversion import convert_row
from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.flat_keys import FlatKeys
from firmograph.ingest.reading.header_names import nearest_field
from firmograph.ingest.reading.inputs import ContactInput
from firmograph.ingest.reading.json_rows import load_json_line, value_paths
from firmograph.ingest.reading.mapping import ROW_TYPES, ColumnMapping, column_labels, native_record, value_at
from firmograph.ingest.reading.readers import RawRow, RowFile
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.ingest.records.company import normalise_company
from firmograph.ingest.records.contact import normalise_contact, read_objections
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import read_source_id
from firmograph.security.record_ids import Entity

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
    after: list[str] = []
    """Columns that fill its fields first: its own values count where these are blank."""


class ColumnPreviews:
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
        self._options = file.options
        self._rows = [value for row in rows if (value := self._readable(row)) is not None]
        self.names = file.columns if file.columns is not None else list(self._keys())
        self._flat = FlatKeys(entity)
        self._flat_fields = {} if self._is_table else self._flat.fields(self.names)

    def previewed(self) -> Iterator[PreviewColumn]:
        labels = column_labels(self.names)
        fields = [self._fields(position, name) for position, name in enumerate(self.names)]
        ranked = self._rank_by_field(fields)
        for position, label in enumerate(labels):
            if not fields[position]:
                yield PreviewColumn(label, [], self._written(position), self._guess(self.names[position]))
                continue
            rivals = [ranked[field] for field in fields[position]]
            before = dict.fromkeys(other for order in rivals for other in order[: order.index(position)])
            behind = {other for order in rivals for other in order[order.index(position) + 1 :]} - {position}
            values = self._stored(position, fields[position], behind, is_first=not before)
            yield PreviewColumn(label, fields[position], values, after=[labels[other] for other in before])

    def _rank_by_field(self, fields: Sequence[Sequence[str]]) -> dict[str, list[int]]:
        """Return the positions of the columns of each field, the one whose value wins first."""
        ranked: dict[str, list[int]] = {}
        if self._is_table:
            assert self._layout is not None
            for column in self._layout.columns:
                ranked.setdefault(column.path, []).append(column.position)
            return ranked
        mapped = self._layout.header if self._layout else []
        flat = list(self._flat_fields)

        def rank(position: int) -> tuple[int, int]:
            name = self.names[position]
            if name in mapped:
                return 0, mapped.index(name)
            return (2, flat.index(name)) if fields[position] != [name] else (1, 0)

        for position in sorted((at for at in range(len(fields)) if fields[at]), key=rank):
            for field in fields[position]:
                ranked.setdefault(field, []).append(position)
        return ranked

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
            keys |= dict.fromkeys(value_paths(value, self._mapping.columns))
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

    def _written(self, position: int) -> list[str]:
        return _distinct(_display(self._cell(row, position)) for row in self._rows)

    def _cell(self, row: Any, position: int) -> Any:
        if isinstance(row, list):
            return row[position] if position < len(row) else None
        return value_at(row, self.names[position])

    def _stored(
        self, position: int, fields: Sequence[str], behind: Iterable[int], *, is_first: bool
    ) -> list[str]:
        """Return values of a column; `behind` are those that give way to it in its fields."""
        filled = (row for row in self._rows if self._cell(row, position) not in (None, "", UNREADABLE))
        tried = (self._without(row, behind) for row in islice(filled, _TRIED_ROWS))
        return _distinct(
            self._added(row, position, fields) or (is_first and self._repeated(row, position, fields)) or ""
            for row in tried
        )

    def _without(self, row: Any, positions: Iterable[int]) -> Any:
        for position in positions:
            row = _remove_column(row, position, self.names[position])
        return row

    def _added(self, row: Any, position: int, fields: Sequence[str]) -> str:
        """Return the values that the record would lack without this column."""
        found = list((self._record(row) - self._record(self._without(row, [position]))).elements())
        paths = _paths_in_record(fields)
        at_paths = [value for path, value in found if path in paths]
        return _display(", ".join(dict.fromkeys(at_paths or [value for _, value in found])))

    def _repeated(self, row: Any, position: int, fields: Sequence[str]) -> str:
        """Return the value of a column that others give too, such as a full name next to its parts."""
        written, paths = _display(self._cell(row, position)), _paths_in_record(fields)
        return next(
            (
                value
                for path, value in self._record(row)
                if path in paths and value.casefold() == written.casefold()
            ),
            "",
        )

    def _record(self, row: Any) -> "Counter[tuple[str, str]]":
        value = row
        if self._layout:
            value = self._layout.build_record(row) if self._is_table else native_record(self._layout, row)
            self._layout.take_unreadable()
        if not self._is_table and (expanded := self._flat.expand(value)):
            value = expanded.record
        given: Any = convert_row(copy.deepcopy(value), ROW_TYPES[self._entity])[0]
        notes = Notes(self._options.dates, self._options.country or None)
        stored = [
            (
                "",
                normalise_contact(given, notes)
                if self._entity is Entity.CONTACT
                else normalise_company(given, notes),
            )
        ]
        objections = read_objections(given, notes) if isinstance(given, ContactInput) else []
        marks = [(path, "true" if path == "optedOut" else "false") for path in objections]
        if employer := getattr(given, "employer", None):
            stored.append(("employer", normalise_company(employer, notes)))
        found = Counter(marks)
        if source_id := read_source_id(given.source_id):
            found["sourceId", source_id] += 1
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


def _paths_in_record(fields: Iterable[str]) -> set[str]:
    """Return the paths in a record, as `_leaves` yields them, that values of these fields may have."""
    plain = [".".join(part for part in field.split(".") if not part.isdigit()) for field in fields]
    return {path for field in plain for path in (field, _CANONICAL_PATHS.get(field, field))}


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
