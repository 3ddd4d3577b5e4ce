"""Preparation of rows: every row is either prepared or rejected with a reason."""

import json
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.records import Company, Contact
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.reading.mapping import (
    NO_MAPPING,
    ColumnMapping,
    build_object_layout,
    build_table_layout,
)
from firmograph.ingest.reading.readers import RawRow
from firmograph.ingest.records.preparation import DELETED, Preparer
from firmograph.ingest.records.prepared_rows import PreparedCompany, PreparedContact, Reject
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS

pytestmark = pytest.mark.no_database

CONTACTS = Preparer(Entity.CONTACT, DIGESTS, "crm", None)
COMPANIES = Preparer(Entity.COMPANY, DIGESTS, "crm", None)


def contact(row: object, preparer: Preparer = CONTACTS) -> PreparedContact:
    prepared, rejects = preparer.prepare_contacts([raw(row)])
    assert rejects == []
    return prepared[0]


def company(row: object) -> PreparedCompany:
    prepared, rejects = COMPANIES.prepare_companies([raw(row)])
    assert rejects == []
    return prepared[0]


def refused(row: object, preparer: Preparer = CONTACTS) -> Reject:
    prepare = preparer.prepare_contacts if preparer is not COMPANIES else preparer.prepare_companies
    prepared, rejects = prepare([raw(row, 7)])
    assert prepared == []
    assert rejects[0].line == 7
    return rejects[0]


def raw(row: object, line: int = 1) -> RawRow:
    return RawRow(line, row if isinstance(row, bytes) else json.dumps(row).encode())


# --- prepared rows ---


def test_a_contact_is_prepared_with_its_keys_names_and_employer():
    row = {
        "sourceId": 17,
        "firstName": "Jane",
        "lastName": "Doe",
        "emails": ["jane@acme.example.com", "j@acme.example.com"],
        "linkedinUrl": "linkedin.com/in/jane",
        "company": {"name": "Acme Inc", "domain": "eu.acme.example.com"},
        "updateDate": "2025-06-01",
    }
    prepared = contact(row)
    assert prepared.line == 1
    assert prepared.source_id == "17"
    assert prepared.day == "2025-06-01"
    assert prepared.source_digest == DIGESTS.contact_source("crm", "17")
    assert prepared.linkedin_digest == DIGESTS.contact_linkedin("in/jane")
    assert prepared.email_digests == [
        DIGESTS.contact_email("jane@acme.example.com"),
        DIGESTS.contact_email("j@acme.example.com"),
    ]
    assert (prepared.first_name, prepared.last_name) == ("Jane", "Doe")
    assert prepared.employer is not None
    assert prepared.employer.host_digest == DIGESTS.company_host("eu.acme.example.com")
    assert prepared.employer.name_digests == [DIGESTS.company_name("acme")]


def test_a_company_is_prepared_with_its_own_keys():
    prepared = company(
        {"sourceId": "a1", "name": "Acme GmbH", "domain": "acme.example.com", "location": "Germany"}
    )
    assert prepared.source_digest == DIGESTS.company_source("crm", "a1")
    assert prepared.own.host_digest == DIGESTS.company_host("acme.example.com")
    assert prepared.own.name_digests == [DIGESTS.company_name("acme")]
    assert prepared.own.country == "DE"
    assert msgspec.json.decode(prepared.row, type=Company).name == "Acme GmbH"


def test_the_version_changes_exactly_when_the_canonical_row_does():
    one = contact({"fullName": "Jane Doe", "emails": ["j@x.example.com"]})
    same = contact({"emails": "J@X.example.com", "fullName": " Jane  Doe", "unknown": 1})
    other = contact({"fullName": "Jane Roe", "emails": ["j@x.example.com"]})
    assert len(one.version) == 8
    assert one.version == same.version != other.version


def test_unknown_fields_are_ignored():
    assert contact({"firstName": "J", "emails": ["j@x.example.com"], "x": {"y": [1, None]}, "id": "v1.abc"})


def test_nul_characters_are_left_out():
    prepared = contact({"firstName": "Ja\0ne", "emails": ["j\0@x.example.com"]})
    assert prepared.first_name == "Jane"
    assert b"\\u0000" not in prepared.row
    layout = build_table_layout(["First Name", "Email"], NO_MAPPING, Entity.CONTACT, None)  # type: ignore[arg-type]
    tabular = Preparer(Entity.CONTACT, DIGESTS, "crm", layout)
    assert tabular.prepare_contacts([RawRow(1, ["Ja\0ne", "j@x.example.com"])])[0][0].first_name == "Jane"


def test_a_mapping_is_applied_to_json_lines():
    layout = build_object_layout(ColumnMapping(columns={"mail": "emails.0.email"}), Entity.CONTACT)
    prepared = contact(
        {"mail": "j@x.example.com", "firstName": "J"}, Preparer(Entity.CONTACT, DIGESTS, "crm", layout)
    )
    assert prepared.email_digests == [DIGESTS.contact_email("j@x.example.com")]
    assert prepared.first_name == "J"


