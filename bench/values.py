"""The values of generated records (`values.toml`) and their frequencies.

Frequencies fall off as in real data: few values are very common, most are rare, so that filters and caches work as
in service.
"""

import tomllib
import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

SLOTS = 1 << 14
Draw = Callable[[float], T]
"""A function from a number, drawn evenly from 0 (inclusive) to 1 (exclusive), to a value."""

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("values.toml").read_text("utf-8"))

LAST_NAMES: list[str] = WORDS["surnames"] + [
    a + b for b in WORDS["surname_end"] for a in WORDS["surname_front"]
]

SCHOOLS = [
    f"{place} {kind}"
    for kind in ("University", "College", "Institute of Technology")
    for place in LAST_NAMES[-90:]
]

KEYWORDS = [
    f"{kind.lower()} {trade.lower()}" for kind in WORDS["keyword_front"] for trade in WORDS["brand_trade"]
]

INVESTORS = [
    f"{front} {end}" for end in ("Capital", "Ventures", "Partners") for front in WORDS["brand_front"]
]

SIZES = (
    (1, 10),
    (11, 50),
    (51, 200),
    (201, 500),
    (501, 1000),
    (1001, 5000),
    (5001, 10_000),
    (10_001, 100_000),
)


def weighted(values: Sequence[T], weights: Iterable[float], slots: int = SLOTS) -> Draw[T]:
    """Return a draw of values by weight, at the cost of one list access; weights under one slot may never come."""
    ends = list(accumulate(weights))
    table = [values[bisect(ends, (slot + 0.5) / slots * ends[-1])] for slot in range(slots)]
    return lambda number: table[int(number * slots)]


def by_weight(name: str) -> Draw[str]:
    """Return a draw from a table of words and their weights."""
    return weighted(list(WORDS[name]), WORDS[name].values())


def zipf(values: Sequence[T], exponent: float = 1.0, shift: float = 2.0, slots: int = SLOTS) -> Draw[T]:
    """Return a draw that prefers the first values: weight 1 / (rank + shift) ** exponent."""
    return weighted(values, [(rank + shift) ** -exponent for rank in range(len(values))], slots)


def titles() -> Draw[str]:
    """Return some 400 job titles, with skewed ranks and functions."""
    weights: dict[str, float] = {title: 25 / (place + 2) for place, title in enumerate(WORDS["chiefs"])}
    for place, (function, role) in enumerate(WORDS["functions"].items()):
        for rank, weight in WORDS["ranks"].items():
            weights[rank.format(function=function, role=role)] = weight / (place + 2)
    return weighted(list(weights), weights.values())


def codes(name: str) -> list[dict[str, Any]]:
    """Return codes of a classification with their descriptions, in the form of rows."""
    return [{"code": int(code), "description": label} for code, label in WORDS[name].items()]


def title_tails() -> Draw[str]:
    forms = (" - {}", ", {}", " | {}", " ({})", " for {}")
    return zipf([form.format(topic) for topic in WORDS["title_topics"] for form in forms], 0.5)


@lru_cache(maxsize=10_000)
def plain(text: str) -> str:
    """Return lower case ASCII letters and digits, with hyphens between words."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join("".join(c if c.isalnum() else " " for c in folded).split())
