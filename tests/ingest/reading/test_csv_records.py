"""Records of CSV with quotation marks that do not close or do not fit (docs/importing.md#quotation-marks)."""

import csv
import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.ingest.reading.csv_rows import read_csv_table
from firmograph.ingest.reading.lines import MAX_LINE, Lines

pytestmark = pytest.mark.no_database

HEADER = "name,company,title\n"
ROWS = "".join(f"p{number},Acme,CFO\n" for number in range(6))


def read(text: str) -> list[tuple[list[str] | None, bool]]:
    """Return the cells of each row below the header, and whether it was repaired."""
    rows = list(read_csv_table(Lines(io.BytesIO(text.encode()))).rows)
    return [(row.cells, row.is_repaired) for row in rows]


def repaired(text: str) -> list[list[str] | None]:
    return [cells for cells, is_repaired in read(text) if is_repaired]


def others(text: str) -> int:
    return sum(not is_repaired and cells is not None for cells, is_repaired in read(text))


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('Ada,"Nordhafen,COO', ["Ada", '"Nordhafen', "COO"]),
        ('Ada,Nordhafen,"COO', ["Ada", "Nordhafen", '"COO']),
        ('"Ada,Nordhafen,COO', ['"Ada', "Nordhafen", "COO"]),
        ('"Red" Ada,Acme,"COO"', ['"Red" Ada', "Acme", "COO"]),
        ('Ada,"Nordhafen \\"The Port\\" Ltd","Head, Ops"', ["Ada", 'Nordhafen "The Port" Ltd', "Head, Ops"]),
        ('Ada,"Nordhafen "The Port" Ltd","Head, Ops"', ["Ada", 'Nordhafen "The Port" Ltd', "Head, Ops"]),
        ('Ada,"Nordhafen \\"The Port\\"",COO', ["Ada", 'Nordhafen "The Port"', "COO"]),
        ('Ada,"5" disk",COO', ["Ada", '5" disk', "COO"]),
    ],
)
def test_a_mark_that_does_not_fit_is_text_and_no_other_line_is_affected(line, cells):
    text = HEADER + ROWS + line + "\n" + ROWS
    assert (repaired(text), others(text)) == ([cells], 12)


def test_two_stray_marks_some_lines_apart_are_text():
    text = HEADER + 'Ada,"Acme,COO\n' + ROWS + 'Ben,Acme","CFO\n' + ROWS
    assert others(text) == 12
    assert ["Ada", '"Acme', "COO"] in repaired(text)


MAIL_HEADER = "first,last,email,company,title,city\n"
MAIL_ROWS = "".join(f"p{number},Reed,p{number}@acme.example,Acme,CFO,Bonn\n" for number in range(3))
ADA, BEN = "Ada,Lowe,ada@acme.example,Acme,COO,Bonn", "Ben,Hart,ben@acme.example,Acme,CFO,Rome"


@pytest.mark.parametrize("between", [0, 1])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [("Lowe", "Hart"), ("Acme", "Hart"), ("Ada", "Rome"), ("Bonn", "Ben"), ("Lowe", "Rome")],
)
def test_lines_that_all_have_an_address_in_one_column_are_rows_whatever_marks_they_have(
    opening, closing, between
):
    inner = MAIL_ROWS.splitlines(keepends=True)[:between]
    first, last = ADA.replace(opening, f'"{opening}', 1), BEN.replace(closing, f'{closing}"', 1)
    text = MAIL_HEADER + "".join([f"{first}\n", *inner, f"{last}\n"]) + MAIL_ROWS
    found = [cells for cells, _ in read(text)]
    assert found[0] == first.split(",")
    assert found[between + 1] == last.split(",")
    assert len(found) == 5 + between


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ('Ada,Lowe,ada@acme.example,Acme,"COO,', 'of things",Bonn'),
        ('Ada,Lowe,ada@acme.example,Acme,COO,"Bonn', 'Rome, Oslo, Kiel, Graz, Bern, Lyon"'),
        ('Ada,Lowe,ada@acme.example,Acme,COO,"Bonn', 'a, b, c, ben@acme.example, d, e"'),
        ('"Ada, x, y, z, ada@acme.example, w', 'b",Lowe,ada@acme.example,Acme,COO,Bonn'),
    ],
)
def test_a_value_of_two_lines_stays_one(first, last):
    found = read(f"{MAIL_HEADER}{first}\n{last}\n{MAIL_ROWS}")
    assert [is_repaired for _, is_repaired in found] == [False] * 4
    assert "\n" in "".join(found[0][0] or [])


