"""People and companies below registries that sell names below a domain, such as uk.com: nobody is taken for another."""

import json
from pathlib import Path

import pytest

from firmograph.directory.records import Company, CompanyRef
from record_factory import contact, load_companies, load_contacts

pytestmark = pytest.mark.any_database

CASES = Path(__file__).parents[1] / "ingest" / "cases"
MORE_SUFFIXES = ("cn.com", "ru.com", "se.net", "co.uk")


def rows(name: str, *more: dict[str, object]) -> list[dict[str, object]]:
    return [*map(json.loads, (CASES / name).read_text().splitlines()), *more]


COMPANIES = rows(
    "registries_companies.jsonl",
    *(
        {"sourceId": f"b{number}", "name": f"Beta{number} Works", "domain": f"betaworks{number}.{suffix}"}
        for number, suffix in enumerate(MORE_SUFFIXES)
    ),
)
PEOPLE = rows(
    "registries_contacts.jsonl",
    *(
        {
            "sourceId": company["sourceId"],
            "firstName": "Ada",
            "lastName": "Lowe",
            "emails": [f"ada@{company['domain']}"],
            "company": {"name": company["name"], "domain": company["domain"]},
        }
        for company in COMPANIES[-len(MORE_SUFFIXES) :]
    ),
)
DOMAINS = [str(company["domain"]) for company in COMPANIES]
SUFFIXES = [domain.partition(".")[2] for domain in DOMAINS]


@pytest.fixture(scope="module")
def registered(shared_service):
    """Return a service over one company and one person of the same name below each suffix."""
    companies = [(row["sourceId"], Company(name=row["name"], domain=row["domain"])) for row in COMPANIES]
    load_companies(shared_service.database, "test", companies)
    people = [
        (
            row["sourceId"],
            contact(
                row["firstName"], row["lastName"], emails=row["emails"], company=CompanyRef(**row["company"])
            ),
        )
        for row in PEOPLE
    ]
    load_contacts(shared_service.database, "test", people)
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


@pytest.mark.parametrize("company", COMPANIES, ids=DOMAINS)
def test_the_company_below_the_suffix_is_found_with_its_person(works, company):
    domain = company["domain"]
    assert found(works, "companies", domain=domain)["results"][0]["name"] == company["name"]
    (ada,) = found(works, "contacts", firstName="Ada", lastName="Lowe", companyDomain=domain)["results"]
    assert ada["company"]["domain"] == domain
