"""JSON rows whose fields stand under the names of columns: each is read as a table with these columns is."""

import json
from pathlib import Path
from typing import Any

import pytest

from firmograph.ingest.reading.mapping import (
    NO_MAPPING,
    ColumnMapping,
    MappingOptions,
    build_object_layout,
    build_table_layout,
)
from firmograph.ingest.reading.readers import RawRow
from firmograph.ingest.records.file_versions import find_row_order
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS

pytestmark = pytest.mark.no_database

PEOPLE: list[dict[str, Any]] = [
    {
        "firstName": "Ana",
        "lastName": "Reis",
        "email": "ana@w1.example",
        "phone": "+351 212 345 678",
        "title": "CFO",
    },
    {"first_name": "Ana", "last_name": "Reis", "email": "ana@w1.example", "organization_name": "W1"},
    {"First Name": "Ana", "Last Name": "Reis", "Company": "W1", "Mobile Phone": "+351 912 345 678"},
    {"fullName": "Ana Reis", "company": "W1", "companyDomain": "w1.example", "companyName": "W1 Ltd"},
    {"name": "Ana Reis", "company_name": "W1", "linkedin_url": "linkedin.com/in/ana-reis", "City": "Porto"},
    {"Nome": "Ana Reis", "Email 1": "a@w1.example", "Email 2": "ana@w1.example", "Contact Id": "C-7"},
    {
        "firstName": "Ana",
        "lastName": "Reis",
        "jobTitle": "CFO",
        "company.domain": "w1.example",
        "country": "PT",
    },
]
COMPANIES: list[dict[str, Any]] = [
    {"Company Name": "W1", "website": "https://www.w1.example/", "founded": 1999, "Industry": "Software"},
    {"name": "W1", "domain": "w1.example", "phone": "+351 212 345 678", "employees": "51-200"},
    {"organization": "W1", "linkedin": "linkedin.com/company/w1", "city": "Porto", "country": "Portugal"},
]


def prepare(entity: Entity, raw: RawRow, layout: Any = None) -> tuple[Any, ColumnCounts]:
    preparer = Preparer(entity, DIGESTS, "crm", layout)
    read = preparer.prepare_contacts if entity is Entity.CONTACT else preparer.prepare_companies
    prepared, rejects = read([raw])
    assert rejects == []
    return prepared[0], preparer.take_counts()


def from_json(
    row: Any, entity: Entity = Entity.CONTACT, layout: Any = None
) -> tuple[dict[str, Any], ColumnCounts]:
    prepared, counts = prepare(entity, RawRow(1, json.dumps(row).encode()), layout)
    return json.loads(prepared.row), counts


def from_table(row: dict[str, Any], entity: Entity) -> dict[str, Any]:
    layout = build_table_layout(list(row), NO_MAPPING, entity, Path("people.csv"))
    found: dict[str, Any] = json.loads(prepare(entity, RawRow(1, [*map(str, row.values())]), layout)[0].row)
    return found


@pytest.mark.parametrize(
    ("entity", "row"),
    [(Entity.CONTACT, row) for row in PEOPLE] + [(Entity.COMPANY, row) for row in COMPANIES],
)
def test_flat_keys_are_read_as_the_columns_of_a_table(entity, row):
    found, counts = from_json(row, entity)
    assert found == from_table(row, entity)
    assert counts.unknown == {}


def test_a_native_field_wins_and_flat_ones_fill_what_it_lacks():
    found, counts = from_json(
        {
            "fullName": "Ana Reis",
            "jobTitle": {"title": "CFO"},
            "title": "Clerk",
            "company": {"name": "W1"},
            "companyName": "Other",
            "companyDomain": "w1.example",
            "emails": [{"email": "ana@w1.example", "type": "work"}],
            "email": "ana.reis@w1.example",
        }
    )
    assert found["jobTitle"]["title"] == "CFO"
    assert (found["company"]["name"], found["company"]["domain"]) == ("W1", "w1.example")
    assert [one["email"] for one in found["emails"]] == ["ana@w1.example", "ana.reis@w1.example"]
    assert counts.unknown == {}


def test_a_key_that_no_column_has_stays_unknown():
    found, counts = from_json(
        {"fullName": "Ana Reis", "email": "ana@w1.example", "shoe": 7, "x": {"email": "b@c.example"}}
    )
    assert [one["email"] for one in found["emails"]] == ["ana@w1.example"]
    assert counts.unknown == {"shoe": 1, "x": 1}


def test_an_unreadable_flat_value_is_counted_as_unread():
    _, counts = from_json({"fullName": "Ana Reis", "companyName": "W1", "email": "ana at w1"})
    assert list(counts.unread) == ["emails.email"]


def test_a_mapping_without_guesses_leaves_flat_keys_out():
    row = {"Nome": "Ana Reis", "email": "ana@w1.example", "companyName": "W1", "sourceId": "7"}
    columns = {"Nome": "fullName", "sourceId": "sourceId"}
    strict = ColumnMapping(columns, options=MappingOptions(guess=False))
    found, counts = from_json(row, layout=build_object_layout(strict, Entity.CONTACT))
    assert (found["fullName"], found.get("emails"), found.get("company")) == ("Ana Reis", None, None)
    assert counts.unknown == {"email": 1, "companyName": 1}
    found, counts = from_json(row, layout=build_object_layout(ColumnMapping(columns), Entity.CONTACT))
    assert (found["company"]["name"], counts.unknown) == ("W1", {})


def test_versions_of_a_person_with_flat_keys_come_in_the_order_of_their_days(tmp_path):
    path = tmp_path / "people.jsonl"
    days = ("2025-03-01", "2025-01-01")
    path.write_text(
        "".join(json.dumps({"email": "ana@w1.example", "updateDate": day}) + "\n" for day in days)
    )
    assert find_row_order(path, None, table=False).by_last == {1: [1, 0]}
