"""Reading the filters of one request: where each stands, what is wrong with it, and what it asks for."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines.query import Criterion
from firmograph.prospecting.filters.vocabularies import describe_expected_value
from firmograph.prospecting.indexing import analysis

MOST_PROBLEMS = 10
MOST_VALUES = 10_000
"""Of one list (decisions E)."""
_ISO_DAY = re.compile("....-..-..")
"""`fromisoformat` knows weeks and dates without hyphens too."""

T = TypeVar("T")
D = TypeVar("D")


class Resolver(Protocol):
    """Finds the records that a filter names by what names one record.

    It is asked only with well-formed values in their normal form, and raises nothing for unknown ones: what nobody
    has finds nobody.
    """

    def contacts(
        self, *, ids: Sequence[str] = (), emails: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        """Numbers of the contacts that any of these names.

        `ids` are tokens or legacy digits, `emails` as `normalise_email` gives them, `linkedin_urls` canonical slugs
        (`in/jane-doe`).
        """
        ...

    def companies(
        self, *, ids: Sequence[str] = (), domains: Sequence[str] = (), linkedin_urls: Sequence[str] = ()
    ) -> frozenset[int]:
        """Numbers of the companies that any of these names.

        `domains` are hosts as `host_of` gives them, `linkedin_urls` canonical slugs (`company/acme`).
        """
        ...

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        """Latitude and longitude of a postcode (`fields.ZIP`), None when no record tells."""
        ...


@dataclass(slots=True)
class Reading:
    """What the filters of one request share. Problems are collected, so that one answer names several."""

    resolver: Resolver
    today: date
    """In UTC."""
    problems: list[str] = field(default_factory=list)

    def refuse(self, problem: str) -> None:
        self.problems.append(problem)
        if len(self.problems) == MOST_PROBLEMS:
            self.check()

    def check(self) -> None:
        if self.problems:
            raise BadRequest(self.problems[0], self.problems)


class At(NamedTuple):
    """A place in the request."""

    reading: Reading
    path: str = ""

    def at(self, name: str | int) -> "At":
        return At(self.reading, f"{self.path}.{name}" if self.path else str(name))

    def refuse(self, problem: str) -> None:
        """Says what is wrong with what stands here; reading goes on."""
        self.reading.refuse(f"{self.path} {problem}")

    @property
    def resolver(self) -> Resolver:
        return self.reading.resolver


Read = Callable[[T, At], Criterion]
"""What one filter asks for. A problem is told to the place; what is returned then does not matter."""


class Side:
    """The filters of one include or exclude, each under its name on the wire."""

    def __init__(self, at: At) -> None:
        self._at = at
        self.given: dict[str, list[Criterion]] = {}
        self._paths: dict[str, str] = {}

    def read(self, name: str, value: T | UnsetType, read: Read[T]) -> None:
        """Takes the filter up unless it is absent."""
        if value is not UNSET and not is_absent(value):
            at = self._at.at(name)
            self.take(at, name, read(value, at))

    def parts(self, name: str, value: T | UnsetType, read: Callable[[T, At], "Side"]) -> None:
        """The same for an object of several filters: each of them excludes by itself."""
        if value is not UNSET and not is_absent(value):
            at = self._at.at(name)
            self.take(at, name, *read(value, at).criteria)

    def take(self, at: At, name: str, *criteria: Criterion) -> None:
        self.given[name] = list(criteria)
        self._paths[name] = at.path

    @property
    def criteria(self) -> list[Criterion]:
        return [criterion for filters in self.given.values() for criterion in filters]

    def path(self, name: str) -> str:
        """Where a filter that was given stands."""
        return self._paths[name]


def or_default(value: T | UnsetType, default: D) -> T | D:
    """What the request says, or what it means by saying nothing."""
    return default if value is UNSET else value


def is_absent(value: Any) -> bool:
    """Whether there is no value in it: empty objects and lists count as absent (decisions E)."""
    if value is UNSET:
        return True
    if isinstance(value, list):
        return all(map(is_absent, value))
    if isinstance(value, msgspec.Struct):
        return all(is_absent(getattr(value, name)) for name in value.__struct_fields__)
    return False


def count_values(part: msgspec.Struct, at: At) -> int:
    """How many values the lists of a part of a request hold in all; one that holds too many is refused.

    No element of a list has lists in it.
    """
    count = 0
    for attribute, name in zip(part.__struct_fields__, part.__struct_encode_fields__, strict=True):
        value = getattr(part, attribute)
        if value is UNSET:
            continue
        if isinstance(value, msgspec.Struct):
            count += count_values(value, at.at(name))
        elif isinstance(value, list):
            count += len(value)
            if len(value) > MOST_VALUES:
                at.at(name).refuse(f"must have at most {MOST_VALUES} elements")
    return count


def known(values: Sequence[str], vocabulary: Mapping[str, str], at: At) -> list[str]:
    """The values as a fixed vocabulary writes them (`vocabularies.index_by_casefold`); others are refused."""
    found = []
    for place, value in enumerate(values):
        if (written := known_one(value, vocabulary, at.at(place))) is not None:
            found.append(written)
    return found


def known_one(value: str, vocabulary: Mapping[str, str], at: At) -> str | None:
    written = vocabulary.get(value.casefold())
    if written is None:
        at.refuse(describe_expected_value(value, vocabulary.values()))
    return written


def day_number(text: str, at: At) -> int:
    """Days since 1970-01-01 of a date on the wire (row 17 of the decisions)."""
    number = analysis.day_number(text) if _ISO_DAY.fullmatch(text) else None
    if number is None:
        at.refuse("must be a date that exists, YYYY-MM-DD")
        return 0
    return number


def each(values: Iterable[T], at: At) -> Iterable[tuple[T, At]]:
    """The values of a list that are not absent, each with its place."""
    return ((value, at.at(place)) for place, value in enumerate(values) if not is_absent(value))
