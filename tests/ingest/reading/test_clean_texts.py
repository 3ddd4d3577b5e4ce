"""Escapes of other formats and invisible characters in texts of imported files. All people are made up."""

import json
import unicodedata
from pathlib import Path

import pytest

from firmograph.directory.company_names import company_key
from firmograph.directory.names import fold, full_name_key
from firmograph.directory.normalise.locations import country_code
from firmograph.directory.normalise.plain_text import INVISIBLE, without_invisible
from firmograph.ingest.reading.clean_texts import clean_text, clean_value, is_clean_json
from firmograph.security.record_ids import Entity
from prepared_files import prepare

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"
VISIBLE_SIGNS = {
    *map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2)),
}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("Jos&eacute;", "José"),
        ("O&#39;Brien &#x26; Co", "O'Brien & Co"),
        ("M&uuml;ller&nbsp;GmbH", "Müller\xa0GmbH"),
        ("Smith &amp;amp; Sons", "Smith & Sons"),
        ("Ren&amp;eacute;", "René"),
        ("Nord&shy;hafen&#8203;", "Nordhafen"),
        ("R&D; AT&T &copy &nothing; &#99999999;", "R&D; AT&T &copy &nothing; &#99999999;"),
        ("Head_x0020_of Ops", "Head of Ops"),
        ("Nordhafen_x000D_\nHolding", "Nordhafen\r\nHolding"),
        ("_xD83D__xDE00_", "\U0001f600"),
        ("_x005F_x0041_", "_x0041_"),
        ("a_x0000_b_xD83D_", "ab"),
        ("snake_x00 and _x00G1_", "snake_x00 and _x00G1_"),
        ('="0301234567"', "0301234567"),
        ('= "The ""Port"""', 'The "Port"'),
        ('\ufeff="Nordhafen"', "Nordhafen"),
        ('="Smith &amp; Sons"', "Smith & Sons"),
        ('=HYPERLINK("http://x.example","Cy")', "Cy"),
        ('=hyperlink("http://x.example"; "Cy")', "Cy"),
        ('=HYPERLINK("mailto:cy@x.example")', "mailto:cy@x.example"),
        ('=HYPERLINK(A1,"Cy")', '=HYPERLINK(A1,"Cy")'),
        ("=cmd|/C calc!A0", "=cmd|/C calc!A0"),
        ("a = b", "a = b"),
        ("a\0b", "ab"),
    ],
)
def test_escapes_of_other_formats_are_decoded(given, text):
    assert clean_text(given) == text
    assert clean_value({"a": [given]}) == {"a": [text]}


def test_every_format_character_but_the_visible_signs_is_removed():
    signs = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"} - VISIBLE_SIGNS
    signs |= set("\u034f\ufe0f\u115f\u1160\u3164\uffa0")
    assert signs <= set(INVISIBLE)
    assert not set(INVISIBLE) & VISIBLE_SIGNS
    for sign in INVISIBLE:
        assert without_invisible(f"Lo{sign}we") == "Lowe"
        assert fold(f"Lo{sign}we{sign}") == "lowe"
    for sign in VISIBLE_SIGNS:
        assert sign in without_invisible(f"a{sign}1")
        assert fold(f"a{sign}b") == "ab"


@pytest.mark.parametrize("name", ["علی\u200cرضا", "क्\u200dष", "ශ්\u200dරී", "র\u200d্যাব"])
def test_joiners_stay_between_letters_that_need_them_but_not_in_keys(name):
    plain = name.replace("\u200c", "").replace("\u200d", "")
    assert clean_text(name) == name
    assert clean_text(f"\u200c{name}\u200d ") == f"{name} "
    assert clean_text(name.replace("\u200c", "\u200c\u200c\u200b")) == name
    assert fold(name) == fold(plain)


@pytest.mark.parametrize("text", ["L\u200dowe", "O\u200crr", "\U0001f469\u200d\U0001f4bb", "علی\u200c 5"])
def test_other_joiners_are_removed(text):
    assert clean_text(text) == text.replace("\u200c", "").replace("\u200d", "")


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("text", ["Sm&amp;th", "a_x000D_b", '="a"', "Lo\u00adwe", "a\ufeff", "a\U000e0041"])
def test_json_that_may_change_is_recognised(text, escaped):
    assert not is_clean_json(json.dumps({"name": text}, ensure_ascii=escaped).encode())


@pytest.mark.parametrize("text", ["José & Söhne", "R&D x", "a=b", "\U0001f600", "東京 – “x”"])
def test_json_of_other_texts_is_read_as_it_is(text):
    assert is_clean_json(json.dumps({"name": text}, ensure_ascii=False).encode())


