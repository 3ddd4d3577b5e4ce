"""The fixed vocabularies of the filters (wire-a 3.1, 4.1 and 5.3), and how a value is looked up in one."""

from collections.abc import Iterable, Mapping
from typing import Final

from rapidfuzz import process, utils

from firmograph.directory.vocabulary import DEPARTMENTS

EXISTING_DATA_POINTS: Final = ("phone", "work_email", "mobile_phone", "direct_phone")

CONDITIONS: Final = ("or", "and")
INTENT_OPERATORS: Final = ("or", "and", "any", "all")

KEYWORDS_SEARCH_FIELDS: Final = ("name", "description", "specialities", "keywords", "industryTags")

ALL_SIGNALS: Final = "allSignals"
CONTACT_SIGNALS: Final = ("promotion", "companyChange")
"""Without `allSignals`, which means all of them."""
COMPANY_SIGNALS: Final = (
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
)
HIRING_DEPARTMENTS: Final = DEPARTMENTS

FUNDING_COVERAGES: Final = ("last_funding", "any_round", "total_funds", "last_round")
ROUND_COVERAGES: Final = ("any_round", "last_funding", "last_round")
"""Those that name rounds; the total of all has no round, name or day."""
FUNDING_ROUNDS: Final = (
    "pre_seed",
    "seed",
    *(f"series_{letter}" for letter in "abcdefgh"),
    "other",
)
FUNDING_NAMES: Final = (
    "angel",
    "venture",
    "private_equity",
    "crowdfunding",
    "grant",
    "debt_financing",
    "other",
)

_MOST_LISTED = 10
_MOST_NEAREST = 3


def by_spelling(values: Iterable[str]) -> Mapping[str, str]:
    """The values by what they are looked up by: letter case does not count."""
    return {value.casefold(): value for value in values}


def nearest(value: str, known: Iterable[str]) -> list[str]:
    """The few known values that are spelled most like this one, the likeliest first."""
    found = process.extract(value, list(known), processor=utils.default_process, limit=_MOST_NEAREST)
    return [name for name, *_ in found]


def expectation(value: str, known: Iterable[str]) -> str:
    """What a value should have been: all of a short vocabulary, of a long one what comes nearest."""
    known = list(known)
    if len(known) <= _MOST_LISTED:
        return f"must be one of: {', '.join(known)}"
    return f"must be a known value; the nearest are: {', '.join(nearest(value, known))}"
