"""Companies and contacts with signals stored as detectors do."""

from collections.abc import Iterable, Sequence

import msgspec
import sqlalchemy as sa

from firmograph.database.connection import RECORDS, Database
from firmograph.directory.records import Company, CompanyRef
from firmograph.security.record_ids import Entity
from firmograph.signals import events, store
from firmograph.signals.events import Detected
from firmograph.signals.tables import signals
from installation_factory import make_suppression
from record_factory import DIGESTS, KEYRING, contact, load_companies, load_contacts
from server_fixtures import Service

TODAY = "2026-09-21"
"""Day of the tests' clock."""


def companies(service: Service, count: int = 3, first: int = 0) -> list[str]:
    """Create companies c0.example.com, c1.example.com and so on, and return their ids."""
    numbers = range(first, first + count)
    records = [
        msgspec.convert({"name": f"Company {n}", "domain": f"c{n}.example.com"}, Company) for n in numbers
    ]
    load_companies(service.database, "test", records)
    return ids(service, "companies", [{"domain": f"c{n}.example.com"} for n in numbers])


def people(service: Service, count: int = 3) -> list[str]:
    """Create contacts of company 0 and return their ids."""
    employer = CompanyRef(name="Company 0", domain="c0.example.com")
    records = [
        contact("Ann", f"Example{n}", emails=[f"ann{n}@c0.example.com"], company=employer)
        for n in range(count)
    ]
    load_contacts(service.database, "test", records)
    return ids(service, "contacts", [{"email": f"ann{n}@c0.example.com"} for n in range(count)])


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


def suppress(service: Service, email: str) -> None:
    suppression = make_suppression(service.database, KEYRING, service.clock)
    assert suppression.suppress(suppression.person(email=email)) == 1


def erase(service: Service, detected: Detected) -> None:
    """Delete a signal as a suppression does."""
    with service.database.write(RECORDS) as session:
        session.run_in(_ERASE, "identities", [detected.identity(DIGESTS)])


_ERASE = sa.delete(signals).where(signals.c.identity.in_(sa.bindparam("identities", expanding=True)))


def signal_id(detected: Detected) -> str:
    return detected.identity(DIGESTS).hex()


# Records are numbered from 1 in the order in which they were loaded.


def headcount(number: int, day: str, type: str = "headcountIncrease3m") -> Detected:
    return Detected(Entity.COMPANY, number, type, day, day, events.HeadcountChange(100, 120, 20))


def news(number: int, day: str, event: str = "Partnership", type: str = "commercialActivityNews") -> Detected:
    url = f"https://news.example.com/{number}/{day}/{event.replace(' ', '-')}"
    article = events.NewsEvent(event.lower(), "It happened.", day, "Title", "It happened.", day, url)
    return Detected(Entity.COMPANY, number, type, f"{url} {event}", day, article, event)


def surge(number: int, day: str, country: str, state: str | None, detail: str) -> Detected:
    event = events.LocationSurge(country, state, 12, 4.5, 167)
    return Detected(Entity.COMPANY, number, "surgeInHiringByLocation", f"{day} {detail}", day, event, detail)


def department(number: int, day: str, name: str) -> Detected:
    event = events.DepartmentSurge(name, 12, 4.5, 167)
    return Detected(Entity.COMPANY, number, "surgeInHiringByDepartment", f"{day} {name}", day, event, name)


def post(
    number: int,
    day: str,
    name: str = "1",
    *,
    author: int | None = None,
    mentions: int | None = None,
    categories: Sequence[str] = ("Technology",),
) -> Detected:
    url = f"https://www.linkedin.com/posts/{number}-{name}"
    published = events.Post(
        day,
        categories[0],
        [events.Topic("Cloud", category) for category in categories],
        events.PersonReference(author, "Ann Example", "https://www.linkedin.com/in/ann-example"),
        [events.PersonReference(None, "Bo Example", "https://www.linkedin.com/in/bo-example")],
        [events.CompanyReference(mentions, "Company", "https://www.linkedin.com/company/c")],
        url,
        None,
        5,
        2,
        1,
        "post",
    )
    detail = "|" + "|".join(categories) + "|"
    return Detected(Entity.COMPANY, number, "linkedinActivityIntent", url, day, published, detail)


def move(number: int, day: str, type: str = "companyChange", to: int = 2) -> Detected:
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
    return Detected(Entity.CONTACT, number, type, f"1>{to} {day}", day, event)
