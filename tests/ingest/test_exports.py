"""Exports of other programs, with made-up people: stored fields, rejects with reasons, repeated imports.

A TOML file next to each file in `exports/` states the expectations; the README there names the sources of the headers.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.reading.mapping import NO_MAPPING, build_table_layout, unused_columns
from firmograph.ingest.reading.readers import open_rows
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS, KEYRING
from stored_records import head

pytestmark = pytest.mark.any_database

EXPORTS = sorted(
    path for path in (Path(__file__).parent / "exports").iterdir() if path.suffix in (".csv", ".xlsx")
)
KINDS = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}
DAY_SECONDS = 86_400.0
each = pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)


def expected(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.with_suffix(".toml").read_text("utf-8"))


@each
def test_each_column_becomes_its_field_or_is_left_out_for_a_reason(path):
    expectation = expected(path)
    with open_rows(path) as rows:
        assert rows.columns is not None
        layout = build_table_layout(rows.columns, NO_MAPPING, KINDS[expectation["kind"]], path)
    fields: dict[str, list[str]] = {}
    for column in layout.columns:
        fields.setdefault(layout.header[column.position], []).append(column.path)
    assert fields == {name: paths for name, (*paths, _) in expectation["goes_in"].items()}
    assert sorted(set(unused_columns(layout))) == sorted(expectation["left_out"])
    assert all(expectation["left_out"].values())


@each
def test_the_first_row_is_stored_as_expected_and_lines_without_records_are_rejected(path):
    expectation = expected(path)
    entity = KINDS[expectation["kind"]]
    with open_rows(path) as rows:
        assert rows.columns is not None
        layout = build_table_layout(rows.columns, NO_MAPPING, entity, path)
        every = list(rows)
    first = next(row.value for row in every if isinstance(row.value, list))
    for name, (*_, value) in expectation["goes_in"].items():
        place = layout.header.index(name)
        assert ((first[place] if place < len(first) else "") or "") == value, name
    preparer = Preparer(entity, DIGESTS, "export", layout)
    prepared, rejects = (
        preparer.prepare_contacts if entity is Entity.CONTACT else preparer.prepare_companies
    )(every)
    assert json.loads(prepared[0].row) == expectation["stored"]
    employer = getattr(prepared[0], "employer_row", None)
    own_id = {"sourceId": employer.source_id} if employer and employer.source_id else {}
    assert (json.loads(employer.row) | own_id if employer else {}) == expectation.get("employer", {})
    assert len(prepared) == expectation["taken"]
    assert {str(reject.line): reject.reason for reject in rejects} == expectation["rejected"]
    for line, fields in expectation.get("row", {}).items():
        (row,) = [json.loads(one.row) for one in prepared if one.line == int(line)]
        assert {name: row.get(name) for name in fields} == fields
    unread = preparer.take_counts().unread
    assert {name: one.lines for name, one in unread.items()} == expectation.get("unread", {})


@each
def test_importing_an_export_a_second_time_changes_nothing(path, database):
    expectation = expected(path)
    clock = SetClock()
    job = ImportTask(entity=KINDS[expectation["kind"]], paths=[str(path)], source="export", keyring=KEYRING)

    def import_export():
        return import_files(database, job, clock, lambda file, reject: None, lambda progress: None)

    assert import_export().created == expectation["taken"]
    before = head(database)
    clock.advance(DAY_SECONDS)
    again = import_export()
    assert (again.unchanged, again.created, again.updated, again.employers) == (expectation["taken"], 0, 0, 0)
    assert head(database) == before
