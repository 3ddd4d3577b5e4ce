"""Reader of the filters of one request: paths, problems and criteria.

See docs/reference/prospecting.md#bounds.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers, IdentifierKind
from firmograph.kit.errors import BadRequest
from firmograph.prospecting.engines.query import Criterion
from firmograph.prospecting.filters.vocabularies import describe_expected_value
from firmograph.prospecting.indexing import analysis

MAX_PROBLEMS = 10
MAX_LIST_LENGTH = 10_000
"""Maximum length of one list."""
_ISO_DAY = re.compile("....-..-..")
"""`fromisoformat` also accepts week dates and dates without hyphens."""

T = TypeVar("T")
D = TypeVar("D")


class Resolver(Protocol):
    """Lookup of records by unique keys. Unknown values match nothing and raise nothing."""

    def contacts(self, given: ContactIdentifiers) -> frozenset[int]:
        """Return the numbers of the contacts with any of these identifiers."""
        ...

    def companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        """Return the numbers of the companies with any of these identifiers."""
        ...

    def excluded_companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        """Return the numbers of the companies that an exclusion of these identifiers leaves out."""
        ...

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        """Return latitude and longitude of a postcode (`fields.ZIP`), or None if no record has a position for it."""
        ...


@dataclass(slots=True)
class ReadContext:
    """State shared by the filters of one request. Problems are collected, so that one response names several."""

    resolver: Resolver
    today: date
    """In UTC."""
    problems: list[str] = field(default_factory=list)

    def refuse(self, problem: str) -> None:
        self.problems.append(problem)
        if len(self.problems) == MAX_PROBLEMS:
            self.check()

    def check(self) -> None:
        """Raise BadRequest if there are problems."""
        if self.problems:
            raise BadRequest(self.problems[0], self.problems)


class RequestPath(NamedTuple):
    """A location in the request body."""

    context: ReadContext
    path: str = ""
    excludes: bool = False
    """Within an `exclude`."""

    def child(self, name: str | int) -> "RequestPath":
        path = f"{self.path}.{name}" if self.path else str(name)
        return RequestPath(self.context, path, self.excludes or name == "exclude")

    def refuse(self, problem: str) -> None:
        """Record a problem with the value at this path; reading continues."""
        self.context.refuse(f"{self.path} {problem}")

    def parse_each(self, values: Sequence[str], kind: IdentifierKind) -> list[str]:
        """Return the different normal forms of identifiers; refuse malformed ones."""
        return kind.parse_each(values, (self.path,), self.context.refuse)

    def find_companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        """Return the companies that identifiers name here: an exclusion takes a host more widely."""
        resolver = self.context.resolver
        return resolver.excluded_companies(given) if self.excludes else resolver.companies(given)

    @property
    def resolver(self) -> Resolver:
        return self.context.resolver


FilterParser = Callable[[T, RequestPath], Criterion]
"""Converts one filter to a criterion. After a problem was recorded, the returned value is not used."""


class FilterSet:
    """Filters of one include or exclude, by their names in the request."""

    def __init__(self, path: RequestPath) -> None:
        self._path = path
        self.by_name: dict[str, list[Criterion]] = {}
        self._paths: dict[str, str] = {}

    def add(self, name: str, value: T | UnsetType, parse: FilterParser[T]) -> None:
        """Parse and add a filter unless it is absent."""
        if value is not UNSET and not is_absent(value):
            path = self._path.child(name)
            self.add_criteria(path, name, parse(value, path))

    def add_nested(
        self, name: str, value: T | UnsetType, parse: Callable[[T, RequestPath], "FilterSet"]
    ) -> None:
        """Parse and add an object of several filters, each of which excludes by itself."""
        if value is not UNSET and not is_absent(value):
            path = self._path.child(name)
            self.add_criteria(path, name, *parse(value, path).criteria)

    def add_criteria(self, path: RequestPath, name: str, *criteria: Criterion) -> None:
        self.by_name[name] = list(criteria)
        self._paths[name] = path.path

    @property
    def criteria(self) -> list[Criterion]:
        return [criterion for criteria in self.by_name.values() for criterion in criteria]

    def path_of(self, name: str) -> str:
        """Return the path of an added filter in the request."""
        return self._paths[name]


def or_default(value: T | UnsetType, default: D) -> T | D:
    """Return the value in the request, or the default if it is omitted."""
    return default if value is UNSET else value


def is_absent(value: Any) -> bool:
    """Check for a lack of values; empty objects and lists count as absent."""
    if value is UNSET:
        return True
    if isinstance(value, list):
        return all(map(is_absent, value))
    if isinstance(value, msgspec.Struct):
        return all(is_absent(getattr(value, name)) for name in value.__struct_fields__)
    return False


def count_values(part: msgspec.Struct, path: RequestPath) -> int:
    """Count the values in the lists of a part of a request, and refuse lists that are too long.

    No element of a list contains lists.
    """
    count = 0
    for attribute, name in zip(part.__struct_fields__, part.__struct_encode_fields__, strict=True):
        value = getattr(part, attribute)
        if value is UNSET:
            continue
        if isinstance(value, msgspec.Struct):
            count += count_values(value, path.child(name))
        elif isinstance(value, list):
            count += len(value)
            if len(value) > MAX_LIST_LENGTH:
                path.child(name).refuse(f"must have at most {MAX_LIST_LENGTH} elements")
    return count


def known_values(values: Sequence[str], vocabulary: Mapping[str, str], path: RequestPath) -> list[str]:
    """Return the values as spelt in a fixed vocabulary (`vocabularies.index_by_casefold`); refuse others."""
    found = []
    for index, value in enumerate(values):
        if (written := known_value(value, vocabulary, path.child(index))) is not None:
            found.append(written)
    return found


def known_value(value: str, vocabulary: Mapping[str, str], path: RequestPath) -> str | None:
    written = vocabulary.get(value.casefold())
    if written is None:
        path.refuse(describe_expected_value(value, vocabulary.values()))
    return written


def day_number(text: str, path: RequestPath) -> int:
    """Return days since 1970-01-01 of a date in the request."""
    number = analysis.day_number(text) if _ISO_DAY.fullmatch(text) else None
    if number is None:
        path.refuse("must be a date that exists, YYYY-MM-DD")
        return 0
    return number


def present_items(values: Iterable[T], path: RequestPath) -> Iterable[tuple[T, RequestPath]]:
    """Return the present values of a list with their paths."""
    return ((value, path.child(index)) for index, value in enumerate(values) if not is_absent(value))
