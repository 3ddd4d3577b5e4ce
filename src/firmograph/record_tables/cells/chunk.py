"""Chunk of 128 positions: record numbers of the rows, or cells of one column.

Sets of positions within a chunk are integers with one bit a position.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.record_tables.types import STORED_STATUSES, Cell, CellStatus

CHUNK: Final = 128
"""Positions of a chunk. Stored; never changes."""

_BITMAP_BYTES: Final = CHUNK // 8
_LETTERS: Final = dict(zip(STORED_STATUSES, "nsdf", strict=True))
_CODES: Final = {status: ord(letter) for status, letter in _LETTERS.items()}
_BY_CODE: Final[dict[int, CellStatus]] = {code: status for status, code in _CODES.items()}
_NOTHING_RUN: Final = "n" * CHUNK
_NULL: Final = msgspec.Raw(b"null")

_encode = msgspec.json.Encoder().encode
_decode_numbers = msgspec.json.Decoder(list[int | None]).decode
_decode_contents = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_notes = msgspec.json.Decoder(dict[str, dict[str, Any]]).decode


class ChunkPosition(NamedTuple):
    """Position in a chunk."""

    chunk: int
    offset: int
    """0 to 127."""


def place_of(position: int) -> ChunkPosition:
    return ChunkPosition(*divmod(position, CHUNK))


def bits_of(indices: Iterable[int]) -> int:
    bits = 0
    for index in indices:
        bits |= 1 << index
    return bits


def indices_of(bits: int) -> Iterator[int]:
    """Yield the positions of a set within the chunk in ascending order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def encode_bits(bits: int) -> bytes:
    return bits.to_bytes(_BITMAP_BYTES, "little")


def decode_bits(stored: bytes) -> int:
    return int.from_bytes(stored, "little")


class RowChunk:
    """Record numbers of a chunk's rows."""

    def __init__(self, numbers: list[int | None] | None = None) -> None:
        self.numbers: list[int | None] = numbers or []

    @classmethod
    def decode(cls, stored: bytes) -> "RowChunk":
        return cls(_decode_numbers(stored))

    def encode(self) -> bytes:
        return _encode(self.numbers)

    @property
    def count(self) -> int:
        return sum(number is not None for number in self.numbers)

    @property
    def bits(self) -> int:
        """Positions with a row."""
        if None not in self.numbers:
            return (1 << len(self.numbers)) - 1
        return bits_of(index for index, number in enumerate(self.numbers) if number is not None)

    def set(self, index: int, number: int | None) -> None:
        self.numbers += [None] * (index + 1 - len(self.numbers))
        self.numbers[index] = number

    def rows(self) -> Iterator[tuple[int, int]]:
        """Yield index and record number of each row, in order."""
        for index, number in enumerate(self.numbers):
            if number is not None:
                yield index, number


class CellChunk:
    """Cells of one column in a chunk. Positions without a row have no content."""

    def __init__(
        self, statuses: str = _NOTHING_RUN, notes: bytes | None = None, contents: bytes = b"[]"
    ) -> None:
        self._statuses = bytearray(statuses, "ascii")
        self._notes = _decode_notes(notes) if notes else {}
        self._contents = _decode_contents(contents)

    def encode(self) -> tuple[str, bytes | None, bytes]:
        """Return statuses, notes and contents as stored."""
        return self._statuses.decode(), _encode(self._notes) if self._notes else None, _encode(self._contents)

    def status(self, index: int) -> CellStatus:
        return _BY_CODE[self._statuses[index]]

    def content(self, index: int) -> bytes | None:
        """Return the JSON of a value, None without one."""
        if index >= len(self._contents):
            return None
        value = bytes(self._contents[index])
        return None if value == b"null" else value

    def contents(self) -> list[msgspec.Raw]:
        """Return the JSON of the values at all positions, `null` for none."""
        return self._contents + [_NULL] * (CHUNK - len(self._contents))

    def statuses(self) -> list[CellStatus]:
        """Return the statuses at all positions."""
        return [_BY_CODE[code] for code in self._statuses]

    @property
    def has_notes(self) -> bool:
        return bool(self._notes)

    def note(self, index: int) -> Mapping[str, Any]:
        return self._notes.get(str(index), {}) if self._notes else {}

    def set(self, index: int, cell: Cell) -> None:
        self._statuses[index] = _CODES[cell.status]
        self._contents += [_NULL] * (index + 1 - len(self._contents))
        self._contents[index] = _NULL if cell.value is None else msgspec.Raw(cell.value)
        if cell.note:
            self._notes[str(index)] = dict(cell.note)
        else:
            self._notes.pop(str(index), None)

    def fail(self, index: int, error: str) -> None:
        """Mark a cell as failed; it keeps its value and its other notes."""
        self._statuses[index] = _CODES["failed"]
        self._notes[str(index)] = {**self.note(index), "error": error}

    def clear(self, index: int) -> None:
        """Forget a cell, as its row goes."""
        self.set(index, Cell("not_run"))

    def with_status(self, wanted: Iterable[str]) -> int:
        """Return the positions with one of these stored statuses."""
        return positions_with(self._statuses.decode(), wanted)


def positions_with(statuses: str, wanted: Iterable[str]) -> int:
    """Return the positions of stored letters that stand for one of these statuses."""
    # as a binary number, whose last digit is position 0
    return int(statuses[::-1].translate(_digits_for(frozenset(wanted))), 2)


@cache
def _digits_for(wanted: frozenset[str]) -> dict[int, str]:
    return {ord(letter): "1" if status in wanted else "0" for status, letter in _LETTERS.items()}
