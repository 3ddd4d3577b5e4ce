"""JSON that is a list, stands inside an object, or has objects over several lines. All people are made up."""

import gzip
import json
from pathlib import Path

import pytest

from firmograph.ingest.reading import json_forms
from firmograph.ingest.reading.readers import RawRow, open_rows
from firmograph.kit.errors import Refused
from prepared_files import prepare

pytestmark = pytest.mark.no_database

CASES = Path(__file__).parents[1] / "cases"
ADA = {"firstName": "Ada", "lastName": "Lowe", "emails": [{"email": "ada@nordhafen.example"}]}
BEN = {"firstName": "Ben", "lastName": "Hart [}", "emails": ["ben@nordhafen.example"]}
LONG = {"firstName": "Cy", "lastName": 'Or"r', "company": "x" * 70_000}
PEOPLE = [ADA, BEN, LONG]


def as_list(indent: "int | None" = None) -> str:
    return json.dumps(PEOPLE, indent=indent)


def wrapped(indent: "int | None" = None, **around: object) -> str:
    return json.dumps({"total": 3, "note": "a [{ b", **around, "people": PEOPLE, "next": None}, indent=indent)


FORMS = {
    "list on one line": as_list(),
    "list over lines": as_list(1),
    "an object a line in a list": "[\n" + ",\n".join(map(json.dumps, PEOPLE)) + "\n]\n",
    "commas at the beginning of lines": "[" + "\n,".join(map(json.dumps, PEOPLE)) + "]",
    "list with Windows line ends": as_list(2).replace("\n", "\r\n"),
    "list after a byte order mark": "\ufeff" + as_list(1),
    "joined lists": f"{json.dumps([ADA], indent=1)}\n\ufeff{json.dumps([BEN, LONG])}",
    "object around a list": wrapped(1),
    "object around a list on one line": wrapped(),
    "object with a name around a list": wrapped(1, id=5, name="Export", pages=[1, 2], links=[], meta={"a": 1}),
    "objects around a list": json.dumps({"meta": {"page": 1}, "data": {"found": PEOPLE}}, indent=4),
    "list of another name over lines": json.dumps({"mitarbeiter": PEOPLE}, indent=2),
    "objects over lines": "\n".join(json.dumps(one, indent=2) for one in PEOPLE),
    "objects over lines with commas": ",\n".join(json.dumps(one, indent=2) for one in PEOPLE),
    "an object a line": "\n".join(map(json.dumps, PEOPLE)),
    "an object a line without the last comma's": "\n\n".join(map(json.dumps, PEOPLE)) + "\n\n",
}  # fmt: skip


def values_of(path: Path) -> list[object]:
    with open_rows(path) as rows:
        return [json.loads(row.value) for row in rows if isinstance(row.value, bytes)]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt"])
@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_each_object_is_a_row(tmp_path, text, name):
    path = tmp_path / name
    path.write_text(text, newline="")
    assert values_of(path) == PEOPLE


@pytest.mark.parametrize("text", [as_list(1), wrapped(1)])
def test_lists_may_be_packed_or_in_utf_16(tmp_path, text):
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "b.json").write_bytes(text.encode("utf-16"))
    assert values_of(tmp_path / "a.json.gz") == values_of(tmp_path / "b.json") == PEOPLE


