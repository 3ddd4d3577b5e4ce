"""The generated contacts and companies of the bench."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench.changes import write_changes
from bench.draws import Brand
from bench.generate import brands, company_rows, contact_rows, write_rows

from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.normalise.phones import normalise_phone
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.records.company import normalise_company
from firmograph.ingest.records.contact import normalise_contact
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]

Rows = list[dict[str, Any]]

FICTION = re.compile(r"\+1\d{3}55501\d\d|\+447700900\d{3}|\+3363998\d{4}|\+4917139200\d\d")
"""The ranges that North America, the United Kingdom, France and Germany keep for fiction."""
RESERVED = re.compile(r"(?:[a-z0-9-]+\.)+(?:test|example\.(?:com|net|org))")


@pytest.fixture(scope="module")
def known_brands() -> list[Brand]:
    return brands(300)


@pytest.fixture(scope="module")
def contacts(known_brands: list[Brand]) -> Rows:
    return list(contact_rows(3_000, known_brands))


@pytest.fixture(scope="module")
def companies(known_brands: list[Brand]) -> Rows:
    return list(company_rows(known_brands))


def _addresses(row: dict[str, Any]) -> list[str]:
    return [email if isinstance(email, str) else email["email"] for email in row.get("emails", [])]


def test_the_same_counts_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_rows(contact_rows(500, brands(50)), tmp_path / name, lambda _: None)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_a_file_has_a_line_for_each_row_and_reports_each(tmp_path: Path) -> None:
    row_counts: list[int] = []
    write_rows(contact_rows(2_345, brands(20)), tmp_path / "rows", row_counts.append)
    assert sum(row_counts) == len((tmp_path / "rows").read_bytes().splitlines()) == 2_345


def test_every_domain_and_address_is_reserved(contacts: Rows, companies: Rows) -> None:
    hosts = {host_of(row["domain"]) for row in companies}
    hosts |= {address.lower().rpartition("@")[2] for row in contacts for address in _addresses(row)}
    named = [row["company"] for row in contacts if isinstance(row["company"], dict)]
    hosts |= {host_of(company["domain"]) for company in named}
    assert len(hosts) > 200
    assert all(host and RESERVED.fullmatch(host) for host in hosts)


def test_every_telephone_number_is_from_a_range_reserved_for_fiction(contacts: Rows, companies: Rows) -> None:
    given = [phone for row in (*contacts, *companies) for phone in row.get("phones", [])]
    texts = [phone if isinstance(phone, str) else phone["number"] for phone in given]
    numbers = [normalise_phone(text, "US") for text in texts]
    assert len(numbers) > 500
    assert all(number and FICTION.fullmatch(number[0]) for number in numbers)


def test_no_two_rows_share_a_key(contacts: Rows, companies: Rows) -> None:
    addresses = [address.lower() for row in contacts for address in _addresses(row)]
    pages = [linkedin_slug(row["linkedinUrl"], "in") for row in contacts if "linkedinUrl" in row]
    hosts = [host_of(row["domain"]) for row in companies]
    for keys in (addresses, pages, hosts, [row["sourceId"] for row in contacts]):
        assert len(set(keys)) == len(keys)
        assert None not in keys


def test_every_row_is_imported_completely(contacts: Rows, companies: Rows) -> None:
    people = [normalise_contact(msgspec.convert(row, ContactInput)) for row in contacts]
    assert all(person.company and person.last_name for person in people)
    assert all(
        len(person.emails) == len(_addresses(row)) for person, row in zip(people, contacts, strict=True)
    )
    assert all(
        bool(person.location and person.location.country_iso2) == ("location" in row)
        for person, row in zip(people, contacts, strict=True)
    )
    firms = [normalise_company(msgspec.convert(row, CompanyInput)) for row in companies]
    assert all(firm.domain and firm.employee_count and firm.industry and firm.location for firm in firms)


@pytest.mark.parametrize(
    ("field", "commonest"), [("firstName", 0.01), ("lastName", 0.005), ("country", 0.25), ("employer", 0.005)]
)
def test_values_are_skewed(contacts: Rows, field: str, commonest: float) -> None:
    def value(row: dict[str, Any]) -> Any:
        if field == "country":
            return row.get("location", {}).get("country")
        if field == "employer":
            return row["company"].get("domain") if isinstance(row["company"], dict) else row["company"]
        return row[field]

    counted = Counter(value(row) for row in contacts)
    counted.pop(None, None)
    average = sum(counted.values()) / len(counted)
    top = counted.most_common(1)[0][1]
    assert top > 2 * average
    assert top / len(contacts) > commonest


def test_contacts_fill_the_fields_of_filters(contacts: Rows, companies: Rows) -> None:
    for field in ("skills", "previousEmployment", "education", "phones"):
        assert sum(field in row for row in contacts) > len(contacts) / 10
    for field in ("technologies", "revenueRange", "yearFounded", "specialities"):
        assert sum(field in row for row in companies) > len(companies) / 4


def _filled(entries: list[Entry]) -> set[str]:
    return {field for entry in entries for field, *_ in (*entry.terms, *entry.figures)}


def test_every_searchable_field_is_filled(contacts: Rows, companies: Rows) -> None:
    people = [normalise_contact(msgspec.convert(row, ContactInput)) for row in contacts]
    firms = [normalise_company(msgspec.convert(row, CompanyInput)) for row in companies]
    of_people = _filled([contact_entry(number, 1, one) for number, one in enumerate(people, 1)])
    of_firms = _filled([company_entry(number, one) for number, one in enumerate(firms, 1)])
    # former employers get their numbers on import, as for the detection of signals
    assert of_people == (fields.CONTACT_TERMS | fields.CONTACT_TEXTS | fields.CONTACT_FIGURES) - {
        fields.PAST_COMPANY,
        fields.SIGNAL,
    }
    # every company is complete; partial ones are those named only by others
    assert of_firms == (fields.COMPANY_TERMS | fields.COMPANY_TEXTS | fields.COMPANY_FIGURES) - {
        fields.PARTIAL,
        fields.SIGNAL,
    }


def test_changed_rows_belong_to_generated_contacts_and_differ(contacts: Rows, tmp_path: Path) -> None:
    rows, changes = tmp_path / "rows", tmp_path / "changes"
    write_rows(iter(contacts), rows, lambda _: None)
    write_changes(rows, len(contacts), 100, changes, "2030-01-01")
    before = {row["sourceId"]: row for row in contacts}
    changed = [msgspec.json.decode(line) for line in changes.read_bytes().splitlines()]
    assert len(changed) == 100
    assert len({row["sourceId"] for row in changed}) == 100
    assert all(row["updateDate"] == "2030-01-01" for row in changed)
    assert sum(row.get("jobTitle") != before[row["sourceId"]].get("jobTitle") for row in changed) > 90
