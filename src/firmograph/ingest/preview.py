"""What an import would make of a file, found out from its first rows without a database.

See docs/reference/import.md#preview.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import msgspec

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.written_dates import Order
from firmograph.ingest.reading.conversion import converted
from firmograph.ingest.reading.date_orders import orders_of
from firmograph.ingest.reading.encodings import shown_encoding
from firmograph.ingest.reading.field_paths import kind_of
from firmograph.ingest.reading.header_names import nearest
from firmograph.ingest.reading.json_rows import loaded
from firmograph.ingest.reading.mapping import (
    ROWS,
    Mapping,
    addresses,
    layout_under,
    object_layout,
    placed,
    table_layout,
    value_at,
)
from firmograph.ingest.reading.readers import RawRow, Reading, RowFile, open_rows
from firmograph.ingest.reading.row_layout import Layout, without_nul
from firmograph.ingest.reading.unreadable import UNREADABLE
from firmograph.ingest.records.company import company_of
from firmograph.ingest.records.contact import contact_of
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.unread import Unread
from firmograph.ingest.records.values import source_id_of
from firmograph.kit.errors import Refused
from firmograph.security.keyring import new_keyring
from firmograph.security.record_ids import Entity

PREVIEWED_ROWS = 1000
_VALUES = 3
_TRIED_ROWS = 50
"""With a value in the column, until three different ones are found."""
_LONGEST = 80
KIND = {Entity.CONTACT: "contacts", Entity.COMPANY: "companies"}


class PreviewedColumn(msgspec.Struct):
    column: str
    """As a mapping calls it."""
    fields: list[str]
    """What it is taken for; none when it is not used."""
    values: list[str]
    """As they would be stored, or as they stand in a column that is not used."""
    guess: str = ""
    """A field that an unused column may be meant for."""


class SetAside(msgspec.Struct):
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
    rows: int
    """How many were looked at."""
    complete: bool
    """Whether that is all of them."""
    columns: list[PreviewedColumn]
    unread: dict[str, Unread]
    """As in the summary of an import."""
    rejected: list[SetAside]
    looks_like: str | None
    """The other kind, where the file looks like that."""
    problem: str | None
    """Why nothing of it could be imported as it is."""


class Previewed(msgspec.Struct):
    preview: Preview
    layout: Layout | None


def preview(entity: Entity, path: Path, mapping: Mapping, reading: Reading) -> Previewed:
    """Look at the first rows of a file. Raises Refused when it cannot be read at all."""
    with open_rows(path, reading) as file:
        rows = list(islice(file, PREVIEWED_ROWS))
        complete = len(rows) < PREVIEWED_ROWS or next(iter(file), None) is None
        layout, problem = _layout(file, mapping, entity)
        columns = _Columns(file, mapping, layout, rows, entity)
        unread, rejects = _prepared(entity, copy.deepcopy(layout), rows, reading.dates)
        return Previewed(
            Preview(
                file=str(path),
                kind=KIND[entity],
                format=file.format,
                encoding=shown_encoding(file.reading.encoding) or None,
                delimiter=file.delimiter or None,
                sheet=file.reading.sheet or None,
                rows=len(rows),
                complete=complete,
                columns=list(columns.previewed()),
                unread=unread,
                rejected=_set_aside(rejects),
                looks_like=KIND[other] if (other := looks_like(columns.names, entity)) else None,
                problem=problem,
            ),
            layout,
        )


def _layout(file: RowFile, mapping: Mapping, entity: Entity) -> tuple[Layout | None, str | None]:
    if file.columns is None:
        return object_layout(mapping, entity), None
    try:
        layout = table_layout(file.columns, mapping, entity, file.path)
        layout.date_orders = orders_of(file)
        return layout, None
    except Refused as refusal:
        return layout_under(file.columns, mapping, entity, file.path), refusal.message


def _prepared(
    entity: Entity, layout: Layout | None, rows: Sequence[RawRow], dates: Order | None
) -> tuple[dict[str, Unread], list[Reject]]:
    """What a real import would count; the keys that it makes are thrown away."""
    preparer = Preparer(entity, Digests(new_keyring()), "", layout, dates)
    _, rejects = preparer.contacts(rows) if entity is Entity.CONTACT else preparer.companies(rows)
    return preparer.take_values().unread, rejects


def _set_aside(rejects: Iterable[Reject]) -> list[SetAside]:
    found: dict[str, Unread] = {}
    for reject in rejects:
        found.setdefault(reject.reason, Unread()).add(Unread(1, [reject.line]))
    return [SetAside(reason, lines.count, lines.lines) for reason, lines in found.items()]


_PERSONAL = {"firstName", "lastName", "jobTitle"}
_CORPORATE = {"name", "domain", "homepageUrl"}


def looks_like(names: Sequence[str], entity: Entity) -> Entity | None:
    """The other kind, where the columns are those of an export of it."""
    other = Entity.COMPANY if entity is Entity.CONTACT else Entity.CONTACT

    def roots(kind: Entity) -> set[str]:
        layout = layout_under(names, Mapping(), kind, Path())
        return {column.path.partition(".")[0] for column in layout.columns}

    personal = roots(Entity.CONTACT) & _PERSONAL
    if other is Entity.CONTACT:
        return other if personal else None
    return other if not personal and roots(other) & _CORPORATE else None


# --- columns ---


class _Columns:
    """The columns of a table, or the keys of objects, with what becomes of their values."""

    def __init__(
        self,
        file: RowFile,
        mapping: Mapping,
        layout: Layout | None,
        rows: Sequence[RawRow],
        entity: Entity,
    ) -> None:
        self._layout, self._entity, self._mapping = layout, entity, mapping
        self._is_table = file.columns is not None
        self._dates = file.reading.dates
        self._rows = [value for row in rows if (value := self._readable(row)) is not None]
        self.names = file.columns if file.columns is not None else list(self._keys())

    def previewed(self) -> Iterator[PreviewedColumn]:
        for place, (name, address) in enumerate(zip(self.names, addresses(self.names), strict=True)):
            fields = self._fields(place, name)
            if fields:
                yield PreviewedColumn(address, fields, self._stored(place, name, fields))
            else:
                yield PreviewedColumn(address, [], self._written(place, name), self._guess(name))

    def _guess(self, name: str) -> str:
        """The field that an unused column may be meant for and no other fills, a list's at its first free place."""
        found = nearest(name, self._entity)
        taken = {column.path for column in self._layout.columns} if self._layout else set()
        free = (one for place in count() if (one := found.replace("+", str(place))) not in taken)
        return next(free) if "+" in found else "" if found in taken else found

    def _readable(self, row: RawRow) -> Any:
        if self._is_table:
            return row.value
        try:
            value = without_nul(loaded(row.value)) if isinstance(row.value, bytes) else None
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _keys(self) -> dict[str, None]:
        keys: dict[str, None] = {}
        for value in self._rows:
            keys |= dict.fromkeys(_paths(value, self._mapping.columns))
        return keys

    def _fields(self, place: int, name: str) -> list[str]:
        if self._is_table or (self._layout and name in self._layout.header):
            assert self._layout is not None
            at = place if self._is_table else self._layout.header.index(name)
            return [column.path for column in self._layout.columns if column.place == at]
        keeps = self._layout is None or self._layout.keeps_rest
        return [name] if keeps and kind_of(ROWS[self._entity], name) is not None else []

    def _written(self, place: int, name: str) -> list[str]:
        return _different(_shown(cell) for row in self._rows for cell in [self._cell(row, place, name)])

    def _cell(self, row: Any, place: int, name: str) -> Any:
        if isinstance(row, list):
            return row[place] if place < len(row) else None
        return value_at(row, name)

    def _stored(self, place: int, name: str, fields: Sequence[str]) -> list[str]:
        filled = (row for row in self._rows if self._cell(row, place, name) not in (None, "", UNREADABLE))
        return _different(self._stored_of(row, place, name, fields) for row in islice(filled, _TRIED_ROWS))

    def _stored_of(self, row: Any, place: int, name: str, fields: Sequence[str]) -> str:
        """What the record has that it would not have without this column."""
        whole = self._record(row)
        found = list((whole - self._record(_without(row, place, name))).elements())
        paths = {one for field in fields for one in _stored_paths(field)}
        wanted = [value for path, value in found if path in paths]
        return _shown(", ".join(dict.fromkeys(wanted or [value for _, value in found])))

    def _record(self, row: Any) -> "Counter[tuple[str, str]]":
        value = row
        if self._layout:
            value = self._layout.place(row) if self._is_table else placed(self._layout, row)
            self._layout.unreadable.clear()
        # what does not fit its field is taken out of the row
        given: Any = converted(copy.deepcopy(value), ROWS[self._entity])[0]
        notes = Notes(self._dates)
        stored = [
            ("", contact_of(given, notes) if self._entity is Entity.CONTACT else company_of(given, notes))
        ]
        if employer := getattr(given, "employer", None):
            stored.append(("employer", company_of(employer, notes)))
        found = Counter({("sourceId", source_id): 1} if (source_id := source_id_of(given.source_id)) else ())
        for path, record in stored:
            found.update(_leaves(msgspec.json.decode(msgspec.json.encode(record)), path))
        return found


