"""A small directory of people and companies for the tests of prospecting over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec

import database_fixtures
from firmograph.database.connection import Database
from firmograph.directory.normalise.locations import continent_of
from firmograph.directory.records import Company, Contact
from firmograph.indexing import store
from firmograph.kit.clock import SetClock
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.settings import Settings
from index_fixtures import is_applied
from record_factory import KEYRING, load_companies, load_contacts
from server_fixtures import Server, Service

_COMPANIES = [
    {
        "name": "Acme Instruments",
        "domain": "acme.example.com",
        "alternativeDomains": ["acme.example.org"],
        "logoUrl": "https://acme.example.com/logo.png",
        "socialLinks": {"linkedin": "https://www.linkedin.com/company/acme-instruments"},
        "industry": "Manufacturing",
        "employeeCount": {"exact": 120, "min": 51, "max": 200},
        "location": {
            "country": "Germany",
            "countryIso2": "DE",
            "state": "Berlin",
            "stateCode": "BE",
            "city": "Berlin",
        },
        "technologies": ["Kubernetes", "Kafka"],
        "sicCodes": [
            {"code": 700, "description": "Agricultural Services"},
            {"code": 7372, "description": ""},
        ],
        "naicsCodes": [{"code": 513210, "description": "Software Publishers"}],
        "intent": {
            "detectedTopics": [{"topicName": "Machine Learning", "metadata": {"topicScore": 70}}],
            "topicCount": 1,
        },
    },
    {
        "name": "Umbrella Labs",
        "domain": "umbrella.example.com",
        "location": {"country": "United States", "countryIso2": "US"},
        "technologies": ["Kubernetes"],
        "sicCodes": [{"code": 7372, "description": "Prepackaged Software"}],
        "intent": {
            "detectedTopics": [
                {"topicName": "Machine Learning", "metadata": {}},
                {"topicName": "Audit", "metadata": {}},
            ],
            "topicCount": 2,
        },
    },
    {"name": "Vague Holdings"},
]
_PEOPLE = [
    # first name, last name, title, seniority, employer, country, state, city, phone, callable
    ("Ann", "Archer", "Head of Sales", "Director", 0, "DE", "Berlin", "Berlin", 1, True),
    ("Ben", "Baker", "Sales Director", "Director", 0, "DE", "Berlin", "Berlin", 2, False),
    ("Cat", "Cooper", "Engineer", "Non-Manager", 0, "DE", "Bavaria", "Munich", None, True),
    ("Dan", "Dyer", "Chief Executive Officer", "C-Suite", 1, "US", "California", "Berkeley", 3, True),
    ("Eve", "Ember", "Engineer", "Non-Manager", 1, "US", "New York", "New York", None, True),
    ("Fay", "Fisher", "Consultant", "Senior", None, "FR", None, "Bergerac", None, True),
]
_COUNTRIES = {"DE": "Germany", "US": "United States", "FR": "France"}
_STATES = {"Berlin": "BE", "Bavaria": "BY", "California": "CA", "New York": "NY"}


def _person(first, last, title, seniority, employer, country, state, city, phone, callable_):
    company = _COMPANIES[employer] if employer is not None else None
    return msgspec.convert(
        {
            "firstName": first,
            "lastName": last,
            "jobTitle": {"title": title, "seniority": seniority},
            "location": {
                "country": _COUNTRIES[country],
                "countryIso2": country,
                "continent": continent_of(country),
                **({"state": state, "stateCode": _STATES[state]} if state else {}),
                "city": city,
            },
            "emails": [{"email": f"{first.lower()}@people.example.com", "type": "work"}],
            "phones": [{"number": f"+1202555010{phone}", "type": "mobile", "doNotCall": not callable_}]
            if phone
            else [],
            **({"company": {"name": company["name"], "domain": company["domain"]}} if company else {}),
        },
        Contact,
    )


def load(database: Database) -> None:
    load_companies(database, "test", [(one["name"], msgspec.convert(one, Company)) for one in _COMPANIES])
    load_contacts(database, "test", [(person[1], _person(*person)) for person in _PEOPLE])


def wait(service: Service) -> None:
    """Wait until every change so far is indexed."""
    assert is_applied(
        service.installation.get(ServedSearch).active, store.head(service.database.session()), 30
    )


@contextmanager
def served(folder: Path, load: Callable[[Database], None] = load, **settings: object) -> Iterator[Service]:
    """Return the service over loaded records, all indexed; for tests of a module that change nothing."""
    database = Database(database_fixtures.fresh(folder))
    load(database)
    given = Settings(search_folder=str(folder), lookalikes=False, **settings)
    service = Service(database, KEYRING, SetClock(), given)
    with service.client:
        wait(service)
        yield service
    database.close()
    database_fixtures.drop(database.url)


def found(service: Service, body: object, **headers: str) -> list[str]:
    """Return the last names of the contacts on the page, in order."""
    answer = service.post("/v3/contacts/prospecting", body, **headers)
    assert answer.status_code == 200, answer.text
    return [result["lastName"] for result in answer.json()["results"]]


def total(server: Server, body: object, key: str) -> int:
    """Return how many contacts a server process finds."""
    path = f"{server.url}/v3/contacts/prospecting"
    answer = httpx.post(path, json=body, headers={"api_key": key}, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()["pagination"]["total"]


def contacts(include: dict[str, object], **rest: object) -> dict[str, object]:
    """Return a request for contacts with these filters of their own."""
    return {"filters": {"contacts": {"include": include}}, **rest}


def companies(include: dict[str, object], **rest: object) -> dict[str, object]:
    return {"filters": {"companies": {"include": include}}, **rest}
