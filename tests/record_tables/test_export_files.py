"""Exported files, read back by the standard library, by a spreadsheet's rules for formulas, pyarrow and openpyxl."""

import csv
import io
import json
import tracemalloc
from typing import NamedTuple

import openpyxl
import pyarrow as pa
import pytest
from openpyxl.utils.escape import unescape
from pyarrow import parquet
from spreadsheet_rules import is_evaluated

from effort import THOROUGH
from firmograph.kit.errors import Refused
from firmograph.kit.table_files import formats, parquet_file
from firmograph.kit.table_files.formats import FileFormat, write_rows
from firmograph.record_tables.export.layout import ExportColumn, ExportLayout, ExportRow

pytestmark = pytest.mark.any_database

COLUMNS = [
    ExportColumn("Full name", "string"),
    ExportColumn("Founded", "number"),
    ExportColumn("Tags", "object"),
]


class Cell(NamedTuple):
    status: str
    value: bytes | None = None


def cell(value):
    return Cell("success", json.dumps(value).encode())


def row(number, *values):
    return ExportRow(
        f"id{number}", [cell(value) if value is not None else Cell("no_data") for value in values]
    )


def write(out, format, columns, rows, *, with_status=False, raw=False):
    layout = ExportLayout(columns, with_status=with_status)
    write_rows(out, FileFormat(format), layout.columns, map(layout.row, rows), raw=raw)


def written(format, columns, rows, **options):
    out = io.BytesIO()
    write(out, format, columns, rows, **options)
    return out.getvalue()


@pytest.fixture
def sheet(tmp_path):
    """Return the rows of a workbook with some rows, as cells of openpyxl."""

    def read(columns, rows, **options):
        with (tmp_path / "rows.xlsx").open("wb") as out:
            write(out, "xlsx", columns, rows, **options)
        assert [path.name for path in tmp_path.iterdir()] == ["rows.xlsx"]
        return list(openpyxl.load_workbook(tmp_path / "rows.xlsx").active.rows)

    return read


def values(cells):
    return [cell.value for cell in cells]


def csv_rows(columns, rows, **options):
    return list(csv.reader(io.StringIO(written("csv", columns, rows, **options).decode(), newline="")))


def csv_text(text, **options):
    """Return the only cell of a file with this text."""
    return csv_rows([ExportColumn("Name", "string")], [row(1, text)], **options)[1][1]


def parquet_table(columns, rows, **options):
    return parquet.read_table(io.BytesIO(written("parquet", columns, rows, **options)))


def test_ids_come_first_and_columns_have_the_names_that_are_shown():
    assert csv_rows(COLUMNS, [row(7, "Ann Roe", 1998, [])])[0] == ["id", "Full name", "Founded", "Tags"]
    assert parquet_table(COLUMNS, []).column_names == ["id", "Full name", "Founded", "Tags"]
    (line,) = written("jsonl", COLUMNS, [row(7, "Ann Roe", 1998, [])]).splitlines()
    assert list(json.loads(line)) == ["id", "Full name", "Founded", "Tags"]


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_columns_of_one_name_are_told_apart_letter_case_aside(format):
    columns = [ExportColumn(name, "string") for name in ("Name", "name", "ID", "name 2", "Name")]
    content = written(format, columns, [row(1, "a", "b", "c", "d", "e")])
    expected = ["id", "Name", "name 2", "ID 2", "name 2 2", "Name 3"]
    if format == "csv":
        names = next(csv.reader(io.StringIO(content.decode())))
    elif format == "jsonl":
        names = list(json.loads(content))
    else:
        names = parquet.read_schema(io.BytesIO(content)).names
    assert names == expected