def test_rows_of_a_list_have_the_line_where_they_begin(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[\n\n{"a":\n1},\n {"a":2}, {"a":3}\n]')
    with open_rows(path) as rows:
        assert [row.line for row in rows] == [3, 5, 5]
        assert rows.format == "JSON list"


@pytest.mark.parametrize(
    "record",
    [
        {"firstName": "Ada", "lastName": "Lowe", "stations": [{"at": 1}], "sourceId": "1"},
        {"emails": [{"email": "ada@x.example"}]},
        {"sourceId": "1", "fullName": "Ada Lowe", "data": [{"x": 1}]},
    ],
)
def test_a_record_with_lists_of_objects_is_one_row(tmp_path, record):
    for name, text in (("a.json", json.dumps(record, indent=1)), ("b.json", json.dumps(record))):
        (tmp_path / name).write_text(text)
        assert values_of(tmp_path / name) == [record]


def test_rows_of_json_lines_with_foreign_lists_stay_rows(tmp_path):
    rows = [{"mail": "ada@x.example", "people": [{"a": 1}]}, {"mail": "ben@x.example", "people": [{"a": 2}]}]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert values_of(path) == rows


@pytest.mark.parametrize(
    "first", ['{"firstName": "Ada', '{"firstName": "Ada",', '{"emails": [', '{"a": {"b": 1}']
)
def test_a_damaged_first_line_costs_no_other_line(tmp_path, first):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{first}\n{json.dumps(BEN)}\n{json.dumps(ADA)}\n")
    with open_rows(path) as rows:
        assert list(rows)[1:] == [
            RawRow(2, json.dumps(BEN).encode() + b"\n"),
            RawRow(3, json.dumps(ADA).encode() + b"\n"),
        ]


def test_what_is_no_object_in_a_list_is_a_row_that_is_rejected(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(f'[5, null, "a, b", {{"x": tru}}, [1, 2], {json.dumps(ADA)}]')
    rows, rejects, _ = prepare(path)
    assert [row["fullName"] for row in rows] == ["Ada Lowe"]
    assert len(rejects) == 5


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "lists",
    [
        {"breadcrumbs": [{"label": "x"}], "people": PEOPLE, "links": [{"rel": "next"}]},
        {"people": PEOPLE, "errors": [{"code": 5}]},
        {"meta": {"facets": [{"title": "x"}]}, "data": {"results": PEOPLE}},
        {"included": [{"x": 1}], "response": {"body": {"records": PEOPLE, "notes": [{"y": 1}]}}},
    ],
)
def test_of_several_lists_in_an_object_the_one_of_records_is_read_and_the_others_are_named(
    tmp_path, lists, indent
):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(lists, indent=indent))
    assert values_of(path) == PEOPLE
    with open_rows(path) as rows:
        assert rows.list_read.rpartition(".")[2] in ("people", "results", "records")
        assert rows.other_lists


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("lists", "names"),
    [
        ({"contacts": [ADA], "companies": [{"name": "Acme"}]}, "contacts, companies"),
        ({"people": [ADA], "total": 2, "leads": [BEN]}, "people, leads"),
        ({"data": {"items": [ADA]}, "results": [BEN]}, "data.items, results"),
        ({"accounts": [{"name": "Acme"}], "meta": {}, "users": [BEN]}, "accounts, users"),
    ],
)
def test_an_object_with_several_lists_of_records_is_refused_naming_them(tmp_path, lists, names, indent):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(lists, indent=indent))
    with pytest.raises(Refused, match=f"it has several lists: {names}; write one of them"):
        open_rows(path)


def test_a_second_list_far_behind_the_first_one_is_refused_and_not_lost(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"people": PEOPLE * 20, "leads": PEOPLE}, indent=1))
    monkeypatch.setattr(json_forms, "HEAD_BYTES", 1000)
    monkeypatch.setattr("firmograph.ingest.reading.readers.HEAD_BYTES", 1000)
    with open_rows(path) as rows, pytest.raises(Refused, match="another list of objects follows"):
        list(rows)


@pytest.mark.parametrize("text", [as_list(1)[:-1], as_list(1)[:-10], wrapped(1)[: wrapped(1).index('"Ben"')]])
def test_a_list_that_is_cut_off_gives_its_rows_and_is_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    found = []
    with open_rows(path) as rows, pytest.raises(Refused, match="cannot be read to its end"):
        found.extend(rows)
    assert found