# --- rejected rows ---


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"nope", "JSON is malformed"),
        (b'{"firstName": "J"', "truncated"),
        (b'{"firstName": "\xff"}', "firstName: expected str"),
        (b'{"x":' * 5000 + b"1", "nested too deeply"),
        (b"[1]", "not a record: expected object, got array"),
        (b"null", "not a record: expected object, got null"),
        ({"firstName": True}, "firstName: expected str"),
        ({"emails": [{"email": 1.5}]}, "emails[0].email: expected str"),
        ({}, "no name, e-mail or linkedinUrl"),
        ({"sourceId": "p-1"}, "no name, e-mail or linkedinUrl"),
        ({"sourceId": "p-1", "linkedinUrl": "https://example.com/jane"}, "no name, e-mail or linkedinUrl"),
        ({"emails": ["nope"], "company": "Acme"}, "no name, e-mail or linkedinUrl"),
        ({"firstName": "!!!", "company": "Acme"}, "no name, e-mail"),
        ({"fullName": "Jane Doe"}, "a name alone"),
        ({"fullName": "Jane Doe", "company": "Independent"}, "a name alone"),
        ({"fullName": "Jane Doe", "phones": ["+14155550101"]}, "a name alone"),
    ],
)
def test_an_unusable_contact_is_rejected_with_a_reason(row, reason):
    assert reason in refused(row).reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, "no name, domain or linkedinUrl"),
        ({"sourceId": "1", "description": "x"}, "no name, domain or linkedinUrl"),
        ({"name": "???", "domain": "nothing"}, "no name, domain or LinkedIn URL that could be read"),
        ({"name": ["Acme"]}, "name: expected str"),
    ],
)
def test_an_unusable_company_is_rejected_with_a_reason(row, reason):
    assert reason in refused(row, COMPANIES).reason


def test_an_unreadable_row_keeps_the_readers_reason():
    prepared, rejects = CONTACTS.prepare_contacts([RawRow(3, None, "the line is too long")])
    assert prepared == []
    assert rejects == [Reject(3, "the line is too long")]


def test_a_reject_contains_the_source_id_and_no_other_value():
    _, (reject,) = COMPANIES.prepare_companies([raw({"sourceId": 17.0, "name": {"secret": "Jane"}})])
    assert reject.source_id == "17"
    assert "jane" not in reject.reason.lower()
    assert refused({"sourceId": ["a"], "fullName": "Jane Doe"}).source_id == ""


@pytest.mark.parametrize(
    "bad",
    [
        b'"title": true',
        b'"title": "\xff"',
        b'"title": "\\ud800"',
        b'"title": Infinity',
        b'"title": 1e999',
        b'"title": ' + b"9" * 5000,
        b'"title": ' + b"[" * 5000 + b"]" * 5000,
        b'"x": ' + b'{"y":' * 5000 + b'"[{"' + b"}" * 5000,
        b'"x": "\xff"',
        b'"\xff": 1',
    ],
)
def test_a_bad_value_does_not_reject_its_row(bad):
    text = b'{"jobTitle": {%s, "startDate": "2024-05-06"}, "emails": [5, "j@x.example.com"]}' % bad
    prepared, rejects = CONTACTS.prepare_contacts([RawRow(1, text)])
    assert rejects == []
    record = msgspec.json.decode(prepared[0].row)
    assert record["jobTitle"] == {"startDate": "2024-05-06"}
    assert [email["email"] for email in record["emails"]] == ["j@x.example.com"]


def test_a_row_of_very_many_bad_values_is_still_a_row():
    prepared = contact({"emails": ["j@x.example.com"], "skills": [5] * 10_000, "firstName": "Jane"})
    assert prepared.first_name == "Jane"


def test_rows_around_a_bad_one_are_prepared():
    rows = [raw({"emails": [f"a{n}@x.example.com"]} if n % 2 else {}, n) for n in range(10)]
    prepared, rejects = CONTACTS.prepare_contacts(rows)
    assert [row.line for row in prepared] == [1, 3, 5, 7, 9]
    assert [reject.line for reject in rejects] == [0, 2, 4, 6, 8]


# --- any input ---

WORDS = st.sampled_from(
    ["Acme Inc", "Independent", "acme.example.com", "https://www.linkedin.com/in/jane", "jane@x.example.com",
     "+14155550101", "(512) 555-0123", "2024-05-06", "Jan 5, 2021", "51-200", "$1M", "Germany", "US", "CA",
     "VP Sales", "linkedin.com/company/acme", "1,234.5", "7372 - X", "a;b|c", "1e400", "-1", "0", "NaN", "\0",
     "Île-de-France", "株式会社", "Österreich, AT", "true", "@acme", "x.com/acme", "Banking", "B2B"]
)  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 1, 7372, 1999, 10**30, -(10**400)])
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
    | st.text(max_size=12)
)


