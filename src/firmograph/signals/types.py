"""Signal types and their fixed vocabularies (docs/reference/signals.md#types)."""

from typing import Final, Literal, NamedTuple, get_args

from firmograph.directory.vocabulary import DEPARTMENTS
from firmograph.security.record_ids import Entity

FEATURE: Final = "signals"
"""Feature of a plan that allows signals (docs/reference/account.md#features)."""

ALL_SIGNALS: Final = "allSignals"

ContactType = Literal["promotion", "companyChange"]
CONTACT_TYPES: Final[tuple[str, ...]] = get_args(ContactType)
"""Without `allSignals`, which stands for all of them."""

CompanyType = Literal[
    "linkedinActivityIntent",
    "websiteTrafficDecrease",
    "websiteTrafficIncrease",
    "itSpendIncrease",
    "itSpendDecrease",
    "surgeInHiring",
    "headcountIncrease1m",
    "headcountIncrease3m",
    "headcountIncrease6m",
    "headcountIncrease12m",
    "headcountDecrease1m",
    "headcountDecrease3m",
    "headcountDecrease6m",
    "headcountDecrease12m",
    "surgeInHiringByDepartment",
    "surgeInHiringByLocation",
    "riskNews",
    "commercialActivityNews",
    "corporateStrategyNews",
    "financialEventsNews",
    "peopleNews",
    "marketIntelligenceNews",
    "productActivityNews",
]
COMPANY_TYPES: Final[tuple[str, ...]] = get_args(CompanyType)
"""In the documented order, without `allSignals`."""

TYPES: Final = {Entity.CONTACT: CONTACT_TYPES, Entity.COMPANY: COMPANY_TYPES}
ENTITY_OF: Final = {type: entity for entity, some in TYPES.items() for type in some}

POSTS: Final = "linkedinActivityIntent"
BY_DEPARTMENT: Final = "surgeInHiringByDepartment"
BY_LOCATION: Final = "surgeInHiringByLocation"

NEWS_EVENTS: Final[dict[str, tuple[str, ...]]] = {
    "commercialActivityNews": ("Partnership", "New Customer", "New Vendor"),
    "corporateStrategyNews": (
        "M&A",
        "Facilities Expansion",
        "New Location",
        "Facility Closure",
        "Asset Sale",
        "Lawsuit Filed",
    ),
    "financialEventsNews": ("Funding Round", "Asset Investment", "Strategic Investment", "IPO"),
    "marketIntelligenceNews": ("Event Participation", "Recognition", "Competitor Activity"),
    "peopleNews": (
        "Executive Hire",
        "Executive Departure",
        "Executive Promotion",
        "Headcount Increase",
        "Headcount Decrease",
    ),
    "productActivityNews": ("Product Launch", "Product Development", "Product Integration"),
    "riskNews": ("Security Issue", "Lawsuit Faced"),
}
"""Events of each news type."""
NAMING_TYPES: Final = (POSTS, *NEWS_EVENTS)
"""Types of companies' signals that may name people."""
NEWS_TYPE_OF: Final = {event: type for type, events in NEWS_EVENTS.items() for event in events}
NEWS_EVENT_TYPES: Final = tuple(sorted(NEWS_TYPE_OF, key=str.casefold))
"""The 26 values of `newsEventTypes`."""

HIRING_DEPARTMENTS: Final = DEPARTMENTS
"""Values of `hiringByDepartments`."""

NUMBER_OF: Final = {
    "promotion": 1,
    "companyChange": 2,
    "linkedinActivityIntent": 11,
    "websiteTrafficDecrease": 12,
    "websiteTrafficIncrease": 13,
    "itSpendIncrease": 14,
    "itSpendDecrease": 15,
    "surgeInHiring": 16,
    "headcountIncrease1m": 17,
    "headcountIncrease3m": 18,
    "headcountIncrease6m": 19,
    "headcountIncrease12m": 20,
    "headcountDecrease1m": 21,
    "headcountDecrease3m": 22,
    "headcountDecrease6m": 23,
    "headcountDecrease12m": 24,
    "surgeInHiringByDepartment": 25,
    "surgeInHiringByLocation": 26,
    "riskNews": 27,
    "commercialActivityNews": 28,
    "corporateStrategyNews": 29,
    "financialEventsNews": 30,
    "peopleNews": 31,
    "marketIntelligenceNews": 32,
    "productActivityNews": 33,
}
"""Numbers of types in the database. A new type gets a new number; no number is changed or used again."""
NAME_OF: Final = {number: name for name, number in NUMBER_OF.items()}


class Signal(NamedTuple):
    """Stored signal."""

    id: int
    """Increases in the order of detection."""
    identity: bytes
    entity: int
    number: int
    """Number of its record."""
    type: str
    day: str
    detail: str
    event: bytes
    """JSON (`events.py`)."""
    detected_at: float
    quiet: int
    """1 if no webhook delivers it (`import --no-deliver`)."""
    ahead: int
    """1 if its day was in the future when it was detected."""
