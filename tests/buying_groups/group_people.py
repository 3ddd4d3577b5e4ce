"""People of a few companies, and the buying groups expected of them, computed one person after another."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import database_fixtures
import stored_records
from firmograph.buying_groups.roles.personas import PERSONAS
from firmograph.buying_groups.roles.table import RoleTable, load_role_table
from firmograph.database.connection import Database
from firmograph.directory.records import Company, CompanyRef, Contact, Email, JobTitle, Phone, SocialLinks
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.kit.clock import SetClock, today
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.indexing.completeness import contact_points
from firmograph.settings import Settings
from index_fixtures import is_applied
from record_factory import KEYRING, load_companies, load_contacts
from server_fixtures import Service

PATH = "/v3/contacts/buying-group"
TODAY = today(SetClock())
TITLES = (
    *("Chief Executive Officer", "VP Sales", "Director of Marketing", "IT Manager", "Accountant"),
    *("Head of Procurement", "Software Engineer", "Senior Data Analyst", "Sales Director", "Truck Driver"),
    *("Owner", "Marketing Specialist", "HR Manager", "Buyer", "Director General", "Partner", "Trainee", ""),
)
DAYS = (
    None,
    "2026-09-01",
    "2026-03-25",
    "2026-03-01",
    "2025-08-10",
    "2024-02-29",
    "2023-10-01",
    "2020-01-01",
)
SIZES = {"acme": 45, "beta": 9, "cobalt": 130, "dune": 0}
"""Number of contacts of each company."""


def person(rng: Random, number: int, employer: str | None) -> Contact:
    title = rng.choice(TITLES)
    seniority = derive_seniority(title)
    return Contact(
        first_name=f"First{number}",
        last_name=f"Last{number}",
        full_name=f"First{number} Last{number}",
        job_title=JobTitle(title=title, seniority=seniority, departments=list(derive_departments(title)))
        if title
        else None,
        emails=[
            Email(f"{kind}{number}@people.example.com", type=kind)
            for kind in ("work", "private")
            if rng.random() < 0.4
        ],
        phones=[Phone(f"+1212555{number:04}", type="mobile")] if rng.random() < 0.4 else [],
        update_date=rng.choice(DAYS),
        social_links=SocialLinks(linkedin=f"https://www.linkedin.com/in/person-{number}"),
        company=CompanyRef(name=employer, domain=domain_of(employer)) if employer else None,
    )


def domain_of(name: str) -> str:
    return f"{name}.example.com"


def load(database: Database) -> None:
    rng = Random(20_261_124)
    employers = [name for name, size in SIZES.items() for _ in range(size)] + [None] * 20
    rng.shuffle(employers)
    load_companies(
        database, "test", [(name, Company(name=name.title(), domain=domain_of(name))) for name in SIZES]
    )
    people = [person(rng, number, employer) for number, employer in enumerate(employers)]
    load_contacts(database, "test", [(f"{number}", one) for number, one in enumerate(people)])


@contextmanager
def served(folder: Path) -> Iterator[Service]:
    """Return the service over the people, all indexed."""
    database = Database(database_fixtures.fresh(folder))
    load(database)
    service = Service(database, KEYRING, SetClock(), Settings(search_folder=str(folder), lookalikes=False))
    with service.client:
        wait(service)
        yield service
    database.close()
    database_fixtures.drop(database.url)


def wait(service: Service) -> None:
    """Wait until every change so far is indexed."""
    active = service.installation.get(ServedSearch).active
    assert is_applied(active, stored_records.head(service.database), 60)


# --- expected groups ---


class Member(NamedTuple):
    number: int
    roles: list[str]
    score: float


People = Mapping[int, tuple[Contact, int | None]]
"""Contacts with the number of their employer."""


def expected_group(
    people: People, company: int, personas: Collection[str] = (), table: RoleTable | None = None
) -> list[Member]:
    """Return the whole group of a company, without a limit."""
    table = table or load_role_table()
    found = []
    for number, (record, employer) in people.items():
        if employer != company:
            continue
        fits = _fits(record, table)
        requested = [fit for role, fit in fits.items() if not personas or role in personas]
        if max(requested, default=0) > 0:
            share = 1 - 0.15 - 0.15 + 0.15 * _recency(record.update_date) + 0.15 * _reach(record)
            score = round(max(requested) * share * 10_000) / 10_000
            roles = sorted(fits, key=lambda role: (-fits[role], PERSONAS.index(role)))
            found.append((-score, _order(record, number), Member(number, roles, score)))
    return [member for _, _, member in sorted(found)]


def _fits(record: Contact, table: RoleTable) -> Mapping[str, float]:
    job = record.job_title or JobTitle()
    return _fits_of(job.title, job.seniority, tuple(job.departments), table)


@cache
def _fits_of(
    title: str | None, seniority: str | None, departments: tuple[str, ...], table: RoleTable
) -> Mapping[str, float]:
    row = table.match(title, seniority, departments)
    return {role: fit for role, fit in zip(PERSONAS, table.fits(row[None])[0].tolist(), strict=True) if fit}


def _recency(updated: str | None) -> float:
    if updated is None:
        return 0.5
    age, month = (TODAY - date.fromisoformat(updated)).days, 365.25 / 12
    return 1.0 if age <= 6 * month else max(0.0, (36 * month - age) / (30 * month))


def _reach(record: Contact) -> float:
    if record.phones and any(one.type == "work" for one in record.emails):
        return 1.0
    return 0.6 if record.phones or record.emails else 0.0


def _order(record: Contact, number: int) -> tuple[int, int, int]:
    """Order as search does: completeness, the newest `updateDate`, absent last, then the number."""
    day = date.fromisoformat(record.update_date).toordinal() if record.update_date else 0
    return -contact_points(record), -day, number


def page_of(groups: Sequence[Sequence[Member] | None], page: int, size: int) -> dict[int, list[Member]]:
    """Return the members on a page by the position of their company; `groups` are cut already."""
    every = [(position, member) for position, group in enumerate(groups) for member in group or ()]
    shown = every[page * size : (page + 1) * size]
    return {
        position: [member for at, member in shown if at == position]
        for position, group in enumerate(groups)
        if any(at == position for at, _ in shown) or (page == 0 and not group)
    }
