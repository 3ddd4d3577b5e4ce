"""Notes above a header, footers below the rows, and repeated headers."""

from pathlib import Path

import pytest

from firmograph.ingest.reading.readers import RawRow, open_rows
from firmograph.ingest.reading.table_rows import BELOW_OTHER_HEADER, FOOTER, OTHER_HEADER, REPEATED_HEADER

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
        "FIRST NAME,LAST NAME,EMAIL",
        "first_name,last_name,e-mail",
        "firstName,lastName,email,",
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


@pytest.mark.parametrize(
    ("again", "line"),
    [
        ("Email,First Name,Last Name", "bo@acme.example,Bo,Birk"),
        ("\ufeffLAST NAME,EMAIL,FIRST NAME", "Birk,bo@acme.example,Bo"),
        ("Email,,Last Name,First Name", "bo@acme.example,,Birk,Bo"),
        ('"Email","Last_Name","First_Name"', '"bo@acme.example","Birk","Bo"'),
    ],
)
def test_rows_below_a_header_of_another_order_are_read_by_it(read, again, line):
    _, rows = read(
        f"{HEADER}\nAda,Abel,ada@acme.example\n{again}\n{line}\n{HEADER}\nBo,Birk,bo@acme.example\n"
    )
    assert [row.problem for row in rows] == ["", REPEATED_HEADER, "", REPEATED_HEADER, ""]
    assert [row.value for row in rows if row.value] == [ADA, BO, BO]


def test_rows_below_a_header_of_fewer_columns_have_no_value_in_the_others(read):
    header = f"{HEADER},Company"
    _, rows = read(f"{header}\nAda,Abel,ada@acme.example,Acme\nCompany,First Name\nAcme,Bo\nAcme,Cy,late\n")
    assert [row.value for row in rows] == [[*ADA, "Acme"], None, ["Bo", "", "", "Acme"], None]
    assert rows[-1].problem == "5 cells under a header of 4"


def test_of_several_columns_of_one_name_the_order_is_kept(read):
    _, rows = read(
        "Name,Phone,Phone,Email\nAda,1,2,a@x.example\nEmail,Phone,Name,Phone\nb@x.example,3,Bo,4\n"
    )
    assert rows[-1].value == ["Bo", "3", "4", "b@x.example"]


@pytest.mark.parametrize(
    ("again", "line"),
    [
        ("Company,Website,Industry", "Acme,acme.example,Steel"),
        ("Vorname,Nachname,Firma", "Bo,Birk,Acme"),
        ("First Name,Last Name,Email,Company,Shoe Size", "Bo,Birk,bo@acme.example,Acme,7"),
        ("First Name,Last Name,Company,Email,City", "Bo,Birk,Acme,bo@acme.example,"),
        ("E-Mail,Name,Phone,Lead Score,X", "bo@acme.example,Bo Birk,,7,"),
    ],
)
def test_rows_below_a_header_of_other_columns_are_rejected_until_the_next_header(read, again, line):
    _, rows = read(
        f"{HEADER}\nAda,Abel,ada@acme.example\n{again}\n{line}\n{HEADER}\nBo,Birk,bo@acme.example\n"
    )
    assert [row.problem for row in rows] == ["", OTHER_HEADER, BELOW_OTHER_HEADER, REPEATED_HEADER, ""]
    assert [row.is_skipped for row in rows] == [False, True, False, True, False]
    assert rows[-1].value == BO


@pytest.mark.parametrize(
    "line",
    [
        "Title,Owner,",
        "Name,Company,ada@acme.example",
        "Email,,",
        "Ada,Email,Phone 7",
        "Company 12,City 3,Phone 4",
    ],
)
def test_a_row_with_some_words_of_headers_stays_a_row(read, line):
    _, rows = read(f"{HEADER}\n{line}\n")
    assert [row.value for row in rows] == [line.split(",")]


def test_a_name_in_a_table_of_one_column_is_a_header_only_as_written(read):
    _, rows = read("Company\nAcme\nCOMPANY\nCompany\n")
    assert [row.value for row in rows] == [["Acme"], ["COMPANY"], None]


@pytest.mark.parametrize(
    "line",
    [
        "Copyright (c) 2024, salesforce.com",
        "Generated by: Ana Reis, Sales, 5/1/2024, 10:30",
        "Exported on Monday, 5 May",
        "© Acme, Inc.",
    ],
)
def test_delimiters_in_a_line_of_a_footer_change_nothing(read, line):
    header = f"{HEADER},Phone,City"
    text = f"{header}\nAda,Abel,ada@acme.example,,\n\nTotal: 1\nConfidential\n{line}\n"
    _, rows = read(text)
    assert [row.problem for row in rows] == ["", FOOTER, FOOTER, FOOTER]


@pytest.mark.parametrize(
    "total", ["Total,,", "Grand Total,,", "Summe,,", "Total: 2,,", "2 records,,", "Grand totals (2),,"]
)
def test_a_total_directly_below_the_rows_is_a_footer(read, total):
    _, rows = read(f"Name,Website,City\nAcme,acme.example,Bonn\n{total}\n1 records,,\n\nExported by Ana,,\n")
    assert [row.problem for row in rows] == ["", FOOTER, FOOTER, FOOTER]


@pytest.mark.parametrize(
    "lines",
    [
        "Acme,acme.example,\nTotal,,\nUnilever,,",
        "Tesco,,\nTotal,,",
        "Acme,acme.example,\nTotal,total.example,Paris",
        "Acme,acme.example,\nTotal Wine,,",
        "Acme,acme.example,\n\nCopyright Agency,copyright.example,Sydney",
    ],
)
def test_a_company_that_is_called_like_a_footer_stays_a_row(read, lines):
    _, rows = read(f"Name,Website,City\n{lines}\n")
    assert [row.problem for row in rows] == [""] * len([line for line in lines.splitlines() if line])
