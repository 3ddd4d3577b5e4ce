"""The fixed vocabularies of the filters (wire-a 3.1, 4.1 and 5.3), and how a value is looked up in one."""

from typing import Final

from firmograph.api.suggestions import describe_expected_value as describe_expected_value
from firmograph.api.suggestions import index_by_casefold as index_by_casefold
from firmograph.api.suggestions import nearest_values as nearest_values

EXISTING_DATA_POINTS: Final = ("phone", "work_email", "mobile_phone", "direct_phone")

CONDITIONS: Final = ("or", "and")
INTENT_OPERATORS: Final = ("or", "and", "any", "all")

KEYWORDS_SEARCH_FIELDS: Final = ("name", "description", "specialities", "keywords", "industryTags")

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