_MAIN = {
    "linkedinUrl": "socialLinks.linkedin",
    "emails": "emails.email",
    "phones": "phones.number",
    "company": "company.name",
    "jobTitle": "jobTitle.title",
}
"""Where short forms of a field go."""


def _stored_paths(field: str) -> list[str]:
    """Where the value of a field stands in a record, as `_leaves` names it."""
    plain = ".".join(part for part in field.split(".") if not part.isdigit())
    return [plain, _MAIN.get(plain, plain)]


def _paths(value: Any, whole: Iterable[str], path: str = "") -> Iterator[str]:
    """The keys of an object, a dot leading into inner ones but for those that are taken as a `whole`."""
    if isinstance(value, dict) and value and path not in whole:
        for name, inner in value.items():
            yield from _paths(inner, whole, f"{path}.{name}" if path else str(name))
    elif path:
        yield path


def _without(row: Any, place: int, name: str) -> Any:
    if isinstance(row, list):
        return [None if at == place else cell for at, cell in enumerate(row)]
    if not isinstance(row, dict):
        return row
    if name in row:
        return {key: value for key, value in row.items() if key != name}
    first, _, rest = name.partition(".")
    return {key: _without(value, place, rest) if key == first else value for key, value in row.items()}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None:
        yield path, ("true" if value else "false") if isinstance(value, bool) else str(value)


def _different(values: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for value in values:
        if value:
            found[value] = None
        if len(found) == _VALUES:
            break
    return list(found)


def _shown(value: Any) -> str:
    if value is None or value is UNREADABLE:
        return ""
    text = " ".join((value if isinstance(value, str) else msgspec.json.encode(value).decode()).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
