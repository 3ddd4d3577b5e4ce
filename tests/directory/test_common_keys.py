"""Keys shared by very many records: lookups of them are bounded, and other keys work as usual."""

import pytest

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.records import Company
from record_factory import DIGESTS, contact, load_companies, load_contacts

EMAILS = [f"rare{n}@example.com" for n in range(30)]
SHARED = ["one@example.com", "two@example.com"]


@pytest.fixture
def shared(database, monkeypatch):
    """Store thirty people with an address each and two addresses shared by eight of them; limit lookups to five."""
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
        holders = store.contacts_by_key(session, keys)
    return {keys[digest]: len(contacts) for digest, contacts in holders.items()}


def test_a_key_with_too_many_holders_finds_nobody(shared):
    assert found(shared, SHARED[:1]) == {}


def test_the_other_keys_of_a_batch_are_found_next_to_it(shared):
    assert found(shared, [*SHARED, *EMAILS[:9]]) == dict.fromkeys(EMAILS[:9], 1)


def test_a_batch_of_keys_that_needs_several_reads_is_found(shared):
    assert found(shared, EMAILS[:15]) == dict.fromkeys(EMAILS[:15], 1)


def test_keys_read_in_parts_are_each_read_completely(shared, monkeypatch):
    monkeypatch.setattr(store, "_BATCH", 7)
    assert found(shared, [*SHARED, *EMAILS[:9]]) == dict.fromkeys(EMAILS[:9], 1)


def test_a_name_shared_by_too_many_companies_finds_none(database, monkeypatch):
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
