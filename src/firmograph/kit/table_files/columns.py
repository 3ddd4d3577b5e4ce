"""Columns and cells of a table that is written to a file."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec

ColumnType = Literal["string", "number", "integer", "boolean", "list", "object"]
"""Type of the values; `list` holds texts, `object` is JSON of any form."""

CellValue = str | int | float | bool | Sequence[str] | msgspec.Raw | None
"""Value of a cell; Raw is JSON, None no value."""

FileRow = Sequence[CellValue]
"""Cells in the order of the columns."""

JSON_NULL: Final = msgspec.Raw(b"null")


class FileColumn(NamedTuple):
    heading: str
    type: ColumnType = "string"


_decode = msgspec.json.decode
_encode = msgspec.json.encode


def cell_text(value: bytes) -> str:
    """Return a JSON value as the text of a cell; lists of plain values are joined."""
    decoded = _decode(value)
    if isinstance(decoded, str):
        return decoded
    if isinstance(decoded, list) and not any(isinstance(member, dict | list) for member in decoded):
        return "; ".join(
            member if isinstance(member, str) else _encode(member).decode() for member in decoded
        )
    return value.decode()


def value_text(value: CellValue) -> str:
    """Return the text of a cell; lists are joined by `; `, other values are as in JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, msgspec.Raw):
        return cell_text(bytes(value))
    if isinstance(value, bool | int | float):
        return _encode(value).decode()
    return "; ".join(value)
