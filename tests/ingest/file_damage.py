"""Small files of contacts with seeded damage: bad values in whole files, and damaged bytes."""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 12
_FIELDS = [
    "jobTitle.title",
    "updateDate",
    "location.city",
    "location.zipCode",
    "linkedinConnections",
    "skills",
]
"""Those that get the bad values; none of them tells people apart."""


class DamagedFile(NamedTuple):
    path: Path
    whole: bool
    """Whether nothing but single values is damaged, so that no row may be lost."""


def damaged_file(folder: Path, seed: int) -> DamagedFile:
    draw = random.Random(seed)
    ending, content = draw.choice(["jsonl", "csv", "parquet"]), b""
    content = {"jsonl": _json_lines, "csv": _csv, "parquet": _parquet}[ending](draw)
    whole = draw.random() < 0.5
    if not whole and draw.random() < 0.5:
        content = _broken(content, draw)
    if draw.random() < 0.4:
        ending, content = f"{ending}.gz", gzip.compress(content, mtime=0)
    if not whole:
        content = _broken(content, draw)
    path = folder / f"{seed}.{ending}"
    path.write_bytes(content)
    return DamagedFile(path, whole)


def _broken(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content))
    kind = draw.choice(["cut", "flip", "nul", "insert", "repeat"])
    if kind == "cut":
        return content[:at]
    if kind == "insert":
        return content[:at] + draw.randbytes(draw.randint(1, 300)) + content[at:]
    if kind == "repeat":
        return content[:at] + content[max(0, at - 200) :]
    broken = bytearray(content)
    for _ in range(draw.randint(1, 40)):
        at = draw.randrange(len(content))
        broken[at] = 0 if kind == "nul" else broken[at] ^ (1 << draw.randrange(8))
    return bytes(broken)


def _person(number: int) -> dict[str, Any]:
    return {"sourceId": f"p{number}", "fullName": f"Jane Doe{number}", "email": f"j{number}@acme.example.com"}


# --- text ---

_JSON_VALUES: list[bytes] = [
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"-0.0",
    b"9" * 6000,
    b'"\xff\xfe"',
    b'"\\ud800 \\udfff"',
    b'"a\x00b\\u0000"',
    b'"' + b"x" * 50_000 + b'"',
    b'{"a": [null, {"b": "\xe9"}]}',
    b"[" * 3000 + b"]" * 3000,
    b'{"a":' * 3000 + b"0" + b"}" * 3000,
    b"true",
    b"[1, null, [], {}, 1e-999]",
]


def _json_lines(draw: random.Random) -> bytes:
    lines = []
    for number in range(ROWS):
        row = json.dumps(_person(number) | {"emails": [_person(number)["email"]]}).encode()
        field = draw.choice(["jobTitle", "updateDate", "location", "phones", "tags", "education", "unknown"])
        lines.append(b'%s, "%s": %s}' % (row[:-1], field.encode(), draw.choice(_JSON_VALUES)))
    return b"\n".join(lines) + b"\n"


_CELLS = [
    "\udcff\udcfe",
    "a\0b",
    "long text " * 1_001,
    "9" * 6000,
    "1e999",
    "NaN",
    '"',
    "[" * 3000,
    "0000-00-00",
    "\u2028",
    "=1+1",
]


def _csv(draw: random.Random) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*_person(0), *_FIELDS])
    for number in range(ROWS):
        writer.writerow([*_person(number).values(), *(draw.choice(_CELLS) for _ in _FIELDS)])
    return text.getvalue().encode(errors="surrogateescape")


# --- Parquet ---


def _of(kind: pa.DataType) -> Callable[[random.Random], pa.Array]:
    """Return a column of any values representable in this many bits."""
    bits = kind.bit_width

    def make(draw: random.Random) -> pa.Array:
        numbers = [
            draw.randint(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) >> draw.randrange(bits) for _ in range(ROWS)
        ]
        return pa.array(numbers, {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[bits]).view(
            kind
        )

    return make


def _bytes(draw: random.Random) -> pa.Array:
    return pa.array([draw.randbytes(4) for _ in range(ROWS)])


def _listed(column: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(range(ROWS + 1), column)


PARQUET_COLUMNS: list[Callable[[random.Random], pa.Array]] = [
    *map(_of, [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]),
    *map(_of, [pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.time32("ms")]),
    *map(_of, [pa.time64(unit) for unit in ("us", "ns")]),
    *map(_of, [pa.timestamp(unit) for unit in ("ms", "us", "ns")]),
    *map(_of, [pa.timestamp("us", "Europe/Paris"), pa.timestamp("ns", "No/Where"), pa.duration("ns")]),
    _bytes,
    lambda draw: _bytes(draw).view(pa.string()),
    lambda draw: _bytes(draw).cast(pa.large_binary()),
    lambda draw: _bytes(draw).view(pa.string()).dictionary_encode(),
    lambda draw: pa.array([draw.randbytes(16) for _ in range(ROWS)], pa.binary(16)),
    lambda draw: pa.array([draw.randbytes(16) for _ in range(ROWS)], pa.binary(16)).cast(pa.uuid()),
    lambda draw: pa.array([draw.random() < 0.5 for _ in range(ROWS)]),
    lambda draw: pa.nulls(ROWS),
    lambda draw: pa.array([draw.randrange(10**9) for _ in range(ROWS)]).cast(pa.decimal128(38, 5)),
    lambda draw: pa.array([draw.randrange(10**9) for _ in range(ROWS)]).cast(pa.decimal256(76, 9)),
    lambda draw: _listed(_bytes(draw).view(pa.string())),
    lambda draw: _listed(_listed(_of(pa.timestamp("ns"))(draw))).cast(pa.large_list(pa.list_(pa.timestamp("ns")))),
    lambda draw: pa.FixedSizeListArray.from_arrays(_of(pa.date32())(draw), 1),
    lambda draw: pa.StructArray.from_arrays([_bytes(draw).view(pa.string()), _of(pa.time64("ns"))(draw)], ["a", "b"]),
    lambda draw: pa.MapArray.from_arrays(range(ROWS + 1), _bytes(draw).view(pa.string()), _of(pa.date32())(draw)),
]  # fmt: skip
"""One for each type that Parquet can hold."""


def parquet_file(folder: Path, number: int) -> DamagedFile:
    """Write a whole file with all optional fields as columns of one type."""
    path = folder / f"type{number}.parquet"
    path.write_bytes(_parquet(random.Random(number), [PARQUET_COLUMNS[number]]))
    return DamagedFile(path, whole=True)


def _parquet(
    draw: random.Random, kinds: list[Callable[[random.Random], pa.Array]] = PARQUET_COLUMNS
) -> bytes:
    people = [_person(number) for number in range(ROWS)]
    columns = {name: [person[name] for person in people] for name in people[0]}
    table = pa.table(columns | {field: draw.choice(kinds)(draw) for field in _FIELDS})
    written = io.BytesIO()
    pq.write_table(table, written, row_group_size=5, compression=draw.choice(["none", "snappy", "zstd"]))
    return written.getvalue()
