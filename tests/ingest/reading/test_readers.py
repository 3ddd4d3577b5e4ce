"""Rows of files in every format, plain and gzipped, whole and broken."""

import gzip
import random
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.ingest.reading.lines import MAX_LINE
from firmograph.ingest.reading.readers import RawRow, open_rows
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database


def written(tmp_path: Path, name: str, content: bytes | str) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_of(path: Path) -> list[RawRow]:
    with open_rows(path) as rows:
        return list(rows)


def columns_of(path: Path) -> list[str] | None:
    with open_rows(path) as rows:
        return rows.columns


# --- JSON Lines ---


def test_each_line_of_json_lines_is_a_row_under_its_line_number(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"a":1}\n\n  \r\n{"b":2}\r\n{"c":3}')
    assert [(row.line, row.value and row.value.strip()) for row in rows_of(path)] == [
        (1, b'{"a":1}'),
        (4, b'{"b":2}'),
        (5, b'{"c":3}'),
    ]
    assert columns_of(path) is None


def test_a_byte_order_mark_is_not_part_of_the_first_line(tmp_path):
    path = written(tmp_path, "a.jsonl", b'\xef\xbb\xbf{"a":1}\n')
    assert rows_of(path)[0].value == b'{"a":1}\n'


def test_a_line_over_one_mebibyte_is_a_row_with_a_problem_and_reading_continues(tmp_path):
    path = written(tmp_path, "a.jsonl", b'{"a":1}\n' + b"x" * (3 * MAX_LINE) + b'\n{"b":2}\n')
    rows = rows_of(path)
    assert [row.line for row in rows] == [1, 2, 3]
    assert rows[1].value is None
    assert "longer than 1,048,576 bytes" in rows[1].problem
    assert rows[2] == RawRow(3, b'{"b":2}\n')


def test_a_line_of_exactly_one_mebibyte_is_read(tmp_path):
    path = written(tmp_path, "a.jsonl", b"x" * MAX_LINE + b"\n{}\n")
    assert [row.problem for row in rows_of(path)] == ["", ""]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "A.JSONL.GZ", "a.ndjson", "a.json", "a.unknown", "a"])
def test_gzip_and_json_are_recognised_under_any_name(tmp_path, name):
    path = written(tmp_path, name, gzip.compress(b'{"a":1}\n{"b":2}\n'))
    assert [row.value for row in rows_of(path)] == [b'{"a":1}\n', b'{"b":2}\n']


# --- CSV ---


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_divides_the_header(tmp_path, delimiter):
    path = written(tmp_path, "a.csv", f"Name{delimiter}City\nJane{delimiter}Rome\n")
    assert columns_of(path) == ["Name", "City"]
    assert rows_of(path) == [RawRow(2, ["Jane", "Rome"])]


def test_delimiters_inside_quotes_of_the_header_are_ignored(tmp_path):
    path = written(tmp_path, "a.csv", '"a;b;c;d",City\n1,2\n')
    assert columns_of(path) == ["a;b;c;d", "City"]


def test_the_delimiter_that_a_spreadsheet_names_is_used(tmp_path):
    path = written(tmp_path, "a.csv", "sep=;\na,b;c\n1;2\n")
    assert columns_of(path) == ["a,b", "c"]
    assert rows_of(path) == [RawRow(3, ["1", "2"])]


def test_quoted_line_ends_are_kept_and_a_record_is_numbered_by_its_first_line(tmp_path):
    path = written(
        tmp_path, "a.csv", '\ufeffName,About\r\n"Jane","one\r\ntwo ""three"""\r\n\r\n,\r\nBob,x\r\n'
    )
    assert columns_of(path) == ["Name", "About"]
    assert rows_of(path) == [RawRow(2, ["Jane", 'one\r\ntwo "three"']), RawRow(6, ["Bob", "x"])]


def test_a_row_with_more_values_than_columns_is_a_problem_and_one_with_fewer_is_not(tmp_path):
    rows = rows_of(written(tmp_path, "a.csv", "a,b\n1,2,3\n1\n1,2,,\n"))
    assert rows[0].problem == "3 cells under a header of 2"
    assert rows[1:] == [RawRow(3, ["1"]), RawRow(4, ["1", "2", "", ""])]


