"""Filter of search results by signals, free of charge (docs/reference/lookups.md#activity-filter).

An item whose record has none of the requested signals is `NOT_FOUND`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from firmograph.caller import Request
from firmograph.database.connection import Session
from firmograph.enrichment.shapes import CompanySearch, ContactSearch
from firmograph.kit.clock import day_of
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity
from firmograph.signals.activity.filters import (
    FilterPath,
    requested_company_signals,
    requested_contact_signals,
)
from firmograph.signals.activity.record_activity import RequestedSignal
from firmograph.signals.activity.store import active_types
from firmograph.signals.types import FEATURE

_MOST_PROBLEMS = 10

Types = Mapping[int, Sequence[str]]
"""Types of the requested signals of each record with any."""
NO_TYPES: Types = {}


class ActivityFilter(NamedTuple):
    """Signals requested in a search."""

    entity: Entity
    requested: tuple[RequestedSignal, ...] = ()
    """Empty without a filter."""

    def types(self, session: Session, numbers: Collection[int]) -> Types:
        """Return the types of requested signals of each record with any. One statement, none without a filter."""
        return active_types(session, self.entity, numbers, self.requested)

    def excludes(self, number: int, types: Types) -> bool:
        return bool(self.requested) and number not in types


def contact_activity_filter(request: Request, body: ContactSearch) -> ActivityFilter:
    """Read the filter of a contact search.

    Raises Forbidden for a plan without signals, BadRequest with up to ten problems and their paths.
    """
    if body.signals is UNSET:
        return ActivityFilter(Entity.CONTACT)
    at, problems = _check_plan(request)
    requested = requested_contact_signals(body.signals, at)
    _raise_problems(problems)
    return ActivityFilter(Entity.CONTACT, requested)


def company_activity_filter(request: Request, body: CompanySearch) -> ActivityFilter:
    """Read the filter of a company search, with the same errors."""
    if body.signals is UNSET:
        return ActivityFilter(Entity.COMPANY)
    at, problems = _check_plan(request)
    requested = requested_company_signals(body.signals, at)
    _raise_problems(problems)
    return ActivityFilter(Entity.COMPANY, requested)


def _check_plan(request: Request) -> tuple[FilterPath, list[str]]:
    request.caller.plan.check(FEATURE)
    problems: list[str] = []
    return FilterPath("signals", day_of(request.at), problems.append), problems


def _raise_problems(problems: list[str]) -> None:
    if problems:
        raise BadRequest(problems[0], problems[:_MOST_PROBLEMS])
