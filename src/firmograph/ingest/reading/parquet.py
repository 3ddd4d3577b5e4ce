"""Reader of Parquet, with Arrow columns converted to plain values.

Arrow allows text that is not UTF-8, days of any year and times in nanoseconds, which Python's types cannot represent.
Days and times are therefore formatted without them, and a value that Python cannot represent becomes `UNREADABLE`.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from firmograph.ingest.reading.header_names import header_name
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused

_FRACTION_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""Digits of a second's fraction by unit."""
_DAY_SECONDS = 86_400
_BATCH_ROWS = 2000


class ParquetTable:
    """Iterator over rows of cells, one record batch at a time.

    Dates, times and decimals come as text, nested values as lists and dicts.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        self._path = path
        # the name of a column can be invalid UTF-8
        self._damages = ArrowException, OSError, UnicodeDecodeError
        try:
            self._file = ParquetFile(file)
            self.columns: list[str] = [header_name(name) for name in self._file.schema_arrow.names]
        except self._damages as error:
            raise Refused(f"{path} is damaged: it starts like Parquet but cannot be read") from error

    def __iter__(self) -> Iterator[list[object]]:
        row = 0
        try:
            for batch in self._file.iter_batches(_BATCH_ROWS, use_threads=False):
                columns = [column_values(column) for column in batch.columns]
                row += batch.num_rows
                yield from map(list, zip(*columns, strict=True))
        except self._damages as error:
            raise Refused(f"{self._path} is damaged after row {row}") from error


def column_values(column: Any) -> list[Any]:
    """Return a column's values: text, numbers, booleans, lists, dicts by name; None for null and NaN."""
    import pyarrow as pa
    from pyarrow import types

    kind = column.type
    if isinstance(kind, pa.BaseExtensionType) and not isinstance(kind, pa.UuidType):
        return column_values(column.storage)
    if types.is_dictionary(kind):
        return column_values(column.dictionary_decode())
    if types.is_struct(kind):
        return _struct_values(column)
    if types.is_map(kind):
        pairs = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
        return _list_values(column.cast(pa.list_(pairs)))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _list_values(column)
    if types.is_date(kind) or types.is_timestamp(kind):
        return _date_texts(column)
    if types.is_time(kind):
        return [_time_text(value, _FRACTION_DIGITS[kind.unit]) for value in _integer_values(column)]
    if types.is_duration(kind):
        return [_duration_text(value, _FRACTION_DIGITS[kind.unit]) for value in _integer_values(column)]
    if types.is_boolean(kind) or types.is_integer(kind):
        return list(column.to_pylist())
    return _other_values(column)


def _struct_values(column: Any) -> list[Any]:
    names = [field.name for field in column.type]
    fields = [column_values(field) for field in column.flatten()]
    rows = zip(*fields, strict=True) if fields else [()] * len(column)
    there = column.is_valid().to_pylist()
    return [
        dict(zip(names, row, strict=True)) if valid else None for valid, row in zip(there, rows, strict=True)
    ]


def _list_values(column: Any) -> list[Any]:
    from pyarrow import compute

    items = iter(column_values(column.flatten()))
    lengths = compute.list_value_length(column).to_pylist()
    return [None if length is None else list(islice(items, length)) for length in lengths]


def _date_texts(column: Any) -> list[Any]:
    """Return days and timestamps as ISO 8601 in UTC."""
    from pyarrow import types

    moments = column.to_numpy(zero_copy_only=False)
    if types.is_date(column.type):
        moments = moments.astype("datetime64[D]")
    zone = "Z" if types.is_timestamp(column.type) and column.type.tz else ""
    texts = np.datetime_as_string(moments).tolist()
    there = column.is_valid().to_pylist()
    return [text + zone if valid else None for text, valid in zip(texts, there, strict=True)]


def _integer_values(column: Any) -> list[int | None]:
    import pyarrow as pa

    values: list[int | None] = column.cast(
        pa.int32() if column.type.bit_width == 32 else pa.int64()
    ).to_pylist()
    return values


def _time_text(value: int | None, digits: int) -> Any:
    if value is None:
        return None
    seconds, part = divmod(value, 10**digits)
    if not 0 <= seconds < _DAY_SECONDS:
        return UNREADABLE
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{_fraction_text(part, digits)}"


def _duration_text(value: int | None, digits: int) -> Any:
    if value is None:
        return None
    seconds, part = divmod(abs(value), 10**digits)
    return f"{'-' if value < 0 else ''}PT{seconds}{_fraction_text(part, digits)}S"


def _fraction_text(part: int, digits: int) -> str:
    return f".{part:0{digits}}" if digits else ""


def _other_values(column: Any) -> list[Any]:
    """Return the values of texts, decimals, floats and rare types."""
    try:
        values = column.to_pylist()
    except Exception:
        values = [_scalar_value(scalar) for scalar in column]
    return [value if value is None or isinstance(value, str) else _plain_value(value) for value in values]


def _scalar_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except Exception:  # each type's conversion raises its own errors
        return UNREADABLE


def _plain_value(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else UNREADABLE
    try:
        if isinstance(value, Decimal) and value == value.to_integral_value():
            return str(int(value))
        if isinstance(value, bytes):
            return value.decode()
        return value if value is UNREADABLE else msgspec.to_builtins(value)
    except (UnicodeDecodeError, TypeError):
        return UNREADABLE