def test_statuses_follow_their_columns_on_demand():
    rows = [ExportRow("x", [Cell("processing", b'"old"'), Cell("failed"), Cell("not_run")])]
    assert csv_rows(COLUMNS, rows, with_status=True) == [
        ["id", "Full name", "Full name status", "Founded", "Founded status", "Tags", "Tags status"],
        ["x", "old", "processing", "", "failed", "", "not_run"],
    ]
    assert parquet_table(COLUMNS, rows, with_status=True).to_pylist() == [
        {
            "id": "x",
            "Full name": "old",
            "Full name status": "processing",
            "Founded": None,
            "Founded status": "failed",
            "Tags": None,
            "Tags status": "not_run",
        }
    ]


# --- CSV ---


def test_a_list_of_plain_values_is_joined_in_csv():
    assert csv_rows([ExportColumn("Tags", "object")], [row(1, ["a, b", 'say "c"', 3, True])])[1] == [
        "id1",
        'a, b; say "c"; 3; true',
    ]


@pytest.mark.parametrize("value", [{"min": 1, "max": 5}, [{"name": "A;B"}], [[1], [2]], {"text": 'a "b"\n'}])
def test_objects_are_json_in_csv(value):
    assert json.loads(csv_text(value)) == value


@pytest.mark.parametrize("text", ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b", "ä €", "", " a ", "01234"])
def test_any_text_is_read_back_from_csv(text):
    assert csv_text(text) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "+1-555-0100", "=", "-x", "+"]
)
def test_a_text_that_a_spreadsheet_would_evaluate_is_made_harmless(text):
    assert is_evaluated(text)
    assert csv_text(text) == f"'{text}"
    assert not is_evaluated(csv_text(text))
    assert csv_text(text, raw=True) == text


@pytest.mark.parametrize(
    "text", ["+491701234567", "+1415555010012", "-5", "-12.75", "+3", "a=b", "'=1", "1-2"]
)
def test_telephone_numbers_figures_and_other_texts_stay_as_they_are(text):
    assert csv_text(text) == text


@pytest.mark.parametrize("text", ["+49 170 1234567", "-1-1", "-", "+٤٩١٧٠١٢٣٤", "+1.2.3"])
def test_what_only_resembles_a_telephone_number_or_figure_is_made_harmless(text):
    assert csv_text(text) == f"'{text}"


def test_a_joined_list_that_begins_as_a_formula_is_made_harmless():
    assert csv_text(["=A1", "b"]) == "'=A1; b"


def test_headings_are_made_harmless_too():
    columns = [ExportColumn("=cmd()", "string")]
    assert csv_rows(columns, [], with_status=True) == [["id", "'=cmd()", "'=cmd() status"]]
    assert csv_rows(columns, [], raw=True) == [["id", "=cmd()"]]


def test_lines_of_csv_end_with_lf():
    assert written("csv", [ExportColumn("Name", "string")], [row(1, "a\rb")]) == b'id,Name\nid1,"a\rb"\n'


# --- JSON Lines and Parquet ---


def test_values_are_as_they_are_in_json_lines():
    value = [{"name": "=1+1", "share": 0.25}]
    lines = written("jsonl", COLUMNS, [row(1, "=1+1", 7, value), row(2, None, None, None)]).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"id": "id1", "Full name": "=1+1", "Founded": 7, "Tags": value},
        {"id": "id2", "Full name": None, "Founded": None, "Tags": None},
    ]


def test_texts_numbers_and_objects_are_read_back_from_parquet():
    value = {"list": [1, "two", None], "figure": 2**53}
    table = parquet_table(
        COLUMNS, [row(1, "=1+1", 1998, value), row(2, "", 0.5, []), row(3, None, None, None)]
    )
    assert table.schema.types == [pa.string(), pa.string(), pa.float64(), pa.json_()]
    assert table["Full name"].to_pylist() == ["=1+1", "", None]
    assert table["Founded"].to_pylist() == [1998.0, 0.5, None]
    assert [text and json.loads(text) for text in table["Tags"].to_pylist()] == [value, [], None]


def test_a_number_in_a_column_of_texts_is_text_in_parquet():
    assert parquet_table([ExportColumn("Code", "string")], [row(1, 12)])["Code"].to_pylist() == ["12"]


