"""Sheets of workbooks: which one is read, merged cells, formulas. All people are made up."""

import io
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from firmograph.cli.given_rows import open_given_rows
from firmograph.ingest.preview import preview_file
from firmograph.ingest.reading import sheet_rows
from firmograph.ingest.reading.mapping import NO_MAPPING
from firmograph.ingest.reading.readers import AUTODETECT, ReadOptions, open_rows
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity
from prepared_files import PreparedFile, prepare

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"
PEOPLE = [["First Name", "Last Name", "Email"], ["Ada", "Lowe", "ada@nordhafen.example"]]
COMPANIES = [["Company Name", "Website"], ["Nordhafen", "nordhafen.example"]]
COVER = [["Export of contacts"], ["Created by CRM on 2026-03-04"]]
VALUES = [["Mobile"], ["Work"]]


def write_sheets(path: Path, *sheets: "tuple[str, list[list[str]], str]") -> Path:
    book = Workbook()
    assert book.active is not None
    book.remove(book.active)
    for name, rows, state in sheets:
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def read_as_contacts(path: Path) -> "tuple[str, list[str]]":
    """Return the sheet that an import of contacts reads, and the others."""
    preview = preview_file(Entity.CONTACT, path, NO_MAPPING, AUTODETECT).preview
    return preview.sheet or "", preview.other_sheets


# --- choice of the sheet ---


@pytest.mark.parametrize(
    "before",
    [
        ("lists", PEOPLE, "hidden"),
        ("lists", PEOPLE, "veryHidden"),
        ("Read me", COVER, "visible"),
        ("Empty", [], "visible"),
        ("Values", VALUES, "visible"),
        ("Companies", COMPANIES, "visible"),
    ],
    ids=lambda sheet: f"{sheet[0]} {sheet[2]}",
)
def test_the_first_visible_sheet_that_has_the_columns_is_read(tmp_path, before):
    later = ("More", PEOPLE, "visible")
    path = write_sheets(tmp_path / "a.xlsx", before, ("Contacts", PEOPLE, "visible"), later)
    name = before[0] if before[2] == "visible" else f"{before[0]} (hidden)"
    assert read_as_contacts(path) == ("Contacts", [name, "More"])


def test_the_columns_depend_on_what_is_imported(tmp_path):
    path = write_sheets(tmp_path / "a.xlsx", ("People", PEOPLE, "visible"), ("Firms", COMPANIES, "visible"))
    assert preview_file(Entity.COMPANY, path, NO_MAPPING, AUTODETECT).preview.sheet == "Firms"
    with open_given_rows(path, Entity.COMPANY) as given:
        assert [row.identifiers for row in given.rows] == [
            {"name": "Nordhafen", "domain": "nordhafen.example"}
        ]


def test_a_sheet_that_is_named_is_read_even_if_it_is_hidden(tmp_path):
    path = write_sheets(tmp_path / "a.xlsx", ("lists", PEOPLE, "hidden"), ("Contacts", PEOPLE, "visible"))
    with open_rows(path, ReadOptions(sheet="lists")) as rows:
        assert (rows.options.sheet, rows.other_sheets) == ("lists", ["Contacts"])


def test_without_any_sheet_that_fits_the_first_with_known_columns_is_named(tmp_path):
    path = write_sheets(
        tmp_path / "a.xlsx", ("Read me", COVER, "visible"), ("Firms", [["Website"], ["a.example"]], "visible")
    )
    preview = preview_file(Entity.CONTACT, path, NO_MAPPING, AUTODETECT).preview
    assert preview.sheet == "Firms"
    assert "no column names a contact" in (preview.problem or "")


@pytest.mark.parametrize(
    ("name", "others"), [("hidden.xlsx", ["lists (hidden)"]), ("cover.xlsx", ["Read me"])]
)
def test_hidden_and_cover_sheets_are_passed_over(name, others):
    assert read_as_contacts(CASES / name) == ("Contacts", others)


# --- merged cells ---


def with_merged(path: Path, *ranges: str, rows: "list[list[object]] | None" = None) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows or [
        ["Company", "City", "Full Name"],
        ["Nordhafen", "Kiel", "Ada Lowe"],
        [None, None, "Ben Hart"],
        [None, "Bonn", "Cy Orr"],
        ["Sudhafen", None, "Dee Poe"],
    ]:
        sheet.append(row)
    for one in ranges:
        sheet.merge_cells(one)
    book.save(path)
    return path


def cells_of(path: Path) -> "list[list[object]]":
    with open_rows(path) as rows:
        return [row.value for row in rows if isinstance(row.value, list)]


