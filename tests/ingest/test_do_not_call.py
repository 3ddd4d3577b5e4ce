"""Lasting do-not-call marks: only the source that set one lifts it, on a later day.

See docs/reference/records.md#do-not-call.
"""

import json
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.directory.contact_json import decode_contact
from firmograph.ingest.merging import store
from firmograph.ingest.reading.readers import RawRow
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.service import Importer
from firmograph.kit.clock import SetClock
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS, KEYRING
from stored_records import stored_contacts

NUMBER = "+12025550101"
OTHER = "+12025550102"
DAY_SECONDS = 86_400.0
PEOPLE = count(1)


@pytest.fixture
def imported(database):
    """Return a function that imports rows of a source in order and returns their results."""

    def imported(source, *rows, clock=None):
        preparer = Preparer(Entity.CONTACT, DIGESTS, source, None)
        raw = [RawRow(line, json.dumps(row).encode()) for line, row in enumerate(rows, 1)]
        prepared, rejects = preparer.prepare_contacts(raw)
        assert rejects == []
        importer = Importer(database, KEYRING, clock or SetClock(), source)
        return [outcome for outcomes in importer.import_contacts(prepared) for outcome in outcomes]

    return imported


def jane(mark=None, day=None, number=NUMBER, **fields):
    phone = {"number": number} | ({} if mark is None else {"doNotCall": mark})
    row = {"firstName": "Jane", "lastName": "Doe", "emails": ["jane@example.com"], "phones": [phone]}
    return row | ({"updateDate": day} if day else {}) | fields


def marks(database):
    """Return the do-not-call mark of each number in any record."""
    return {
        phone.number: phone.do_not_call
        for record, _ in stored_contacts(database).values()
        for phone in record.phones
    }


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_rows_of_a_source_the_newest_mark_counts_in_any_order(database, imported, order):
    rows = [jane(True, "2025-06-01", sourceId="1"), jane(False, "2025-01-01", sourceId="2")]
    for place in order:
        imported("crm", rows[place])
    assert marks(database) == {NUMBER: True}


def test_a_newer_row_without_the_mark_does_not_lift_it(database, imported):
    imported("registry", jane(True, "2025-01-01"))
    imported("crm", jane(None, "2025-06-01"))
    imported("registry", jane(None, "2025-07-01"))
    assert marks(database) == {NUMBER: True}


def test_only_the_same_source_lifts_a_mark_and_only_on_a_later_day(database, imported):
    imported("registry", jane(True, "2025-02-01"))
    imported("crm", jane(False, "2025-06-01"))
    imported("registry", jane(False, "2025-02-01", skills=["go"]))
    assert marks(database) == {NUMBER: True}
    imported("registry", jane(False, "2025-02-02"))
    assert marks(database) == {NUMBER: False}


def test_a_mark_outlives_rows_without_its_number(database, imported):
    imported("crm", jane(True, "2025-01-01"), jane(None, "2025-02-01", OTHER))
    assert marks(database) == {OTHER: False}
    imported("crm", jane(None, "2025-03-01"))
    assert marks(database) == {NUMBER: True}


def test_a_mark_outlives_more_versions_than_are_remembered(database, imported):
    imported("crm", jane(True, "2024-01-01"))
    imported("crm", *(jane(None, f"2025-{n // 28 + 1:02}-{n % 28 + 1:02}") for n in range(130)))
    assert marks(database) == {NUMBER: True}


def test_a_mark_outlives_the_rows_that_a_record_leaves_out(database, imported):
    imported("crm", jane(True, "2024-01-01", sourceId="first"))
    imported("crm", *(jane(None, "2025-01-01", sourceId=f"p{n}") for n in range(120)))
    assert marks(database) == {NUMBER: True}


def test_a_reimported_version_states_its_mark_again(database, imported):
    clock = SetClock()
    imported("crm", jane(True), clock=clock)
    clock.advance(DAY_SECONDS)
    imported("crm", jane(False), clock=clock)
    assert marks(database) == {NUMBER: False}
    clock.advance(DAY_SECONDS)
    (again,) = imported("crm", jane(True), clock=clock)
    assert again.updated
    assert marks(database) == {NUMBER: True}
    (same,) = imported("crm", jane(True), clock=clock)
    assert same.unchanged


def test_the_same_marks_another_day_leave_the_record_unchanged(database, imported):
    clock = SetClock()
    imported("crm", jane(True), clock=clock)
    clock.advance(DAY_SECONDS)
    (again,) = imported("crm", jane(True), clock=clock)
    assert again.unchanged


