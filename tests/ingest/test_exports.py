"""Exports of other programs, with made-up people: what goes in, what does not and why, and nothing new twice.

Next to each file in `exports/` stands a TOML file that says so; where the headers come from stands in its README.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from firmograph.ingest.preparation_process import Job
from firmograph.ingest.reading.mapping import NO_MAPPING, table_layout, unused
from firmograph.ingest.reading.readers import open_rows
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS, KEYRING
from stored_records import head

EXPORTS = sorted(
    path for path in (Path(__file__).parent / "exports").iterdir() if path.suffix in (".csv", ".xlsx")
)
KINDS = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}
DAY_SECONDS = 86_400.0
each = pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)


def expected(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.with_suffix(".toml").read_text("utf-8"))


@each
def test_each_column_goes_in_as_its_field_or_is_left_out_for_a_reason(path):
    wanted = expected(path)
    with open_rows(path) as rows:
        assert rows.columns is not None
        layout = table_layout(rows.columns, NO_MAPPING, KINDS[wanted["kind"]], path)
    fields: dict[str, list[str]] = {}
    for column in layout.columns:
        fields.setdefault(layout.header[column.place], []).append(column.path)
    assert fields == {name: paths for name, (*paths, _) in wanted["goes_in"].items()}
    assert sorted(set(unused(layout))) == sorted(wanted["left_out"])
    assert all(wanted["left_out"].values())


@each
def test_the_first_row_is_stored_as_it_says_and_lines_that_are_no_records_are_set_aside(path):
    wanted = expected(path)
    entity = KINDS[wanted["kind"]]
    with open_rows(path) as rows:
        assert rows.columns is not None
        layout = table_layout(rows.columns, NO_MAPPING, entity, path)
        every = list(rows)
    first = next(row.value for row in every if isinstance(row.value, list))
    for name, (*_, value) in wanted["goes_in"].items():
        place = layout.header.index(name)
        assert ((first[place] if place < len(first) else "") or "") == value, name
    preparer = Preparer(entity, DIGESTS, "export", layout)
    prepared, rejects = (preparer.contacts if entity is Entity.CONTACT else preparer.companies)(every)
    assert json.loads(prepared[0].row) == wanted["stored"]
    said = getattr(prepared[0], "employer_row", None)
    own_id = {"sourceId": said.source_id} if said and said.source_id else {}
    assert (json.loads(said.row) | own_id if said else {}) == wanted.get("employer", {})
    assert len(prepared) == wanted["taken"]
    assert {str(reject.line): reject.reason for reject in rejects} == wanted["rejected"]
    for line, fields in wanted.get("row", {}).items():
        (row,) = [json.loads(one.row) for one in prepared if one.line == int(line)]
        assert {name: row.get(name) for name in fields} == fields
    unread = preparer.take_values().unread
    assert {name: one.lines for name, one in unread.items()} == wanted.get("unread", {})


@each
def test_an_export_that_is_imported_a_second_time_changes_nothing(path, database):
    wanted = expected(path)
    clock = SetClock()
    job = Job(entity=KINDS[wanted["kind"]], paths=[str(path)], source="export", keyring=KEYRING)

    def imported():
        return import_files(database, job, clock, lambda file, reject: None, lambda progress: None)

    assert imported().created == wanted["taken"]
    before = head(database)
    clock.advance(DAY_SECONDS)
    again = imported()
    assert (again.unchanged, again.created, again.updated, again.employers) == (wanted["taken"], 0, 0, 0)
    assert head(database) == before
