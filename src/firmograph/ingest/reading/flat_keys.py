"""Fields that JSON rows hold under the names of columns, such as `email`, `companyName` or `First Name`.

They are read as the columns of a table with these names. What a row holds in native form stays.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from firmograph.ingest.reading.mapping import NO_MAPPING, build_layout
from firmograph.ingest.reading.row_layout import Layout
from firmograph.security.record_ids import Entity

_MAX_LAYOUTS = 1024
"""Different sets of keys in rows whose layouts are kept."""


class ExpandedRow(NamedTuple):
    record: dict[Any, Any]
    keys: Collection[str]
    """Keys that were read as columns."""


class FlatKeys:
    """Reader of keys that are names of columns."""

    def __init__(self, entity: Entity) -> None:
        self._layout = lru_cache(maxsize=_MAX_LAYOUTS)(partial(_build_layout, entity))

    def expand(self, row: Mapping[Any, Any]) -> ExpandedRow | None:
        """Return a row in native form; None if none of its keys is the name of a column alone."""
        names = tuple(name for name, value in row.items() if isinstance(value, str | int | float))
        layout = self._layout(names)
        if layout is None:
            return None
        read = {names[column.position] for column in layout.columns}
        native = {name: value for name, value in row.items() if name not in read}
        return ExpandedRow(_merge(native, layout.build_record([row[name] for name in names])), read)

    def fields(self, names: Collection[str]) -> dict[str, list[str]]:
        """Return the fields of each key that is read, if rows have all of these."""
        found: dict[str, list[str]] = {}
        if layout := self._layout(tuple(names)):
            for column in layout.columns:
                found.setdefault(layout.header[column.position], []).append(column.path)
        return found


def _build_layout(entity: Entity, names: tuple[str, ...]) -> Layout | None:
    layout = build_layout(names, NO_MAPPING, entity, Path())
    is_native = all(
        names[column.position] == column.path and "." not in column.path for column in layout.columns
    )
    return None if is_native else layout


def _merge(native: dict[Any, Any], flat: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a native row with further values: items behind its own ones, and fields that it lacks."""
    for name, value in flat.items():
        own = native.get(name)
        if isinstance(own, dict) and isinstance(value, dict):
            native[name] = _merge(dict(own), value)
        elif isinstance(own, list) and isinstance(value, list):
            native[name] = [*own, *value]
        elif own is None:
            native[name] = value
    return native
