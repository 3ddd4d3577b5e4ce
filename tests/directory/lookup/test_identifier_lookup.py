import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifier_lookup import IdentifierLookup
from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.directory.records import Company, SocialLinks
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING, contact, load_companies, load_contacts
from statement_counts import record_statements

pytestmark = pytest.mark.any_database

TOKENS = RecordIds(KEYRING)
JANE, JOE = 1, 2
ACME, NORTH, SOUTH = 1, 2, 3


@pytest.fixture
def lookup(database):
    load_contacts(
        database,
        "a",
        [
            contact("Jane", "Doe", emails=["jane@acme.example", "desk@acme.example"], linkedin="in/jane-doe"),
            contact("Joe", "Roe", emails=["joe@acme.example", "desk@acme.example"], linkedin="in/joe-roe"),
        ],
    )
    load_companies(
        database,
        "a",
        [
            Company(name="Acme", domain="acme.example", social_links=SocialLinks(linkedin="company/acme")),
            Company(name="North", domain="north.umbrella.example"),
            Company(name="South", domain="south.umbrella.example"),
        ],
    )
    return IdentifierLookup(TOKENS, Digests(KEYRING))


@pytest.fixture
def contacts(database, lookup):
    def find(**lists):
        with database.read() as session:
            return lookup.contacts(session, ContactIdentifiers(**lists))

    return find


@pytest.fixture
def companies(database, lookup):
    def find(**lists):
        with database.read() as session:
            return lookup.companies(session, CompanyIdentifiers(**lists))

    return find


def test_mixed_lists_find_every_contact_that_they_name(contacts):
    found = contacts(ids=[TOKENS.seal(Entity.CONTACT, JANE)], linkedin_urls=["in/joe-roe", "in/nobody"])
    assert found.every() == {JANE, JOE}
    assert contacts(emails=["desk@acme.example", "nobody@acme.example"]).every() == {JANE, JOE}
    assert contacts().every() == set()


def test_an_identifier_of_several_contacts_is_ambiguous(contacts):
    found = contacts(emails=["desk@acme.example", "joe@acme.example"])
    assert found.every() == {JANE, JOE}
    assert found.unambiguous() == {JOE}


def test_an_id_of_another_kind_or_installation_names_no_record(contacts, companies):
    assert contacts(ids=[TOKENS.seal(Entity.COMPANY, ACME), "v9." + "x" * 32]).every() == set()
    assert companies(ids=[TOKENS.seal(Entity.CONTACT, JANE)]).every() == set()


def test_companies_are_found_by_id_domain_and_linkedin_page(companies):
    token = TOKENS.seal(Entity.COMPANY, SOUTH)
    found = companies(ids=[token], domains=["north.umbrella.example"], linkedin_urls=["company/acme"])
    assert found.every() == found.unambiguous() == {ACME, NORTH, SOUTH}


def test_a_registrable_domain_that_no_company_holds_names_none_of_those_below_it(companies):
    found = companies(domains=["umbrella.example", "acme.example"])
    assert found.every() == found.unambiguous() == {ACME}


def test_five_hundred_mixed_identifiers_take_one_statement_of_each_kind(contacts, companies, monkeypatch):
    statements = record_statements(monkeypatch)
    digits = [str(number) for number in range(100)]
    contacts(
        ids=digits,
        emails=[f"{one}@acme.example" for one in range(200)],
        linkedin_urls=[f"in/{one}" for one in range(200)],
    )
    assert len(statements) == 1
    companies(
        ids=digits,
        domains=[f"{one}.example" for one in range(200)],
        linkedin_urls=[f"company/{one}" for one in range(200)],
    )
    assert len(statements) == 2