def test_pages_one_after_the_other_are_refused_and_not_lost(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text(wrapped(1) + "\n" + wrapped(1))
    monkeypatch.setattr(json_forms, "HEAD_BYTES", 1000)
    monkeypatch.setattr("firmograph.ingest.reading.readers.HEAD_BYTES", 1000)
    with open_rows(path) as rows, pytest.raises(Refused, match="another object follows"):
        list(rows)


def test_an_object_over_one_mebibyte_is_a_row_with_a_problem_and_reading_continues(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([ADA, {"a": "x" * (1 << 20)}, BEN]))
    with open_rows(path) as rows:
        assert [row.problem for row in rows] == ["", "the object is longer than 1,048,576 bytes", ""]


def test_an_object_of_many_mebibytes_ends_the_reading(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([ADA, {"a": "x" * (4 << 20)}, BEN]))
    with open_rows(path) as rows, pytest.raises(Refused, match="longer than 1,048,576 bytes"):
        list(rows)


def test_the_objects_of_a_list_over_lines_are_people():
    rows, rejects, _ = prepare(CASES / "jsonl_variants.jsonl")
    assert [row["fullName"] for row in rows] == ["Ada Lowe", "Ben Hart"]
    assert not rejects


def test_the_objects_of_a_list_inside_an_object_are_people():
    rows, rejects, _ = prepare(CASES / "wrapped.json")
    assert [(row["fullName"], row["company"]["name"]) for row in rows] == [
        ("Ada Lowe", "Nordhafen"),
        ("Ben Hart", "Nordhafen"),
    ]
    assert not rejects


# --- vCard ---


@pytest.mark.parametrize("name", ["a.vcf", "a.txt", "a.csv", "a"])
@pytest.mark.parametrize(
    "content",
    [
        b"BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Ada Lowe\r\nEND:VCARD\r\n",
        b"begin:vcard\nversion:4.0\nfn:Ada Lowe\nend:vcard\n",
        b"\xef\xbb\xbf\n BEGIN:VCARD\nVERSION:3.0\nEND:VCARD\n",
        "BEGIN:VCARD\nFN:Zoë Lowe\nEND:VCARD\n".encode("utf-16"),
        gzip.compress(b"BEGIN:VCARD\nEND:VCARD\n"),
    ],
)
def test_a_vcard_is_refused_by_its_name(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Refused, match="is a vCard file; export the address book as CSV instead"):
        open_rows(tmp_path / name)


def test_a_file_of_vcards_is_refused_with_what_to_export_instead():
    with pytest.raises(Refused, match=r"vCard file.*Google CSV.*Outlook"):
        open_rows(CASES / "cards.vcf")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.json-seq", "a.txt"])
@pytest.mark.parametrize("between", ["\n", "", "\r\n\n"])
@pytest.mark.parametrize("indent", [None, 2])
def test_objects_behind_record_separators_are_rows(tmp_path, name, between, indent):
    path = tmp_path / name
    path.write_text("".join(f"\x1e{json.dumps(one, indent=indent)}{between}" for one in PEOPLE), newline="")
    assert values_of(path) == PEOPLE


CELLS = [["firstName", "emails"], ["Ada", "ada@nordhafen.example"], ["Ben", "ben@nordhafen.example"]]
BY_COLUMN = {"firstName": {"0": "Ada", "1": "Ben"}, "emails": {"0": "a@x.example", "1": "b@x.example"}}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("value", "named"),
    [
        (CELLS, "lists of values, not objects"),
        ([[]], "lists of values, not objects"),
        ({"columns": CELLS[0], "index": [0, 1], "data": CELLS[1:]}, "its list 'data' holds lists of values"),
        ({"rows": CELLS}, "its list 'rows' holds lists of values"),
        (BY_COLUMN, "an object for each column"),
        ({"u1": ADA, "u2": ADA}, "one object whose keys are those of its records"),
        ({"ada@x.example": {**ADA, "a": 1}, "ben@x.example": BEN, "cy": LONG}, "one object whose keys"),
        (
            {
                "1": {"name": "Acme", "domain": "acme.example"},
                "2": {"name": "Birch", "domain": "birch.example"},
            },
            "jq -c",
        ),
    ],
)
def test_records_that_are_no_objects_one_after_the_other_are_refused_with_their_form(
    tmp_path, value, named, indent
):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value, indent=indent))
    with pytest.raises(Refused, match=named):
        open_rows(path)


def test_a_list_of_values_a_line_is_refused_with_its_form(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, CELLS)))
    with pytest.raises(Refused, match="lists of values"):
        open_rows(path)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "record",
    [
        {"contact": {"mail": "ada@x.example", "name": "Ada"}, "firm": {"title": "Acme", "name": "Acme"}},
        {"person": ADA},
        {"location": {"city": "Bonn"}, "company": {"city": "Bonn"}},
    ],
)
def test_one_record_of_objects_stays_a_row(tmp_path, record, indent):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(record, indent=indent))
    assert values_of(path) == [record]
