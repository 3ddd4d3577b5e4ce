"""Placeholders and shared hosts stored by an earlier release, under current rules.

The rows are written without the readers, in the form an earlier release stored.
"""

import pytest

from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company, CompanyRef, Phone
from firmograph.ingest.merging import store
from firmograph.ingest.merging.upgrade import Upgrade
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from stored_records import employers, stored_companies, stored_contacts


@pytest.fixture
def upgrade(database):
    """Return a function that upgrades the records of the test's database to current rules."""

    def upgrade():
        with database.write(RECORDS) as session:
            session.raw.execute("DELETE FROM installation WHERE name = 'rules'")
        Upgrade(database, KEYRING).run()

    return upgrade


def existing_keys(database, entity, *keys):
    """Return those of the keys that belong to any record."""
    found = store.find_by_keys(database.session(), entity, keys)
    return [key for key in keys if key in found]


def test_an_upgrade_removes_placeholders_of_a_contact_with_their_keys(database, upgrade):
    row = contact(
        emails=["jane@example.com", "none@none.com"],
        linkedin="https://www.linkedin.com/in/none",
        phones=[Phone(number="+19999999999"), Phone(number="+12125550123")],
    )
    load_contacts(database, "a", [("None", row)])
    upgrade()
    ((record, _),) = stored_contacts(database).values()
    assert record.social_links is None
    assert [email.email for email in record.emails] == ["jane@example.com"]
    assert [phone.number for phone in record.phones] == ["+12125550123"]
    removed = (
        DIGESTS.contact_source("a", "None"),
        DIGESTS.contact_linkedin("in/none"),
        DIGESTS.contact_email("none@none.com"),
    )
    own = DIGESTS.contact_email("jane@example.com")
    assert existing_keys(database, Entity.CONTACT, *removed, own) == [own]


def test_the_same_row_without_its_placeholder_id_finds_its_record(database, upgrade):
    row = contact(emails=["jane@example.com"])
    load_contacts(database, "a", [("None", row)])
    upgrade()
    assert load_contacts(database, "a", [row]).unchanged == 1
    assert database.session().raw.execute("SELECT source_id FROM contact_rows").fetchall() == [("",)]


def test_people_of_one_shared_host_get_separate_employers(database, upgrade):
    rows = [
        contact(first, last, company=CompanyRef(name=f"{last} Works", domain="gmail.com"))
        for first, last in (("Ada", "Quill"), ("Boris", "Vance"))
    ]
    load_contacts(database, "a", rows)
    assert len({number for _, number in stored_contacts(database).values()}) == 1
    upgrade()
    assert employers(database) == [("Quill", "Quill Works"), ("Vance", "Vance Works")]


def test_an_upgrade_removes_a_shared_host_of_a_company_with_its_keys(database, upgrade):
    load_companies(
        database, "a", [Company(name="Annas Bakery", domain="annas.github.io", email_domain="gmail.com")]
    )
    # as an earlier release stored it
    with database.write(RECORDS) as session:
        store.put_keys(session, Entity.COMPANY, [(DIGESTS.company_domain("github.io"), 1)])
    upgrade()
    (record,) = stored_companies(database).values()
    assert (record.name, record.domain, record.email_domain) == ("Annas Bakery", None, None)
    removed = DIGESTS.company_host("annas.github.io"), DIGESTS.company_domain("github.io")
    assert existing_keys(database, Entity.COMPANY, *removed) == []


def test_a_record_without_placeholders_and_shared_hosts_is_unchanged(database, upgrade):
    load_contacts(database, "a", [("1", contact(emails=["jane@example.com"], company="Na"))])
    before = stored_contacts(database), stored_companies(database)
    count = "SELECT count(*) FROM changes"
    changes = database.session().raw.execute(count).fetchone()
    upgrade()
    assert (stored_contacts(database), stored_companies(database)) == before
    assert database.session().raw.execute(count).fetchone() == changes
