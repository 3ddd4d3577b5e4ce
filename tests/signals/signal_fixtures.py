"""Companies and contacts with signals stored as detectors do."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from firmograph.database.connection import RECORDS, Database
from firmograph.directory.records import Company, CompanyRef
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import events, store
from firmograph.signals.events import Detected
from firmograph.signals.tables import signals
from installation_factory import make_suppression
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from server_fixtures import Service

TODAY = "2026-09-21"
"""Day of the tests' clock."""

TOKENS = RecordIds(KEYRING)

_numbers = count(1)


class StoredCompany(NamedTuple):
    id: str
    name: str
    domain: str


def companies(service: Service, how_many: int = 3) -> list[str]:
    """Create companies that no other test has, and return their ids."""
    return [one.id for one in store_companies(service, how_many)]


def store_companies(service: Service, how_many: int) -> list[StoredCompany]:
    """Create companies that no other test has."""
    named = [(f"Company {n}", f"c{n}.example.com") for n in (next(_numbers) for _ in range(how_many))]
    records = [msgspec.convert({"name": name, "domain": domain}, Company) for name, domain in named]
    load_companies(service.database, "test", records)
    found = ids(service, "companies", [{"domain": domain} for _, domain in named])
    return [StoredCompany(id, *each) for id, each in zip(found, named, strict=True)]


def people(service: Service, how_many: int = 3) -> list[str]:
    """Create contacts that no other test has, all at one company, and return their ids."""
    employer = CompanyRef(name="Employer", domain="employer.example.com")
    names = [f"example{next(_numbers)}" for _ in range(how_many)]
    addresses = [f"{name}@employer.example.com" for name in names]
    records = [
        contact("Ann", name.title(), emails=[address], company=employer)
        for name, address in zip(names, addresses, strict=True)
    ]
    load_contacts(service.database, "test", records)
    return ids(service, "contacts", [{"email": address} for address in addresses])


def ids(service: Service, kind: str, items: Sequence[object]) -> list[str]:
    """Return the ids of the records that a search finds."""
    found: list[str] = []
    for start in range(0, len(items), 100):
        answer = service.post(f"/v3/{kind}/search", {kind: items[start : start + 100]})
        found += [result["id"] for result in answer.json()["results"]]
    return found


def insert_signals(database: Database, detected: Iterable[Detected], at: float = 1_780_000_000.0) -> None:
    with database.write(RECORDS) as session:
        store.store_signals(session, DIGESTS, list(detected), at)


def suppress(service: Service, id: str) -> None:
    suppression = make_suppression(service.database, KEYRING, service.clock)
    assert suppression.suppress(suppression.person(id=id)) == 1


def erase(service: Service, detected: Detected) -> None:
    """Delete a signal as a suppression does."""
    with service.database.write(RECORDS) as session:
        session.run_in(_ERASE, "identities", [detected.identity(DIGESTS)])


_ERASE = sa.delete(signals).where(signals.c.identity.in_(sa.bindparam("identities", expanding=True)))


def signal_id(detected: Detected) -> str:
    return detected.identity(DIGESTS).hex()


def company_number(id: str) -> int:
    number = TOKENS.open(Entity.COMPANY, id)
    assert number is not None
    return number


def person_number(id: str) -> int:
    number = TOKENS.open(Entity.CONTACT, id)
    assert number is not None
    return number


# signals of records, given by their ids


def headcount(id: str, day: str, type: str = "headcountIncrease3m") -> Detected:
    return Detected(Entity.COMPANY, company_number(id), type, day, day, events.HeadcountChange(100, 120, 20))


def news(id: str, day: str, event: str = "Partnership", type: str = "commercialActivityNews") -> Detected:
    url = f"https://news.example.com/{company_number(id)}/{day}/{event.replace(' ', '-')}"
    article = events.NewsEvent(event.lower(), "It happened.", day, "Title", "It happened.", day, url)
    return Detected(Entity.COMPANY, company_number(id), type, f"{url} {event}", day, article, event)


def surge(id: str, day: str, country: str, state: str | None, detail: str) -> Detected:
    event = events.LocationSurge(country, state, 12, 4.5, 167)
    return Detected(
        Entity.COMPANY, company_number(id), "surgeInHiringByLocation", f"{day} {detail}", day, event, detail
    )


def department(id: str, day: str, name: str) -> Detected:
    event = events.DepartmentSurge(name, 12, 4.5, 167)
    return Detected(
        Entity.COMPANY, company_number(id), "surgeInHiringByDepartment", f"{day} {name}", day, event, name
    )


def post(
    id: str,
    day: str,
    name: str = "1",
    *,
    author: str | None = None,
    mentions: str | None = None,
    categories: Sequence[str] = ("Technology",),
) -> Detected:
    url = f"https://www.linkedin.com/posts/{company_number(id)}-{name}"
    published = events.Post(
        day,
        categories[0],
        [events.Topic("Cloud", category) for category in categories],
        events.PersonReference(
            author and person_number(author), "Ann Example", "https://www.linkedin.com/in/ann-example"
        ),
        [events.PersonReference(None, "Bo Example", "https://www.linkedin.com/in/bo-example")],
        [
            events.CompanyReference(
                mentions and company_number(mentions), "Company", "https://www.linkedin.com/company/c"
            )
        ],
        url,
        None,
        5,
        2,
        1,
        "post",
    )
    detail = "|" + "|".join(categories) + "|"
    return Detected(Entity.COMPANY, company_number(id), "linkedinActivityIntent", url, day, published, detail)


def move(id: str, day: str, type: str = "companyChange", to: int = 2) -> Detected:
    event = events.JobMove(
        to,
        "New Ltd",
        "new.example.com",
        "Head of Sales",
        "Sales",
        "Director",
        1,
        "Old Ltd",
        "old.example.com",
        "Clerk",
    )
    return Detected(Entity.CONTACT, person_number(id), type, f"1>{to} {day}", day, event)
