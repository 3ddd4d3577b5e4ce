"""Assembly of native records from a table's cells."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from firmograph.ingest.reading.clean_texts import clean_text, clean_value
from firmograph.ingest.reading.conversion import whole_number_text
from firmograph.ingest.reading.date_orders import DateOrders
from firmograph.ingest.reading.field_paths import field_kind
from firmograph.ingest.reading.unknown_keys import OWN_KEYS, has_value
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.formula_guard import unguarded_text

_Key = str | int
_DATE_FIELDS = frozenset(("updateDate", "startDate", "roundDate", "lastRoundDate", "ipoDate", "month"))


class MappedColumn(NamedTuple):
    """Column of a file with the field that it fills."""

    position: int
    """Index of its cell in a row."""
    path: str
    """Path of its field in the native record."""


class Layout:
    """Assignment of a file's columns to fields.

    Of several columns for one field the first that is not blank counts.
    """

    keeps_other_keys = False
    """Whether an object keeps the keys that no column names."""

    def __init__(
        self,
        header: Sequence[str],
        columns: Sequence[MappedColumn],
        constants: Mapping[str, object],
        separator: str,
        row: type[msgspec.Struct],
    ) -> None:
        self.header = list(header)
        self.columns = list(columns)
        self.constants = dict(constants)
        self.separator = separator
        self._filled = [0] * len(columns)
        read = {column.position for column in columns}
        self._unread_columns = [
            (position, name)
            for position, name in enumerate(self.header)
            if position not in read and name and name not in OWN_KEYS
        ]
        self._unknown: dict[str, int] = {}
        self.unreadable: list[str] = []
        """Headers of the `UNREADABLE` cells seen since the caller last took them."""
        split = re.compile(re.escape(separator)).split if separator else None
        self._cells = [
            (at, column.position, _keys(column.path), self._reader(column, row, split))
            for at, column in enumerate(columns)
        ]
        self.date_orders = DateOrders(None)
        self._constants = [(_keys(path), value) for path, value in constants.items()]
        paths = [*(column.path for column in columns), *constants]
        self._lists = {_keys(path)[0] for path in paths if any(isinstance(key, int) for key in _keys(path))}

    def _reader(
        self, column: MappedColumn, row: type[msgspec.Struct], split: Callable[[str], list[str]] | None
    ) -> Callable[[str], Any] | None:
        """Return the function that converts this column's texts; None if they stay texts."""
        if split and field_kind(row, column.path) == "list":
            return split
        if _THOUSANDS.search(self.header[column.position]):
            return _thousands_to_units
        if column.path.rpartition(".")[2] in _DATE_FIELDS:
            return lambda text: self.date_orders.iso_date(column.position, text)
        return None

    def build_record(self, cells: Sequence[Any]) -> dict[_Key, Any]:
        """Return the native record of a row; blank and unreadable cells become absent fields."""
        record: dict[_Key, Any] = {}
        filled = self._filled
        for at, position, keys, read in self._cells:
            value = cells[position] if position < len(cells) else None
            if value is UNREADABLE:
                filled[at] += 1
                self.unreadable.append(self.header[position])
                continue
            if isinstance(value, str):
                value = unguarded_text(clean_text(value).strip())
                if read and value:
                    value = read(value)
            elif isinstance(value, list | dict):
                value = clean_value(value)
            elif read is _thousands_to_units and (digits := whole_number_text(value)):
                value = read(digits)
            if value is not None and value != "":
                filled[at] += 1
                _set_if_absent(record, keys, value)
        for position, name in self._unread_columns:
            if position < len(cells) and has_value(cells[position]):
                self._unknown[name] = self._unknown.get(name, 0) + 1
        for keys, value in self._constants:
            if _needs_constant(record, keys):
                _set_if_absent(record, keys, value)
        for root in self._lists:
            if root in record:
                record[root] = _lists_from_indexes(record[root])
        return record

    def date_columns(self) -> set[str]:
        """Return the headers of date columns."""
        return {
            self.header[column.position]
            for column in self.columns
            if column.path.rpartition(".")[2] in _DATE_FIELDS
        }

    def take_filled(self) -> dict[str, int]:
        """Return the number of filled cells per column since the last call."""
        counts: dict[str, int] = {}
        for column, count in zip(self.columns, self._filled, strict=True):
            name = self.header[column.position]
            counts[name] = counts.get(name, 0) + count
        self._filled = [0] * len(self.columns)
        return counts

    def take_unknown(self) -> dict[str, int]:
        """Return the number of filled cells per column without a field since the last call."""
        counts, self._unknown = self._unknown, {}
        return counts

    def take_unreadable(self) -> list[str]:
        """Return the headers of the `UNREADABLE` cells since the last call."""
        found, self.unreadable = self.unreadable, []
        return found

    def columns_of(self, path: str, value: object, cells: Sequence[Any]) -> list[str]:
        """Return the headers of the columns that a value may have come from, the likeliest first.

        `path` has no list indexes.
        """
        near = [column.position for column in self.columns if _is_inside(column.path, path)]
        text = str(value).strip()
        texts = {at: str(cells[at]) for at in near if at < len(cells)}
        equal = [at for at, cell in texts.items() if cell.strip() == text]
        likely = [*equal, *(at for at, cell in texts.items() if text in cell)] or near[:1]
        return list(dict.fromkeys(self.header[at] for at in likely))


def _is_inside(column: str, path: str) -> bool:
    """Return whether a path is a column's field or lies inside it."""
    plain = _INDEXES.sub("", column)
    return path == plain or path.startswith(plain + ".")


_INDEXES = re.compile(r"\.\d+")
_THOUSANDS = re.compile(r"\(in (?:000s|thousands)\b", re.IGNORECASE)
_FIGURE = re.compile(r"[^\d.]*(\d[\d,]*(?:\.\d+)?)\s*", re.ASCII)


def _thousands_to_units(text: str) -> str:
    """Multiply a figure given in thousands; return other text unchanged."""
    figure = _FIGURE.fullmatch(text)
    return f"{float(figure[1].replace(',', '')) * 1000:.0f}" if figure else text


def _keys(path: str) -> tuple[_Key, ...]:
    return tuple(int(part) if part.isdigit() else part for part in path.split("."))


def _set_if_absent(record: dict[_Key, Any], keys: tuple[_Key, ...], value: object) -> None:
    """Set a nested value unless it is set or a parent holds a plain value."""
    for key in keys[:-1]:
        inner = record.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        record = inner
    record.setdefault(keys[-1], value)


def _needs_constant(record: Any, keys: tuple[_Key, ...]) -> bool:
    """Return whether a constant's field is absent while the list items on its path exist."""
    for depth, key in enumerate(keys):
        if not isinstance(record, dict):
            return False
        if key not in record:
            return not any(isinstance(later, int) for later in keys[depth:])
        record = record[key]
    return False


def _lists_from_indexes(value: Any) -> Any:
    """Replace dicts keyed by indexes with lists."""
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(key, int) for key in value):
        return [_lists_from_indexes(value[key]) for key in sorted(value)]
    return {key: _lists_from_indexes(inner) for key, inner in value.items()}