def test_phone_type_and_email_details_stay_if_a_newer_row_omits_them(database, imported):
    phone = {"number": NUMBER, "type": "mobile", "updateDate": "2024-12-01"}
    email = {"email": "jane@example.com", "type": "private", "confidence": "A"}
    employer = {"company": {"name": "Example", "domain": "example.com"}}
    imported("registry", jane(None, "2025-01-01") | {"phones": [phone], "emails": [email]})
    imported("crm", jane(None, "2025-02-01", **employer))
    (record, _) = stored_contacts(database).popitem()[1]
    assert (record.phones[0].type, record.phones[0].update_date) == ("mobile", "2024-12-01")
    assert (record.emails[0].type, record.emails[0].confidence) == ("private", "A")
    # `work` is what the address implies: here it is stated
    stated = {"emails": [{"email": "jane@example.com", "type": "work"}]}
    imported("crm", jane(None, "2025-03-01", **employer) | stated)
    (record, _) = stored_contacts(database).popitem()[1]
    assert (record.emails[0].type, record.emails[0].confidence) == ("work", "A")


def test_a_number_listed_twice_in_a_row_has_the_mark_and_the_type_of_either(database, imported):
    phones = [
        {"number": NUMBER, "doNotCall": False},
        {"number": NUMBER, "type": "mobile", "doNotCall": "yes"},
    ]
    imported("crm", jane() | {"phones": phones})
    (record, _) = stored_contacts(database).popitem()[1]
    assert [(phone.type, phone.do_not_call) for phone in record.phones] == [("mobile", True)]


@pytest.mark.parametrize(
    ("spelling", "marked"),
    [
        *((spelling, True) for spelling in ("Yes", "x", 1, "1.0", "Opted Out", "WAHR", True)),
        *((spelling, False) for spelling in ("no", 0, "N", "FALSE", False)),
        *((spelling, None) for spelling in ("maybe", 2, "", None)),
    ],
)
def test_the_usual_spellings_are_read_and_others_ignored(spelling, marked):
    (prepared,), _ = Preparer(Entity.CONTACT, DIGESTS, "crm", None).prepare_contacts(
        [RawRow(1, json.dumps(jane(spelling)).encode())]
    )
    assert prepared.marks == ({} if marked is None else {NUMBER: marked})


def test_a_mark_of_the_row_applies_to_all_its_numbers(database, imported):
    imported("crm", jane() | {"phones": [NUMBER, {"number": OTHER, "doNotCall": False}], "doNotCall": "yes"})
    assert marks(database) == {NUMBER: True, OTHER: True}


# --- compared with a plain model ---

DAYS = ["2025-01-01", "2025-02-01", "2025-03-01"]


def statements():
    statement = st.fixed_dictionaries(
        {}, optional={NUMBER: st.sampled_from([None, True, False]), OTHER: st.booleans()}
    )
    return st.lists(
        st.tuples(
            st.sampled_from(["crm", "registry"]), st.sampled_from("12"), st.sampled_from(DAYS), statement
        ),
        min_size=1,
        max_size=7,
    )


def expected(rows):
    """Return the do-not-call numbers among all listed ones."""
    newest = {}
    for source, _, day, statement in rows:
        for number, mark in statement.items():
            if mark is not None:
                newest[source, number] = max((day, mark), newest.get((source, number), ("", False)))
    return {number for (_, number), (_, mark) in newest.items() if mark}


@settings(max_examples=examples(100))
@given(rows=statements(), random=st.randoms(use_true_random=False), repeats=st.integers(0, 3))
def test_any_order_and_repetition_gives_the_newest_statements(database, imported, rows, random, repeats):
    person = f"jane{next(PEOPLE)}@example.com"

    def row(source_id, day, statement):
        phones = [
            {"number": number} | ({} if mark is None else {"doNotCall": mark})
            for number, mark in statement.items()
        ]
        return jane(None, day, sourceId=f"{person}{source_id}") | {"emails": [person], "phones": phones}

    shuffled = rows + [random.choice(rows) for _ in range(repeats)]
    random.shuffle(shuffled)
    for source, source_id, day, statement in shuffled:
        imported(source, row(source_id, day, statement))
    # a last source without statements lists all numbers, so that each is shown
    imported("list", row("", "2024-01-01", {NUMBER: None, OTHER: None}))
    digest = DIGESTS.contact_email(person)
    with database.read() as session:
        (numbers,) = store.find_by_keys(session, Entity.CONTACT, {digest}).values()
        fragments = store.read_contact_parts(session, numbers)
    ((_, found),) = fragments.values()
    phones = decode_contact(found).phones
    assert {phone.number for phone in phones if phone.do_not_call} == expected(rows)
