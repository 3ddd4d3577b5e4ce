"""Versions of one person in one file apply in the order of their days.

See docs/reference/records.md#versions-of-a-row.
"""

import csv
import json
import random

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from effort import examples
from firmograph.ingest import preparation_process
from firmograph.ingest.reading.mapping import NO_MAPPING, ColumnMapping, MappingOptions, build_table_layout
from firmograph.ingest.reading.readers import RawRow, open_rows
from firmograph.ingest.records.file_versions import RowOrder, arrange_rows, find_row_order, order_versions
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from firmograph.signals import store
from record_factory import KEYRING
from stored_records import stored_contacts


def row(source_id, company, day=None, **fields):
    dated = {"updateDate": day} if day else {}
    return (
        {"sourceId": source_id, "firstName": "Jane", "lastName": "Doe", "company": company} | dated | fields
    )


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))


def write_csv(path, rows):
    names = list(dict.fromkeys(name for one in rows for name in one))
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, names)
        out.writeheader()
        out.writerows(rows)


def write_parquet(path, rows):
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)


WRITERS = {"rows.jsonl": write_jsonl, "rows.csv": write_csv, "rows.parquet": write_parquet}


def load(database, path, mapping=NO_MAPPING):
    job = preparation_process.ImportTask(
        entity=Entity.CONTACT, paths=[str(path)], source="a", keyring=KEYRING, mapping=mapping
    )
    return import_files(database, job, SetClock(), lambda *_: None, lambda *_: None)


def moves(database):
    return [
        (one.day, json.loads(one.event)["currentCompanyName"])
        for one in store.signals_after(database.session(), 0, 100)
    ]


VERSIONS = [
    row("1", "Third", "2025-03-01"),
    row("1", "First", "2025-01-01"),
    row("1", "Second", "2025-02-01"),
]
IN_ORDER = [("2025-02-01", "Second"), ("2025-03-01", "Third")]


@pytest.mark.parametrize("name", WRITERS)
def test_versions_apply_in_the_order_of_their_days(database, tmp_path, name):
    WRITERS[name](tmp_path / name, [row("2", "Other", "2025-01-01"), *VERSIONS])
    load(database, tmp_path / name)
    assert moves(database) == IN_ORDER
    assert len(stored_contacts(database)) == 2


def test_a_mapping_may_name_the_column_of_the_day(database, tmp_path):
    named = [
        {("as of" if name == "updateDate" else name): value for name, value in one.items()}
        for one in VERSIONS
    ]
    write_jsonl(tmp_path / "rows.jsonl", named)
    load(database, tmp_path / "rows.jsonl", ColumnMapping(columns={"as of": "updateDate"}))
    assert moves(database) == IN_ORDER


def test_without_guessing_only_named_columns_are_read(database, tmp_path):
    columns = {"id": "sourceId", "firm": "company.name", "name": "fullName", "as of": "updateDate"}
    rows = [
        {"id": one["sourceId"], "firm": one["company"], "name": "Jane Doe", "as of": one["updateDate"]}
        for one in VERSIONS
    ]
    write_jsonl(tmp_path / "rows.jsonl", rows)
    load(
        database, tmp_path / "rows.jsonl", ColumnMapping(columns=columns, options=MappingOptions(guess=False))
    )
    assert moves(database) == IN_ORDER


@pytest.mark.parametrize("name", WRITERS)
def test_a_placeholder_for_an_id_or_a_page_identifies_nobody(database, tmp_path, name):
    strangers = [
        row("None", "Other", "2025-01-01", linkedinUrl="n/a", emails=["bob@example.com"], lastName="Roe")
    ]
    versions = [
        one | {"sourceId": "None", "linkedinUrl": "n/a", "emails": ["jane@example.com"]} for one in VERSIONS
    ]
    path = tmp_path / name
    WRITERS[name](path, [one | {"emails": one["emails"][0]} for one in versions + strangers])
    with open_rows(path) as opened:
        layout = (
            build_table_layout(opened.columns, NO_MAPPING, Entity.CONTACT, path) if opened.columns else None
        )
        assert len(find_row_order(path, layout, table=opened.columns is not None).held_back) == len(VERSIONS)


@pytest.mark.parametrize(
    "key",
    [
        {"linkedinUrl": "https://www.linkedin.com/in/jane-doe"},
        {"socialLinks": {"linkedin": "https://linkedin.com/in/Jane-Doe/"}},
        {"emails": ["Jane@example.com "]},
        {"emails": [{"email": "jane@example.com"}]},
        {"emails": "jane@example.com"},
    ],
)
def test_people_without_source_ids_are_identified_by_page_or_address(database, tmp_path, key):
    rows = [{name: value for name, value in one.items() if name != "sourceId"} | key for one in VERSIONS]
    write_jsonl(tmp_path / "rows.jsonl", rows)
    load(database, tmp_path / "rows.jsonl")
    assert moves(database) == IN_ORDER


def test_a_version_without_a_day_gets_the_day_of_the_import(database, tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [row("1", "Now"), *VERSIONS])
    load(database, tmp_path / "rows.jsonl")
    assert moves(database) == [*IN_ORDER, ("2026-09-21", "Now")]


def test_versions_of_one_day_keep_their_order(database, tmp_path):
    write_jsonl(
        tmp_path / "rows.jsonl", [row("1", name, "2025-01-01") for name in ("First", "Second", "Third")]
    )
    load(database, tmp_path / "rows.jsonl")
    assert [name for _, name in moves(database)] == ["Second", "Third"]


def test_rejected_rows_do_not_affect_others(database, tmp_path):
    broken = json.dumps(row("1", "Bad", "2025-01-15"))[:-1]
    lines = [json.dumps(VERSIONS[0]), broken, *map(json.dumps, VERSIONS[1:]), broken]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    assert load(database, tmp_path / "rows.jsonl").rejected == 2
    assert moves(database) == IN_ORDER


def test_a_damaged_file_gives_the_rows_before_the_damage(tmp_path):
    import gzip

    path = tmp_path / "rows.jsonl.gz"
    text = "".join(
        json.dumps(row(str(n), "Acme", "2025-01-01", noise=random.Random(n).random())) + "\n"
        for n in range(2000)
    )
    path.write_bytes(gzip.compress(text.encode())[:-4000])
    with open_rows(path) as rows:
        first = next(order_versions(path, rows, None))
    assert first.line == 1


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, 1, 2, 3])), max_size=30))
def test_rows_of_one_person_are_ordered_by_day_and_then_by_position(tmp_path_factory, drawn):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = [row(f"p{person}", "Acme", f"2025-01-0{day}" if day else None) for person, day in drawn]
    write_jsonl(path, rows)
    with open_rows(path) as file:
        lines = [one.line - 1 for one in order_versions(path, file, None)]
    assert sorted(lines) == list(range(len(drawn)))
    for person in {person for person, _ in drawn}:
        own = [place for place in lines if drawn[place][0] == person]
        assert own == sorted(own, key=lambda place: (drawn[place][1] or 9, place))


def test_only_rows_out_of_order_are_deferred():
    rows = [RawRow(place, b"") for place in range(6)]
    order = RowOrder(frozenset({1, 4}), {4: [4, 1]})
    assert [one.line for one in arrange_rows(rows, order)] == [0, 2, 3, 4, 1, 5]
