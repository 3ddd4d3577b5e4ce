"""People and companies below registries that sell names below a domain, such as uk.com: nobody is taken for another."""

import pytest

from firmograph.directory.records import Company, CompanyRef
from record_factory import contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

SUFFIXES = ("de.com", "uk.com", "us.com", "co.uk")


@pytest.fixture(scope="module")
def registered(shared_service):
    """Return a service over one company and one person of the same name below each suffix."""
    for number, suffix in enumerate(SUFFIXES):
        name, domain = f"Alpha{number} Works", f"alphaworks{number}.{suffix}"
        load_companies(shared_service.database, "test", [(f"a{number}", Company(name=name, domain=domain))])
        ada = contact("Ada", "Lowe", emails=[f"ada@{domain}"], company=CompanyRef(name=name, domain=domain))
        load_contacts(shared_service.database, "test", [(f"a{number}", ada)])
    return shared_service


@pytest.fixture
def works(registered):
    """Return the service for a new account."""
    return registered.with_account()


def found(works, kind, **item):
    answer = works.post(f"/v3/{kind}/search-and-enrich", {kind: [item]})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_stranger_below_the_suffix_is_not_found_and_costs_nothing(works, suffix):
    for domain in (f"gammamills.{suffix}", suffix):
        for kind, item in (
            ("companies", {"domain": domain}),
            ("contacts", {"firstName": "Ada", "lastName": "Lowe", "companyDomain": domain}),
        ):
            answer = found(works, kind, **item)
            assert answer["results"][0]["error"]["code"] == "NOT_FOUND", (kind, domain)
            assert answer["billing"]["creditsCharged"] == 0


@pytest.mark.parametrize(("number", "suffix"), list(enumerate(SUFFIXES)))
def test_the_company_below_the_suffix_is_found_with_its_person(works, number, suffix):
    domain = f"alphaworks{number}.{suffix}"
    assert found(works, "companies", domain=domain)["results"][0]["name"] == f"Alpha{number} Works"
    (ada,) = found(works, "contacts", firstName="Ada", lastName="Lowe", companyDomain=domain)["results"]
    assert ada["company"]["domain"] == domain