def forms(kind: msgspec.inspect.Type) -> st.SearchStrategy[Any]:
    """Generate values of the types that a field may have, valid or invalid."""
    match kind:
        case msgspec.inspect.UnionType():
            return st.one_of([forms(one) for one in kind.types])
        case msgspec.inspect.StructType():
            return st.fixed_dictionaries(
                {}, optional={one.encode_name: forms(one.type) for one in kind.fields}
            )
        case msgspec.inspect.ListType():
            return st.lists(forms(kind.item_type), max_size=3)
        case msgspec.inspect.StrType():
            return WORDS | st.text(max_size=12)
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            return (
                st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([5, 1999])
            )
        case msgspec.inspect.BoolType():
            return st.booleans()
        case msgspec.inspect.NoneType():
            return st.none()
    return st.dictionaries(st.sampled_from(["min", "max", "exact", "x"]), LEAVES, max_size=3)


@cache
def fields_of(kind: type[msgspec.Struct]) -> dict[str, st.SearchStrategy[Any]]:
    return {field.encode_name: forms(field.type) for field in msgspec.inspect.type_info(kind).fields}


@st.composite
def rows_like(draw: st.DrawFn, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Generate rows of some fields in their right types, one in four with a field of any type."""
    fields = fields_of(kind)
    names = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=6, unique=True))
    row = {"sourceId": "1", "name": "Acme"} | {name: draw(fields[name]) for name in names}
    if draw(st.integers(0, 3)) == 3:
        row[names[0]] = draw(LEAVES)
    return row


CALM = settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))


@CALM
@given(row=rows_like(ContactInput))
def test_a_contact_is_prepared_or_rejected_and_a_prepared_one_is_canonical(row):
    prepared, rejects = CONTACTS.prepare_contacts([raw(row)])
    assert len(prepared) + len(rejects) == 1
    assert all(reject.reason for reject in rejects)
    for one in prepared:
        record = msgspec.json.decode(one.row, type=Contact)
        assert decode_contact(one.fragments) == record
        again, _ = CONTACTS.prepare_contacts([raw({"sourceId": "1", **json.loads(one.row)})])
        assert msgspec.json.decode(again[0].row, type=Contact) == record


@CALM
@given(row=rows_like(CompanyInput))
def test_a_company_is_prepared_or_rejected_and_a_prepared_one_is_canonical(row):
    prepared, rejects = COMPANIES.prepare_companies([raw(row)])
    assert len(prepared) + len(rejects) == 1
    assert all(reject.reason for reject in rejects)
    for one in prepared:
        record = msgspec.json.decode(one.row, type=Company)
        again, _ = COMPANIES.prepare_companies([RawRow(1, one.row)])
        assert msgspec.json.decode(again[0].row, type=Company) == record
        assert again[0].version == one.version


@CALM
@given(
    line=st.binary(max_size=60)
    | st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_any_line_is_prepared_or_rejected(line):
    prepared, rejects = CONTACTS.prepare_contacts([raw(line)])
    assert len(prepared) + len(rejects) == 1


@CALM
@given(cells=st.lists(LEAVES | st.lists(LEAVES, max_size=2), max_size=6))
def test_any_row_of_a_table_is_prepared_or_rejected(cells):
    header = ["Name", "Email", "Company", "Phone", "City", "skills"]
    layout = build_table_layout(header, NO_MAPPING, Entity.CONTACT, None)  # type: ignore[arg-type]
    prepared, rejects = Preparer(Entity.CONTACT, DIGESTS, "crm", layout).prepare_contacts([RawRow(1, cells)])
    assert len(prepared) + len(rejects) == 1


def test_stored_parts_of_a_company_determine_its_record():
    row = {"name": "Acme", "domain": "acme.example.com", "parents": ["Top"], "openJobs": {"total": 3}}
    prepared = company(row)
    assert decode_company(prepared.fragments) == msgspec.json.decode(prepared.row, type=Company)


@pytest.mark.parametrize(
    ("deleted", "prepared_count", "unread"),
    [
        (True, 0, []),
        ("TRUE", 0, []),
        (1, 0, []),
        (False, 1, []),
        ("", 1, []),
        ("n/a", 1, []),
        ("2024-01-02", 1, ["deleted"]),
    ],
)
@pytest.mark.parametrize("entity", Entity)
def test_a_row_marked_as_deleted_by_its_program_is_rejected(entity, deleted, prepared_count, unread):
    name = {"fullName": "Jane Doe", "company": "Acme"} if entity is Entity.CONTACT else {"name": "Acme"}
    preparer = Preparer(entity, DIGESTS, "crm", None)
    rows = [RawRow(1, json.dumps({"sourceId": "7", "deleted": deleted, **name}).encode())]
    prepare = preparer.prepare_contacts if entity is Entity.CONTACT else preparer.prepare_companies
    prepared, rejects = prepare(rows)
    assert len(prepared) == prepared_count
    assert rejects == ([] if prepared_count else [Reject(1, DELETED, "7", is_lost=False)])
    assert list(preparer.take_counts().unread) == unread
