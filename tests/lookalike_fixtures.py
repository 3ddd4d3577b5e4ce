"""A directory of people and companies, all of them alike, and the service over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

import database_fixtures
from firmograph.database.connection import Database
from firmograph.directory.records import Company, Contact
from firmograph.indexing import store
from firmograph.kit.clock import SetClock
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.settings import Settings
from index_fixtures import is_applied
from record_factory import KEYRING, load_companies, load_contacts
from server_fixtures import Service

PEOPLE = 40
COMPANIES = 30

FIRST = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal"]
LAST = ["Archer", "Baker", "Cooper", "Dyer", "Ember"]
PEOPLE_SEEDS = {"emails": [f"person{number}@people.example.com" for number in range(5)]}
COMPANY_SEEDS = {"domains": [f"company{number}.example.com" for number in range(5)]}


def company(number: int) -> Company:
    return msgspec.convert(
        {
            "name": f"Company {number}",
            "domain": f"company{number}.example.com",
            "industry": "Manufacturing",
            "employeeCount": {"exact": 120, "min": 51, "max": 200} if number % 2 else {"min": 51, "max": 200},
            "socialLinks": {"linkedin": f"https://www.linkedin.com/company/company-{number}"},
            "location": {"country": "Germany", "countryIso2": "DE", "state": "Berlin", "city": "Berlin"},
            "technologies": ["Kubernetes", "Kafka"],
        },
        Company,
    )


def person(number: int, companies: int = COMPANIES) -> Contact:
    employer = company(number % companies)
    return msgspec.convert(
        {
            "firstName": FIRST[number % len(FIRST)],
            "lastName": LAST[number // len(FIRST)],
            "jobTitle": {"title": "Head of Sales", "departments": ["Sales"], "seniority": "Director"},
            "location": {"country": "Germany", "countryIso2": "DE", "state": "Berlin", "city": "Berlin"},
            "socialLinks": {"linkedin": f"https://www.linkedin.com/in/person-{number}"},
            "emails": [{"email": f"person{number}@people.example.com", "type": "work"}],
            "company": {"name": employer.name, "domain": employer.domain},
        },
        Contact,
    )


def load(database: Database, people: int = PEOPLE, companies: int = COMPANIES) -> None:
    load_companies(database, "test", [(f"c{number}", company(number)) for number in range(companies)])
    load_contacts(database, "test", [(f"p{number}", person(number, companies)) for number in range(people)])


def wait(service: Service) -> None:
    """Wait until every change so far is in the similarity index."""
    active = service.installation.get(ServedSimilarity).active
    assert is_applied(active, store.head(service.database.session()), 60)


@contextmanager
def served(folder: Path, **settings: object) -> Iterator[Service]:
    """Return the service over the directory, all indexed; for tests of a module that change no record."""
    database = Database(database_fixtures.fresh(folder))
    load(database)
    service = Service(database, KEYRING, SetClock(), Settings(search_folder=str(folder), **settings))
    with service.client:
        if service.settings.lookalikes:
            wait(service)
        yield service
    database.close()
    database_fixtures.drop(database.url)


def lookalikes(
    service: Service, kind: str, body: dict[str, Any] | None = None, **headers: str
) -> dict[str, Any]:
    """Return the answer of a call for contacts or companies; without seeds those of the directory."""
    seeds = {"contacts": PEOPLE_SEEDS, "companies": COMPANY_SEEDS}[kind]
    answer = service.post(f"/v3/{kind}/lookalike", {"seeds": seeds, **(body or {})}, **headers)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def ids(answer: dict[str, Any]) -> list[str]:
    return [result["id"] for result in answer["results"]]
