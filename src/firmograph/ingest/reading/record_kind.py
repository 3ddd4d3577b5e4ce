"""Detection of files with the other kind of record."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from firmograph.ingest.reading.json_rows import load_json_line, value_paths
from firmograph.ingest.reading.mapping import ColumnMapping, build_layout
from firmograph.ingest.reading.readers import RawRow
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

_FIRST_OBJECTS = 100
_PERSONAL = {"firstName", "lastName", "jobTitle"}
_CORPORATE = {"name", "domain", "homepageUrl"}
_FULL_NAME = "fullName"
"""Not in `_PERSONAL`, as a column for it may be one of names of companies."""


def detect_other_kind(names: Sequence[str], entity: Entity) -> Entity | None:
    """Return the other kind of record if the columns are typical of its exports."""
    other = Entity.COMPANY if entity is Entity.CONTACT else Entity.CONTACT

    columns = {kind: build_layout(names, ColumnMapping(), kind, Path()).columns for kind in Entity}
    roots = {kind: {column.path.partition(".")[0] for column in found} for kind, found in columns.items()}
    corporate = {column.position for column in columns[Entity.COMPANY]}
    personal = (
        roots[Entity.CONTACT] & _PERSONAL
        or _FULL_NAME in names
        or any(
            column.path == _FULL_NAME and column.position not in corporate
            for column in columns[Entity.CONTACT]
        )
    )
    if other is Entity.CONTACT:
        return other if personal else None
    return other if not personal and roots[other] & _CORPORATE else None


def first_keys(rows: Iterable[RawRow]) -> list[str]:
    """Return the paths of the values in the first objects of JSON."""
    found: dict[str, None] = {}
    with suppress(Refused):  # the import reports damage, behind the rows before it
        for row in islice(rows, _FIRST_OBJECTS):
            with suppress(ValueError, RecursionError):
                if isinstance(row.value, bytes):
                    found |= dict.fromkeys(value_paths(load_json_line(row.value)))
    return list(found)