def test_a_table_without_rows_is_a_whole_file():
    assert csv_rows(COLUMNS, []) == [["id", "Full name", "Founded", "Tags"]]
    assert written("jsonl", COLUMNS, []) == b""
    assert parquet_table(COLUMNS, []).num_rows == 0


# --- Excel ---


def test_texts_numbers_and_objects_are_read_back_from_excel(sheet):
    value = {"list": [1, "two"]}
    head, *rows = sheet(
        COLUMNS, [row(1, "Ann", 1998, value), row(2, None, 0.5, ["a", "b"]), row(3, "", True, 2**60)]
    )
    assert values(head) == ["id", "Full name", "Founded", "Tags"]
    assert [values(cells) for cells in rows] == [
        ["id1", "Ann", 1998, '{"list": [1, "two"]}'],
        ["id2", None, 0.5, "a; b"],
        ["id3", None, True, str(2**60)],
    ]


@pytest.mark.parametrize(
    "text", ["=1+1", "@SUM(A1)", "-2+3", "+1-555-0100", "https://a.example", "01234", "_x0041_", "a\x01b"]
)
def test_any_text_is_a_text_in_excel(sheet, text):
    columns = [ExportColumn("Name", "string")]
    for raw in (False, True):
        cell = sheet(columns, [row(1, text)], raw=raw)[1][1]
        assert (cell.data_type, unescape(cell.value), cell.hyperlink) == ("s", text, None)
        assert cell.quotePrefix == (is_evaluated(text) and not raw)


def test_excel_takes_no_more_rows_than_a_sheet_has(sheet, monkeypatch):
    monkeypatch.setattr(formats, "EXCEL_ROWS", 2)
    assert len(sheet(COLUMNS, many(2))) == 3
    with pytest.raises(Refused, match="Excel holds 2 rows below the header, and these are 3; choose CSV"):
        formats.check_row_count(FileFormat.EXCEL, 3)
    with pytest.raises(Refused, match="Excel holds 2 rows"):
        sheet(COLUMNS, many(3))


# --- size ---


def many(count):
    return (row(number, f"Person {number}", number, ["a", number]) for number in range(count))


def test_each_format_has_as_many_rows_as_the_table():
    count = 50_000 if THOROUGH else 5_001
    assert len(csv_rows(COLUMNS, many(count))) == count + 1
    lines = written("jsonl", COLUMNS, many(count)).splitlines()
    assert [json.loads(line)["Founded"] for line in lines] == list(range(count))
    table = parquet_table(COLUMNS, many(count))
    assert table["id"].to_pylist() == [f"id{number}" for number in range(count)]


def test_row_groups_of_parquet_are_bounded_by_rows_and_by_bytes(monkeypatch):
    def groups(rows):
        found = parquet.ParquetFile(io.BytesIO(written("parquet", COLUMNS, rows))).metadata
        return [found.row_group(index).num_rows for index in range(found.num_row_groups)]

    assert groups(many(5_000)) == [2_000, 2_000, 1_000]
    monkeypatch.setattr(parquet_file, "MOST_BYTES", 1_000)
    assert groups(row(number, "x" * 400, None, None) for number in range(7)) == [3, 3, 1]


class _Discarded(io.RawIOBase):
    """File that keeps nothing, and has no position, as a pipe."""

    def write(self, content):
        return len(content)

    def tell(self):
        raise OSError("a pipe has no position")


@pytest.mark.parametrize("format", FileFormat)
def test_memory_does_not_grow_with_the_rows(format, monkeypatch, tmp_path):
    monkeypatch.setattr(parquet_file, "MOST_ROWS", 100)

    def peak(count):
        tracemalloc.start()
        try:
            with (tmp_path / "rows").open("wb") if format == "xlsx" else _Discarded() as out:
                write(out, format, COLUMNS, many(count), with_status=True)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)
    assert peak(2_000) < 1.5 * peak(400)