def test_invalid_utf_8_makes_its_cell_unreadable_and_its_row_stays(tmp_path):
    rows = rows_of(written(tmp_path, "a.csv", b"a,b\nJos\xe9,1\nJos\xc3\xa9,2\n"))
    assert rows == [RawRow(2, [UNREADABLE, "1"]), RawRow(3, ["José", "2"])]


def test_an_overlong_line_is_a_problem_of_its_row_alone(tmp_path):
    long = b'"' + b"x," * MAX_LINE + b'"'
    rows = rows_of(written(tmp_path, "a.csv", b"a,b\n1,2\n" + long + b",1\n3,4\n"))
    assert [(row.line, row.value) for row in rows] == [(2, ["1", "2"]), (3, None), (4, ["3", "4"])]


def test_an_unclosed_quotation_mark_affects_its_line_alone(tmp_path):
    rows = rows_of(written(tmp_path, "a.csv", b'a,b\n"open,2\n' + b"1,2\n" * 60_000))
    assert rows[0] == RawRow(2, ['"open', "2"], is_repaired=True)
    assert len(rows) == 60_001
    assert rows[-1] == RawRow(60_002, ["1", "2"])


def test_csv_may_be_gzipped(tmp_path):
    path = written(tmp_path, "a.csv.gz", gzip.compress(b"a,b\n1,2\n"))
    assert rows_of(path) == [RawRow(2, ["1", "2"])]


def test_an_empty_file_has_no_rows(tmp_path):
    assert rows_of(written(tmp_path, "a.csv", "")) == []
    assert rows_of(written(tmp_path, "a.jsonl", "")) == []


# --- Parquet ---


def parquet(tmp_path: Path, table: pa.Table) -> Path:
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, row_group_size=2)
    return path


def test_parquet_rows_are_plain_values_with_their_row_number(tmp_path):
    table = pa.table(
        {
            "name": ["Jane", None, "Bob"],
            "when": [date(2024, 5, 6), None, date(2023, 1, 2)],
            "paid": pa.array([Decimal("1.50"), None, Decimal("2.00")]),
            "raw": pa.array([b"caf\xc3\xa9", b"\xff", None]),
            "emails": [[{"email": "a@x.example.com"}], [], None],
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        }
    )
    path = parquet(tmp_path, table)
    assert columns_of(path) == ["name", "when", "paid", "raw", "emails", "kind"]
    assert rows_of(path) == [
        RawRow(1, ["Jane", "2024-05-06", "1.50", "café", [{"email": "a@x.example.com"}], "x"]),
        RawRow(2, [None, None, None, UNREADABLE, [], "y"]),
        RawRow(3, ["Bob", "2023-01-02", "2", None, None, "x"]),
    ]


