"""Notes above a header, footers below the rows, and repeated headers."""

from pathlib import Path

import pytest

from firmograph.ingest.reading.readers import RawRow, open_rows
from firmograph.ingest.reading.table_rows import FOOTER, REPEATED_HEADER

pytestmark = pytest.mark.no_database

HEADER = "First Name,Last Name,Email"
ADA = ["Ada", "Abel", "ada@acme.example"]
BO = ["Bo", "Birk", "bo@acme.example"]


@pytest.fixture
def read(tmp_path: Path):
    def read(text: str) -> tuple[list[str] | None, list[RawRow]]:
        path = tmp_path / "people.csv"
        path.write_text(text)
        with open_rows(path) as rows:
            return rows.columns, list(rows)

    return read


def test_notes_above_the_header_are_skipped_and_lines_are_numbered_as_in_the_file(read):
    columns, rows = read(f'Notes:\n"One, two, three\nand four"\n\n{HEADER}\nAda,Abel,ada@acme.example\n')
    assert columns == HEADER.split(",")
    assert rows == [RawRow(6, ADA)]


def test_an_unclosed_quotation_mark_in_the_notes_loses_no_row(read):
    columns, rows = read(f'Screens of 5" or more\n{HEADER}\nAda,Abel,ada@acme.example\n')
    assert columns == HEADER.split(",")
    assert rows == [RawRow(3, ADA)]


def test_the_first_line_is_the_header_if_no_name_is_known(read):
    columns, rows = read("Spalte,Zeile\nEmail,x\n")
    assert columns == ["Spalte", "Zeile"]
    assert rows == [RawRow(2, ["Email", "x"])]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_sep_line_names_the_delimiter(read, first):
    columns, rows = read(f"{first}\nFirst Name;Company\nAda;A, B, C and D\n")
    assert columns == ["First Name", "Company"]
    assert rows == [RawRow(3, ["Ada", "A, B, C and D"])]


@pytest.mark.parametrize(
    "again",
    [
        HEADER,
        f"\ufeff{HEADER}",
        '\ufeff"First Name","Last Name","Email"',
        " First Name , Last Name , Email ",
        "First\u200b Name,Last Name,Email",
    ],
)
def test_a_repeated_header_is_skipped(read, again):
    _, rows = read(f"{HEADER}\nAda,Abel,ada@acme.example\n{again}\nBo,Birk,bo@acme.example\n")
    assert rows == [RawRow(2, ADA), RawRow(3, None, REPEATED_HEADER, is_skipped=True), RawRow(4, BO)]


@pytest.mark.parametrize("first", ["Bo", '"Bo"'])
def test_a_byte_order_mark_inside_a_file_belongs_to_no_value(read, first):
    _, rows = read(f"{HEADER}\nAda,Abel,ada@acme.example\n\ufeff{first},Birk,bo@acme.example\n")
    assert rows == [RawRow(2, ADA), RawRow(3, BO)]


def test_lines_of_a_footer_are_skipped_with_the_reason(read):
    _, rows = read(
        f'{HEADER}\nAda,Abel,ada@acme.example\n\n"Grand Totals (1 records)"\n\n"Copyright, all rights reserved."\n'
    )
    assert rows == [
        RawRow(2, ADA),
        RawRow(4, None, FOOTER, is_skipped=True),
        RawRow(6, None, FOOTER, is_skipped=True),
    ]


def test_a_footer_padded_with_empty_cells_is_recognised_by_its_words(read):
    _, rows = read(
        f"{HEADER}\nAda,Abel,ada@acme.example\n,,\nContacts & Accounts,,\nGrand Totals (1 records),,\n"
    )
    assert [row.problem for row in rows] == ["", FOOTER, FOOTER]


def test_a_footer_above_the_header_of_a_second_report_is_recognised(read):
    _, rows = read(f"{HEADER}\nAda,Abel,ada@acme.example\n\nTotal: 1\n\n{HEADER}\nBo,Birk,bo@acme.example\n")
    assert [row.problem for row in rows] == ["", FOOTER, REPEATED_HEADER, ""]
    assert rows[-1].value == BO


def test_rows_with_only_their_first_cell_filled_stay_rows(read):
    header = "Company Name,Domain"
    _, rows = read(f"{header}\nAcme,acme.example\n\nGlobex,\nHooli,\n")
    assert [row.value for row in rows] == [["Acme", "acme.example"], ["Globex", ""], ["Hooli", ""]]
    _, rows = read(f"{header}\nAcme,acme.example\n\nGlobex\nHooli,hooli.example\n")
    assert [row.value for row in rows] == [["Acme", "acme.example"], ["Globex"], ["Hooli", "hooli.example"]]
    many = "".join(f"Company {number}\n" for number in range(30))
    _, rows = read(f"{header}\nAcme,acme.example\n\n{many}")
    assert len([row for row in rows if row.value]) == 31


def test_the_rows_of_a_table_with_one_column_are_no_footer(read):
    _, rows = read("Email\nada@acme.example\n\nbo@acme.example\n")
    assert [row.value for row in rows] == [["ada@acme.example"], ["bo@acme.example"]]