def test_a_stray_mark_that_a_closed_cell_follows_is_text():
    text = HEADER + 'Ada,"Acme,COO\nBen,"Acme",CFO\n' + ROWS
    assert repaired(text) == [["Ada", '"Acme', "COO"]]
    assert others(text) == 7


def test_a_stray_mark_in_the_last_line_is_text():
    assert repaired(HEADER + ROWS + 'Ada,Acme,"COO') == [["Ada", "Acme", '"COO']]


def test_a_mark_that_is_not_closed_within_the_longest_line_is_text():
    text = "a,b\n" + '1,"x\n' + ("word " * 200 + "\n") * (MAX_LINE // 900) + 'y"\n'
    assert read(text)[0] == (["1", '"x'], True)


def test_a_quotation_mark_in_the_header_is_dropped():
    table = read_csv_table(Lines(io.BytesIO(b'name,"company,title\nAda,Acme,COO\n')))
    assert table.columns == ["name", "company", "title"]
    assert [row.cells for row in table.rows] == [["Ada", "Acme", "COO"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter_is_repaired_alike(delimiter):
    text = (HEADER + 'Ada,"Acme,COO\n' + ROWS).replace(",", delimiter)
    assert (repaired(text), others(text)) == ([["Ada", '"Acme', "COO"]], 6)


@pytest.mark.parametrize(
    "value",
    ["one\ntwo", "one\n\n\ntwo", 'a "quoted"\nword', "a, b\nc", "ends with\n", "Street 1\r\n10115 Berlin"],
)
def test_a_value_of_several_lines_stays_one(value):
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(["Ada", value, "COO"])
    assert read(HEADER + written.getvalue() + ROWS)[0] == (["Ada", value, "COO"], False)


def test_one_inner_line_that_looks_like_a_row_is_no_proof():
    assert read(HEADER + 'Ada,"x\na,b,c\ny",COO\n')[0] == (["Ada", "x\na,b,c\ny", "COO"], False)


def steps(text: str) -> int:
    """Return the number of calls that reading a text takes."""
    count = 0

    def profile(*_: object) -> None:
        nonlocal count
        count += 1

    lines = Lines(io.BytesIO(text.encode()))
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        for _ in read_csv_table(lines).rows:
            pass
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("begin", "repeated", "end"),
    [
        ('1,"x\n', 'say ""hi""\n', ""),
        ('1,"x\n', '""\n', ""),
        ('1,"x\n', 'say ""hi""\n', 'y"\n'),
        ('1,"x\n', '\\" inch\n', 'y"\n'),
        ('1,"x\n', "words\n", ""),
        ("", '1,"xy\n', ""),
        ("", '1,"xy\nword\nsay ""hi""\n', ""),
        ("1,", '"x,', "\n"),
        ("1,", '""x,', "\n"),
    ],
)
def test_the_work_grows_with_the_text_alone(begin, repeated, end):
    short, long = (steps(f"a,b\n{begin}{repeated * count}{end}") for count in (200, 800))
    assert long < 4.5 * short


CELLS = st.text(alphabet='ab" \n;é', max_size=8)
"""Texts without the delimiter, so that no line of a value looks like a row."""


@given(st.lists(st.tuples(st.just("x"), CELLS, CELLS).map(list), min_size=1, max_size=6))
def test_what_a_program_writes_is_read_back(rows):
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    assert read(HEADER + written.getvalue()) == [(row, False) for row in rows]


@given(st.lists(st.text(alphabet='ab,"\n', max_size=12), max_size=8))
def test_whatever_stands_between_rows_the_rows_are_read(between):
    text = HEADER + ROWS + "".join(f"{line}\n" for line in between) + ROWS * 2
    assert sum(cells == ["p5", "Acme", "CFO"] for cells, _ in read(text)) >= 2
