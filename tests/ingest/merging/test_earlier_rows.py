"""Records that an earlier release stored with placeholders and shared hosts, under today's rules.

The rows are written past the readers, as an earlier release read them.
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
    """Brings the records of the test's database under today's rules."""

    def upgrade():
        with database.write(RECORDS) as session:
            session.raw.execute("DELETE FROM installation WHERE name = 'rules'")
        Upgrade(database, KEYRING).run()

    return upgrade


def kept(database, entity, *keys):
    """Those of the keys that any record holds."""
    found = store.find(database.session(), entity, keys)
    return [key for key in keys if key in found]


def test_placeholders_leave_a_contact_with_their_keys(database, upgrade):
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
    gone = (
        DIGESTS.contact_source("a", "None"),
        DIGESTS.contact_linkedin("in/none"),
        DIGESTS.contact_email("none@none.com"),
    )
    own = DIGESTS.contact_email("jane@example.com")
    assert kept(database, Entity.CONTACT, *gone, own) == [own]


def test_the_same_row_without_its_placeholder_id_comes_back_to_its_place(database, upgrade):
    row = contact(emails=["jane@example.com"])
    load_contacts(database, "a", [("None", row)])
    upgrade()
    assert load_contacts(database, "a", [row]).unchanged == 1
    assert database.session().raw.execute("SELECT source_id FROM contact_rows").fetchall() == [("",)]


def test_people_of_one_shared_host_get_employers_of_their_own(database, upgrade):
    rows = [
        contact(first, last, company=CompanyRef(name=f"{last} Works", domain="gmail.com"))
        for first, last in (("Ada", "Quill"), ("Boris", "Vance"))
    ]
    load_contacts(database, "a", rows)
    assert len({number for _, number in stored_contacts(database).values()}) == 1
    upgrade()
    assert employers(database) == [("Quill", "Quill Works"), ("Vance", "Vance Works")]


def test_a_shared_host_leaves_a_company_with_its_keys(database, upgrade):
    load_companies(
        database, "a", [Company(name="Annas Bakery", domain="annas.github.io", email_domain="gmail.com")]
    )
    # as an earlier release found it
    with database.write(RECORDS) as session:
        store.put_keys(session, Entity.COMPANY, [(DIGESTS.company_domain("github.io"), 1)])
    upgrade()
    (record,) = stored_companies(database).values()
    assert (record.name, record.domain, record.email_domain) == ("Annas Bakery", None, None)
    gone = DIGESTS.company_host("annas.github.io"), DIGESTS.company_domain("github.io")
    assert kept(database, Entity.COMPANY, *gone) == []


def test_what_has_neither_stays_as_it_is(database, upgrade):
    load_contacts(database, "a", [("1", contact(emails=["jane@example.com"], company="Na"))])
    before = stored_contacts(database), stored_companies(database)
    count = "SELECT count(*) FROM changes"
    changes = database.session().raw.execute(count).fetchone()
    upgrade()
    assert (stored_contacts(database), stored_companies(database)) == before
    assert database.session().raw.execute(count).fetchone() == changes
