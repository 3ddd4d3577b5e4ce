"""Fixed vocabularies of the filters (docs/reference/filters.md#fixed-values)."""

from typing import Final

from firmograph.kit.suggestions import describe_expected_value as describe_expected_value
from firmograph.kit.suggestions import index_by_casefold as index_by_casefold
from firmograph.kit.suggestions import nearest_values as nearest_values

EXISTING_DATA_POINTS: Final = ("phone", "work_email", "mobile_phone", "direct_phone")

CONDITIONS: Final = ("or", "and")
INTENT_OPERATORS: Final = ("or", "and", "any", "all")

KEYWORDS_SEARCH_FIELDS: Final = ("name", "description", "specialities", "keywords", "industryTags")

FUNDING_COVERAGES: Final = ("last_funding", "any_round", "total_funds", "last_round")
ROUND_COVERAGES: Final = ("any_round", "last_funding", "last_round")
"""Coverages with rounds; the total of all rounds has no round, name or day."""
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
