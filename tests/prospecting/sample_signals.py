"""Signals of records: of few types, before and after the days of filters, with every kind of detail."""

from datetime import timedelta
from random import Random

from record_set import TODAY, StoredSignal

CATEGORIES = ("Business", "Technology", "Human Resources")
DEPARTMENTS = ("Sales", "Legal", "Engineering & Technical")
PLACES = {
    "US": ({"US", "United States"}, set()),
    "US|CA": ({"US", "United States"}, {"CA", "California", "US-CA"}),
    "US|NY": ({"us", "USA"}, {"new york", "NY"}),
    "FR|75": ({"FR", "France"}, {"75", "Paris"}),
    "DE": ({"Germany", "DE"}, set()),
    "DE|BY": ({"Germany", "DE"}, {"BY", "Bayern", "Bavaria"}),
}
"""Details of surges, and how callers write the country and the state."""
CONTACT_TYPES = ("promotion", "companyChange")
COMPANY_TYPES = (
    "linkedinActivityIntent",
    "surgeInHiring",
    "surgeInHiringByDepartment",
    "surgeInHiringByLocation",
    "headcountIncrease1m",
    "headcountIncrease12m",
    "riskNews",
)
_NARROWED = COMPANY_TYPES[:1] + COMPANY_TYPES[2:4]


def signals_of_contact(rng: Random) -> tuple[StoredSignal, ...]:
    many = rng.randint(1, 3) if rng.random() < 0.4 else 0
    return tuple(StoredSignal(rng.choice(CONTACT_TYPES), "", _day(rng, 800)) for _ in range(many))


def signals_of_company(rng: Random) -> tuple[StoredSignal, ...]:
    many = rng.randint(1, 6) if rng.random() < 0.6 else 0
    return tuple(_of_company(rng) for _ in range(many))


def _of_company(rng: Random) -> StoredSignal:
    type = rng.choice((*COMPANY_TYPES, *_NARROWED))
    if type == "linkedinActivityIntent":
        categories = sorted(rng.sample(CATEGORIES, rng.randint(1, 2)))
        return StoredSignal(type, f"|{'|'.join(categories)}|", _day(rng, 180))
    details = {"surgeInHiringByDepartment": DEPARTMENTS, "surgeInHiringByLocation": tuple(PLACES)}
    detail = rng.choice(details.get(type, ("",)))
    return StoredSignal(type, "Security Issue" if type == "riskNews" else detail, _day(rng, 800))


def _day(rng: Random, most: int) -> str:
    """Return a day from tomorrow back, most often one of the last days."""
    back = rng.randrange(3 if rng.random() < 0.2 else most)
    return (TODAY + timedelta(1) - timedelta(back)).isoformat()
