import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.records import Company, CompanyRef, SocialLinks
from firmograph.security.record_ids import RecordIds
from record_factory import KEYRING, contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

ACME = CompanyRef(name="Acme", domain="acme.example", linkedin_url="linkedin.com/company/acme")
OTHER_ACME = CompanyRef(name="Acme", domain="acme.test", linkedin_url="linkedin.com/company/acme-test")
JANE, OTHER_JANE = 1, 2


@pytest.fixture
def find(database):
    """Return a function that finds the contact of an item among two of one name at companies of one name."""
    load_companies(
        database,
        "a",
        [
            Company(name=one.name, domain=one.domain, social_links=SocialLinks(linkedin=one.linkedin_url))
            for one in (ACME, OTHER_ACME)
        ],
    )
    load_contacts(database, "a", [contact("Jane", "Doe", company=one) for one in (ACME, OTHER_ACME)])
    lookup = RecordLookup(RecordIds(KEYRING), Digests(KEYRING), 0.9, 0.05)

    def find(**item):
        query = lookup.queries.contact(("contacts", 0), first_name="Jane", last_name="Doe", **item)
        with database.read() as session:
            (hit,) = lookup.contacts(session, [query])
        return hit.contact and hit.contact.number

    return find


def test_an_employer_is_found_by_its_linkedin_page(find):
    assert find(company_linkedin_url="https://www.linkedin.com/company/acme") == JANE
    assert find(company_linkedin_url="linkedin.com/company/acme-test/") == OTHER_JANE
    assert find(company_linkedin_url="linkedin.com/company/nobody") is None


def test_the_linkedin_page_of_an_employer_comes_after_its_domain_and_before_its_name(find):
    page = "linkedin.com/company/acme-test"
    assert find(company_name="Acme") is None
    assert find(company_linkedin_url=page, company_name="Acme") == OTHER_JANE
    assert find(company_linkedin_url=page, company_domain="acme.example") == JANE
    assert find(company_linkedin_url=page, company_domain="nowhere.example") == OTHER_JANE
