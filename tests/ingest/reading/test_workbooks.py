"""Excel workbooks and ZIP archives as files of rows. All people are made up."""

import gzip
import io
import random
import zipfile
from datetime import date, datetime, time
from pathlib import Path

import pytest
from openpyxl import Workbook

from firmograph.ingest.reading import compression, sheet_rows, workbook
from firmograph.ingest.reading.readers import AUTODETECT, RawRow, ReadOptions, open_rows
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"
HEADER = ["Full Name", "Phone", "Last Updated"]
JANE = ["Jane Doe", "+1 202 555 0101", "2025-01-02"]


def workbook_of(*rows: list[object], sheet: str = "People", more: str = "") -> bytes:
    book = Workbook()
    assert book.active is not None
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    if more:
        book.create_sheet(more).append(["Name"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def archive(members: "dict[str, bytes | str]") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out.getvalue()


def changed(content: bytes, part: str, change: "dict[bytes, bytes]") -> bytes:
    """Return a workbook with a text of a part replaced by another."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            for before, after in change.items() if name == part else ():
                assert before in data
                data = data.replace(before, after, 1)
            new.writestr(name, data)
    return out.getvalue()


def written(tmp_path: Path, content: bytes, name: str = "people.xlsx") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def rows_of(path: Path, reading: ReadOptions = AUTODETECT) -> list[RawRow]:
    with open_rows(path, reading) as rows:
        return list(rows)


def test_cells_are_read_as_a_person_sees_them(tmp_path):
    cells = [
        *(date(2025, 1, 2), datetime.fromisoformat("2025-01-02T03:04"), time(5, 6)),
        *(12025550101, 12025550101.0, 0.5, True),
        *("0012", "#N/A", None, "=1+1"),
    ]
    path = written(tmp_path, workbook_of([f"c{n}" for n in range(len(cells))], cells))
    assert rows_of(path) == [
        RawRow(
            2,
            [
                *("2025-01-02", "2025-01-02T03:04:00", "05:06:00", 12025550101, 12025550101, 0.5, True),
                *("0012", UNREADABLE, None, UNREADABLE),
            ],
        )
    ]


def test_empty_rows_are_skipped_and_rows_keep_their_numbers(tmp_path):
    path = written(tmp_path, workbook_of([], HEADER, [], JANE, [None, ""], ["Bob Roe"]))
    assert rows_of(path) == [RawRow(4, JANE), RawRow(6, ["Bob Roe", None, None])]
    with open_rows(path) as rows:
        assert (rows.columns, rows.format, rows.options.sheet) == (HEADER, "Excel workbook", "People")


def test_the_first_sheet_is_read_unless_another_one_is_named(tmp_path):
    path = written(tmp_path, workbook_of(HEADER, JANE, more="Other"))
    assert len(rows_of(path)) == 1
    with open_rows(path, ReadOptions(sheet="Other")) as rows:
        assert rows.columns == ["Name"]
    with pytest.raises(Refused, match="has no sheet 'Third'; it has: People, Other"):
        open_rows(path, ReadOptions(sheet="Third"))


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: archive({"people.xlsx": content})])
def test_a_workbook_may_be_in_an_archive(tmp_path, pack):
    assert rows_of(written(tmp_path, pack(workbook_of(HEADER, JANE)), "a.bin")) == [RawRow(2, JANE)]


def test_the_only_file_of_a_zip_archive_is_read(tmp_path):
    csv, jsonl = b"Full Name\nJane Doe\n", b'{"fullName": "Jane Doe"}\n'
    path = written(tmp_path, archive({"people.csv": csv}), "a.zip")
    assert rows_of(path) == [RawRow(2, ["Jane Doe"])]
    assert rows_of(written(tmp_path, archive({"people.jsonl": jsonl}), "b.zip")) == [RawRow(1, jsonl)]


@pytest.mark.parametrize(
    "name",
    [
        "__MACOSX/people.csv",
        "__MACOSX/export/._people.csv",
        "export/__MACOSX/._people.csv",
        "._people.csv",
        "export/.DS_Store",
        "Thumbs.db",
        "export/desktop.ini",
    ],
)
def test_files_that_a_system_adds_to_an_archive_do_not_count(tmp_path, name):
    content = archive({name: "resources", "export/people.csv": "Full Name\nJane Doe\n"})
    assert rows_of(written(tmp_path, content, "a.zip")) == [RawRow(2, ["Jane Doe"])]


def test_an_archive_packed_by_macos_is_read():
    assert [row.line for row in rows_of(CASES / "macosx.zip")] == [2, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (archive({"a.csv": "a\n", "b.csv": "a\n"}), "holds 2 files"),
        (archive({}), "holds 0 files"),
        (archive({"a.csv.gz": gzip.compress(b"a\n")}), "packed twice"),
        (archive({"a.zip": archive({"a.csv": "a\n"})}), "packed twice"),
        (archive({"xl/workbook.bin": ""}), "binary Excel workbook"),
        (archive({"mimetype": "", "content.xml": ""}), "OpenDocument"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", r"old Excel workbook \(\.xls\).*save it as \.xlsx"),
        (archive({"a.csv": random.Random(1).randbytes(5000)})[:-40], "damaged"),
        (workbook_of(HEADER, JANE)[:-100], "damaged"),
        (archive({"[Content_Types].xml": "<a/>", "xl/workbook.xml": "<a/>"}), "damaged"),
    ],
)  # fmt: skip
def test_anything_but_one_readable_file_is_refused_in_a_line(tmp_path, content, message):
    with pytest.raises(Refused, match=message) as refusal:
        rows_of(written(tmp_path, content, "a.zip"))
    assert "\n" not in refusal.value.message


def test_a_protected_archive_is_refused(tmp_path):
    content = bytearray(archive({"a.csv": "a\n"}))
    content[6] |= 1  # the encryption flag in the member's own header and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Refused, match="protected by a password"):
        open_rows(written(tmp_path, bytes(content), "a.zip"))


def test_entities_of_xml_are_refused(tmp_path):
    bomb = b'<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet'
    content = changed(workbook_of(HEADER, JANE), "xl/worksheets/sheet1.xml", {b"<worksheet": bomb})
    with pytest.raises(Refused, match="damaged"):
        rows_of(written(tmp_path, content))


def test_an_impossible_row_number_is_refused_without_filling_the_gap(tmp_path):
    rows = workbook_of(HEADER, JANE)
    content = changed(rows, "xl/worksheets/sheet1.xml", {b'<row r="2">': b'<row r="99999999999">'})
    with pytest.raises(Refused, match="no sheet of Excel"):
        rows_of(written(tmp_path, content))


def test_memory_use_is_bounded(tmp_path, monkeypatch):
    path = written(tmp_path, workbook_of(HEADER, JANE, ["Bob Roe" * 100]))
    monkeypatch.setattr(sheet_rows, "_MAX_ROW_BYTES", 200)
    with pytest.raises(Refused, match="no sheet of Excel"):
        rows_of(path)
    monkeypatch.setattr(workbook, "_MAX_IN_MEMORY", 200)
    with pytest.raises(Refused, match="too large"):
        open_rows(path)


def test_the_unpacked_size_on_disk_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "_MAX_ON_DISK", 1000)
    with pytest.raises(Refused, match="unpack it first"):
        open_rows(written(tmp_path, gzip.compress(workbook_of(HEADER, JANE)), "a.gz"))


def test_options_that_do_not_apply_to_a_file_are_refused(tmp_path):
    path = written(tmp_path, workbook_of(HEADER, JANE))
    with pytest.raises(Refused, match="leave out --encoding"):
        open_rows(path, ReadOptions(encoding="cp1252"))
    with pytest.raises(Refused, match="leave out --sheet"):
        open_rows(written(tmp_path, b"a\n", "a.csv"), ReadOptions(sheet="People"))
