"""Lists as programs print them into cells. All people are made up."""

from pathlib import Path

import pytest

from firmograph.ingest.reading.cell_values import split_addresses, split_emails, split_links, split_numbers
from firmograph.ingest.reading.printed_lists import PrintedItem, printed_items
from firmograph.ingest.records.values import items
from prepared_files import prepare

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("['a', 'b']", ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),
        ("[u'a']", ["a"]),
        ("""["O'Brien", 'Lowe, Ada']""", ["O'Brien", "Lowe, Ada"]),
        ('["a","b, c"]', ["a", "b, c"]),
        ('["a",["b"],null,5,2.0]', ["a", "b", "5", "2"]),
        ("{a,b}", ["a", "b"]),
        ('{"a, b",c,NULL}', ["a, b", "c"]),
        ("{'b','a'}", ["b", "a"]),
        ("('a', 'b')", ["a", "b"]),
        ("[a, b]", ["a", "b"]),
        ("{+49 30 1234567,030 1}", ["+49 30 1234567", "030 1"]),
        ("[None, nan, '', 'x']", ["x"]),
        (" ['a'] ", ["a"]),
        ("['a',]", ["a"]),
        ("[]", []),
        ("{}", []),
        ("[[[[a]]]]", ["a"]),
    ],
)
def test_each_item_of_a_printed_list_is_read(cell, texts):
    found = printed_items(cell)
    assert found is not None
    assert [one.text for one in found] == texts
    assert items(cell) == texts


@pytest.mark.parametrize(
    "cell", ["", "[", "a", "[a] b", "(030) 123", "(030)", "a; b", "{a", "[a}", "'a', 'b'"]
)
def test_other_cells_are_no_printed_lists(cell):
    assert printed_items(cell) is None


@pytest.mark.parametrize(
    ("cell", "item"),
    [
        ('[{"number":"+12025550143","type":"mobile"}]', ("+12025550143", "mobile")),
        ("[{'type': 'work', 'value': 'x@a.example'}]", ("x@a.example", "work")),
        ('{"sanitized_number": 12025550143, "label": null}', ("12025550143", "")),
        ('[{"id": 5, "name": "SQL"}]', ("SQL", "")),
    ],
)
def test_an_object_in_a_list_gives_its_value_and_type(cell, item):
    assert printed_items(cell) == [PrintedItem(*item)]


@pytest.mark.parametrize("depth", [500, 10_000])
def test_deep_nesting_is_no_error(depth):
    cell = "[" * depth + "a@b.example" + "]" * depth
    for split in (split_emails, split_numbers, split_addresses, split_links):
        split(cell)


def test_addresses_and_numbers_of_printed_lists_are_single_values():
    assert split_emails("{a@x.example,b@x.example}") == ["a@x.example", "b@x.example"]
    assert split_emails("{a@x.example") == ["a@x.example"]
    assert split_numbers("['+1 202 555 0143 (fax)', '+1 202 555 0144']") == [
        ("+1 202 555 0143", "fax"),
        ("+1 202 555 0144", None),
    ]
    assert split_addresses('["a.example","b.example"]') == ["a.example", "b.example"]
    assert split_links("['linkedin.com/in/a', 'linkedin.com/in/b']") == [
        "linkedin.com/in/a",
        "linkedin.com/in/b",
    ]


def test_lists_in_cells_between_semicolons_are_read():
    rows, _, counts = prepare(CASES / "lists_semicolon.csv")
    assert [[email["email"] for email in row["emails"]] for row in rows] == [
        ["ada@nordhafen.example", "ada.lowe@nordhafen.example"],
        ["ben@nordhafen.example"],
        ["ben2@nordhafen.example", "cy@nordhafen.example"],
    ]
    assert [[phone["number"] for phone in row.get("phones", [])] for row in rows] == [
        ["+12025550143", "+12025550144"],
        [],
        ["+12025550146"],
    ]
    assert [row.get("skills") for row in rows] == [["SQL", "Python"], None, ["SQL", "R"]]
    assert not counts.unread


def test_json_in_cells_is_read_with_the_types_of_numbers():
    (row,), _, counts = prepare(CASES / "json_cells.csv")
    assert [email["email"] for email in row["emails"]] == [
        "ada@nordhafen.example",
        "ada.lowe@nordhafen.example",
    ]
    assert [(phone["number"], phone["type"]) for phone in row["phones"]] == [("+12025550143", "mobile")]
    assert row["skills"] == ["SQL", "Python"]
    assert not counts.unread