def test_an_ampersand_that_json_escapes_is_part_of_an_entity():
    line = rb'{"name": "Smith \u0026amp; Sons"}'
    assert not is_clean_json(line)
    assert clean_value(json.loads(line)) == {"name": "Smith & Sons"}


@pytest.mark.parametrize("sign", ["\u00ad", "\u200b", "\u200d", "\u200e", "\ufeff", "\u2060", "\ufe0f"])
def test_requests_find_names_regardless_of_invisible_characters(sign):
    assert full_name_key(f"A{sign}da", f"{sign}Lowe") == full_name_key("Ada", "Lowe")
    assert company_key(f"Nord{sign}hafen G{sign}mbH") == company_key("Nordhafen GmbH")
    assert country_code(f"Ger{sign}many{sign}") == "DE"


# --- files ---


def test_entities_left_in_a_file_are_decoded():
    (row,) = prepare(CASES / "html_entities.csv").records
    assert (row["fullName"], row["company"]["name"]) == ("José O'Brien", "Smith & Sons")


def test_formulas_that_stand_for_texts_are_these_texts():
    rows = prepare(CASES / "excel_escapes.csv").records
    assert [row["fullName"] for row in rows] == ["Ada Lowe", "Ben Hart", "Cy Orr"]
    assert [row["company"]["name"] for row in rows] == ["Nordhafen", "Nordhafen", "=cmd|/C calc!A0"]
    assert [row["phones"][0]["number"] for row in rows] == ["+49301234567", "+49301234568", "+49301234569"]
    assert rows[1]["emails"][0]["email"] == "ben@nordhafen.example"


def test_escapes_of_a_workbook_are_decoded():
    rows, _, counts = prepare(CASES / "dimension.xlsx")
    assert (rows[0]["company"]["name"], rows[0]["jobTitle"]["title"]) == ("Nordhafen Holding", "Head of Ops")
    assert counts.unread["Job Title"].lines == [3]


def test_invisible_characters_of_a_table_are_removed_from_headers_and_values():
    rows = prepare(CASES / "invisible.csv").records
    assert [row["fullName"] for row in rows] == ["Ada Lowe", "Ben Hart"]
    assert [row["emails"][0]["email"] for row in rows] == ["ada@nordhafen.example", "ben@nordhafen.example"]
    assert {row["company"]["name"] for row in rows} == {"Nordhafen"}
    assert {row["location"]["countryIso2"] for row in rows} == {"DE"}


def test_invisible_characters_of_json_are_removed_before_titles_are_classified():
    ada, harry = prepare(CASES / "invisible.jsonl").records
    assert (ada["fullName"], ada["company"]["name"]) == ("Ada Lowe", "Nordhafen")
    assert (ada["jobTitle"]["departments"], ada["jobTitle"]["seniority"]) == (["Finance"], "C-Suite")
    assert (harry["fullName"], harry["company"]["name"]) == ("Harry Orr", "Sudhafen")
    assert harry["location"]["city"] == "Hamburg"


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_texts_of_companies_are_cleaned_alike(tmp_path, ending):
    name = "Smith &amp; S\u00adons_x000D_"
    path = tmp_path / f"a{ending}"
    path.write_text(f"Company Name\n{name}\n" if ending == ".csv" else json.dumps({"name": name}))
    (row,) = prepare(path, Entity.COMPANY).records
    assert row["name"] == "Smith & Sons"


def test_joined_exports_are_read_through_and_their_repeated_headers_counted():
    rows, rejects, counts = prepare(CASES / "concat_bom.csv")
    assert [row["fullName"] for row in rows] == ["Ada Lowe", "Ben Hart", "Cy Orr"]
    assert [reject.reason for reject in rejects] == ["the header once more, no record"]
    assert (counts.skipped.count, counts.skipped.lines) == (1, [3])


def test_a_byte_order_mark_inside_json_lines_belongs_to_no_row(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"fullName": "Ada Lowe", "sourceId": "1"}\n\ufeff{"fullName": "Ben Hart", "sourceId": "2"}\n'
    )
    assert [row["fullName"] for row in prepare(path).records] == ["Ada Lowe", "Ben Hart"]


def test_marks_that_are_escaped_or_not_are_text():
    rows = prepare(CASES / "quotes.csv").records
    assert [row["company"]["name"] for row in rows[:2]] == ['Nordhafen "The Port" Ltd'] * 2
