"""Keys that very many records hold: reading them is bounded, and the others are found as before."""

import pytest

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.records import Company
from record_factory import DIGESTS, contact, load_companies, load_contacts

EMAILS = [f"rare{n}@example.com" for n in range(30)]
SHARED = ["one@example.com", "two@example.com"]


@pytest.fixture
def shared(database, monkeypatch):
    """Thirty people with an address each; two addresses that eight of them share; at most five are looked at."""
    monkeypatch.setattr(store, "MAX_HOLDERS", 5)
    load_contacts(
        database,
        "test",
        [
            contact(f"{name}{name}", f"{name}son", emails=[email, *(SHARED if n < 8 else [])])
            for n, (name, email) in enumerate(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜß", EMAILS, strict=True))
        ],
    )
    return database


def found(database, emails) -> dict[str, int]:
    keys = {DIGESTS.contact_email(email): email for email in emails}
    with database.read() as session:
        held = store.contacts_by_key(session, keys)
    return {keys[digest]: len(contacts) for digest, contacts in held.items()}


def test_by_a_key_that_too_many_hold_nobody_is_found(shared):
    assert found(shared, SHARED[:1]) == {}


def test_the_other_keys_of_a_batch_are_found_beside_it(shared):
    assert found(shared, [*SHARED, *EMAILS[:9]]) == dict.fromkeys(EMAILS[:9], 1)


def test_as_many_keys_as_a_few_reads_hold_are_found(shared):
    assert found(shared, EMAILS[:15]) == dict.fromkeys(EMAILS[:15], 1)


def test_keys_that_are_read_in_parts_are_each_read_to_their_end(shared, monkeypatch):
    monkeypatch.setattr(store, "_AT_ONCE", 7)
    assert found(shared, [*SHARED, *EMAILS[:9]]) == dict.fromkeys(EMAILS[:9], 1)


def test_a_name_that_too_many_companies_share_is_read_no_further(database, monkeypatch):
    load_companies(database, "test", [Company(name="Same Name", domain=f"d{n}.example") for n in range(8)])
    monkeypatch.setattr(store, "MAX_HOLDERS", 5)
    name, host = DIGESTS.company_name("same name"), DIGESTS.company_host("d3.example")
    with database.read() as session:
        assert set(store.companies_by_key(session, [name, host])) == {host}
        assert set(store.company_numbers(session, [name, host])) == {host}


@pytest.mark.sqlite
def test_reading_by_key_needs_no_sorting(database):
    session: Session = database.session()
    for statement in (store._contacts_by_key, store._companies_by_key, store._company_numbers):
        text, values = session.prepared(statement).bind({"digests": [b"1", b"2"], "most": 9})
        plan = session.raw.execute("EXPLAIN QUERY PLAN " + text, values).fetchall()
        assert not any("TEMP B-TREE" in step[3] for step in plan)