def of_numbers(kind: pa.DataType, *numbers: int) -> pa.Array:
    """Return a column of values that Python itself may be unable to represent."""
    return pa.array(numbers, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        (pa.array([b"Jane", b"\xff"]).view(pa.string()), ["Jane", UNREADABLE]),
        (pa.array([b"Jane", b"\xff"]).view(pa.string()).dictionary_encode(), ["Jane", UNREADABLE]),
        (pa.array([b"\xff\xff", b"ab"], pa.binary(2)), [UNREADABLE, "ab"]),
        (pa.array([1.5, float("nan"), float("inf")]), [1.5, None, UNREADABLE]),
        (of_numbers(pa.date32(), 0, 2**31 - 1), ["1970-01-01", "5881580-07-11"]),
        (of_numbers(pa.date64(), 0, 2**50 // 86_60_000 * 86_60_000), ["1970-01-01", "37648-05-06"]),
        (of_numbers(pa.timestamp("s"), 0, 2**40), ["1970-01-01T00:00:00.000", "36812-02-20T00:36:16.000"]),
        (of_numbers(pa.timestamp("ns"), 1, 10**9), ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:01.000000000"]),
        (of_numbers(pa.timestamp("ns", "Europe/Paris"), 1), ["1970-01-01T00:00:00.000000001Z"]),
        (of_numbers(pa.timestamp("us", "No/Where"), 1), ["1970-01-01T00:00:00.000001Z"]),
        (of_numbers(pa.time32("ms"), 3661_000, 2**31 - 1), ["01:01:01.000", UNREADABLE]),
        (of_numbers(pa.time64("ns"), 1, -1), ["00:00:00.000000001", UNREADABLE]),
        (of_numbers(pa.duration("ns"), 1, -(10**9)), ["PT0.000000001S", "-PT1.000000000S"]),
        (
            pa.ListArray.from_arrays([0, 2, 3], pa.array([b"\xff", b"a", b"b"]).view(pa.string())),
            [[UNREADABLE, "a"], ["b"]],
        ),
        (
            pa.StructArray.from_arrays([of_numbers(pa.timestamp("ns"), 1)], ["at"]),
            [{"at": "1970-01-01T00:00:00.000000001"}],
        ),
        (pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())), [[{"key": "k", "value": 1}], []]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)  # fmt: skip
def test_an_unrepresentable_parquet_cell_affects_no_other_cell(tmp_path, column, cells):
    path = parquet(tmp_path, pa.table({"cell": column}))
    assert [row.value for row in rows_of(path)] == [[cell] for cell in cells]


def test_parquet_may_be_gzipped_and_have_any_name(tmp_path):
    path = parquet(tmp_path, pa.table({"name": ["Jane"]}))
    zipped = written(tmp_path, "b.bin", gzip.compress(path.read_bytes()))
    assert rows_of(zipped) == [RawRow(1, ["Jane"])]


# --- unreadable files ---


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlsx", b"PK\x03\x04rest", "damaged"),
        ("a.jsonl.zst", b"\x28\xb5\x2f\xfdrest", "gzip"),
        ("a.dat", b"\x01\x00\x02\x00", "none of JSON Lines, CSV, Parquet and Excel workbooks"),
        ("a.parquet", b"PAR1 and nothing more", "damaged"),
        ("a.jsonl.gz", b"\x1f\x8bnonsense", "damaged"),
        ("a.csv.gz", gzip.compress(random.Random(1).randbytes(5000))[:-2000], "damaged"),
        ("a.parquet.gz", gzip.compress(b"PAR1" + random.Random(1).randbytes(5000))[:-2000], "damaged"),
    ],
)
def test_an_unreadable_file_is_refused_with_what_to_do(tmp_path, name, content, message):
    path = written(tmp_path, name, content)
    with pytest.raises(Refused, match=message) as refusal:
        open_rows(path)
    assert name in refusal.value.message


def test_a_missing_file_and_a_directory_are_refused(tmp_path):
    with pytest.raises(Refused, match="does not exist"):
        open_rows(tmp_path / "no.csv")
    with pytest.raises(Refused, match="directory"):
        open_rows(tmp_path)


def test_a_truncated_gzip_file_gives_its_rows_and_then_is_refused(tmp_path):
    lines = b"".join(b'{"n":%d,"x":"%x"}\n' % (n, hash((n, n))) for n in range(20_000))
    path = written(tmp_path, "a.jsonl.gz", gzip.compress(lines)[:-3000])
    lines = []
    with open_rows(path) as rows, pytest.raises(Refused, match="damaged after line"):
        lines.extend(row.line for row in rows)
    assert lines == list(range(1, len(lines) + 1))
    assert len(lines) > 100


def test_progress_grows_to_the_size_of_the_file(tmp_path):
    path = written(tmp_path, "a.jsonl.gz", gzip.compress(b'{"a":1}\n' * 50_000))
    with open_rows(path) as rows:
        assert rows.bytes_total == path.stat().st_size
        assert len(list(rows)) == 50_000
        assert rows.bytes_read() == rows.bytes_total


@given(content=st.binary(max_size=300), ending=st.sampled_from([".jsonl", ".csv", ".txt", ".parquet", ".gz"]))
def test_any_bytes_give_rows_or_a_refusal(tmp_path_factory, content, ending):
    path = tmp_path_factory.getbasetemp() / f"any{ending}"
    path.write_bytes(content)
    try:
        rows = rows_of(path)
    except Refused:
        return
    assert all(bool(row.problem) == (row.value is None) for row in rows)
    assert [row.line for row in rows] == sorted({row.line for row in rows})