@pytest.mark.parametrize(
    ("ranges", "companies", "cities"),
    [
        (["A2:A4"], ["Nordhafen", "Nordhafen", "Nordhafen", "Sudhafen"], ["Kiel", None, "Bonn", None]),
        (["A2:A4", "B2:B3"], ["Nordhafen"] * 3 + ["Sudhafen"], ["Kiel", "Kiel", "Bonn", None]),
        (["B4:B5"], ["Nordhafen", None, None, "Sudhafen"], ["Kiel", None, "Bonn", "Bonn"]),
        (["A1:A3"], [None, None, None, "Sudhafen"], ["Kiel", None, "Bonn", None]),
        (["A2:B3"], ["Nordhafen", None, None, "Sudhafen"], [None, None, "Bonn", None]),
        (["B2:C2"], ["Nordhafen", None, None, "Sudhafen"], ["Kiel", None, "Bonn", None]),
    ],
)
def test_a_cell_merged_down_a_column_has_its_value_in_each_row(tmp_path, ranges, companies, cities):
    found = cells_of(with_merged(tmp_path / "a.xlsx", *ranges))
    assert [row[0] for row in found] == companies
    assert [row[1] for row in found] == cities


def test_rows_with_nothing_but_a_merged_cell_stay_blank(tmp_path):
    rows = [["Company", "Full Name"], ["Nordhafen", "Ada Lowe"], [], [None, None], [None, "Ben Hart"]]
    path = with_merged(tmp_path / "a.xlsx", "A2:A7", rows=rows)
    assert cells_of(path) == [["Nordhafen", "Ada Lowe"], ["Nordhafen", "Ben Hart"]]


def test_merged_cells_count_from_the_header_wherever_it_stands(tmp_path):
    rows = [["Report of 2026"], [], ["Company", "Full Name"], ["Nordhafen", "Ada Lowe"], [None, "Ben Hart"]]
    path = with_merged(tmp_path / "a.xlsx", "A1:A2", "A4:A5", rows=rows)
    assert cells_of(path) == [["Nordhafen", "Ada Lowe"], ["Nordhafen", "Ben Hart"]]


def test_a_bound_on_merged_cells_keeps_memory_small(tmp_path, monkeypatch):
    path = with_merged(tmp_path / "a.xlsx", "A2:A3", "B2:B3")
    monkeypatch.setattr(sheet_rows, "_MAX_MERGED", 1)
    with open_rows(path) as rows, pytest.raises(Refused, match="more than 1 merged cells"):
        list(rows)


# --- formulas ---


def with_formula(path: Path, formula: object, change: "tuple[bytes, bytes]" = (b"", b"")) -> Path:
    book = Workbook()
    assert book.active is not None
    book.active.append(["Full Name", "Company"])
    book.active.append(["Ada Lowe", formula])
    out = io.BytesIO()
    book.save(out)
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(*change) if name == "xl/worksheets/sheet1.xml" else data)
    return path


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ('=HYPERLINK("http://x.example","Nordhafen")', "Nordhafen"),
        ('=HYPERLINK("http://x.example", "The ""Port""")', 'The "Port"'),
        ('=HYPERLINK("http://x.example")', "http://x.example"),
        ('="Nordhafen"', "Nordhafen"),
        ("=HYPERLINK(A1,B1)", UNREADABLE),
        ("=VLOOKUP(A2,Sheet2!A:B,2,0)", UNREADABLE),
        ("=1/0", UNREADABLE),
        (ArrayFormula("B2:B2", "=A1:A1"), UNREADABLE),
    ],
)
def test_a_formula_without_a_result_is_its_own_text_or_unread(tmp_path, formula, value):
    assert cells_of(with_formula(tmp_path / "a.xlsx", formula)) == [["Ada Lowe", value]]


@pytest.mark.parametrize(
    ("result", "value"),
    [(b"<v>4711</v></c>", 4711), (b"<v>4711.0</v></c>", 4711)],
)
def test_a_formula_with_a_result_is_its_result(tmp_path, result, value):
    path = with_formula(tmp_path / "a.xlsx", "=A1+1", (b"<v /></c>", result))
    assert cells_of(path) == [["Ada Lowe", value]]


def test_an_empty_text_is_a_result(tmp_path):
    path = with_formula(tmp_path / "a.xlsx", "=TRIM(A1)", (b'<c r="B2">', b'<c r="B2" t="str">'))
    assert cells_of(path) == [["Ada Lowe", None]]


def unread_of(name: str) -> "tuple[PreparedFile, dict[str, list[int]]]":
    found = prepare(CASES / name)
    return found, found.unread()


def test_formulas_without_results_are_counted_as_unread():
    (rows, rejects, _), unread = unread_of("formulas.xlsx")
    assert [row.get("emails", [{}])[0].get("email") for row in rows] == [
        "ada@nordhafen.example",
        "ben@nordhafen.example",
        "cy@nordhafen.example",
        None,
        "eve@nordhafen.example",
    ]
    assert not rejects
    assert unread == {"Phone": [3, 6], "Title": [4, 5], "Email": [5]}
