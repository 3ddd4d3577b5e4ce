"""Search narrowed to records with some activity (docs/reference/lookups.md#activity-filter): a filter, and free.

A record that an item means and that has none of the signals is no result: the item is `NOT_FOUND`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call
from firmograph.database.connection import Session
from firmograph.enrichment.shapes import CompanySearch, ContactSearch
from firmograph.kit.clock import day_of
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity
from firmograph.signals.activity import Wanted
from firmograph.signals.activity_filters import Place, company_wanted, contact_wanted
from firmograph.signals.activity_store import active_types

FEATURE = "signals"
"""Of a plan."""
_MOST_PROBLEMS = 10

Types = Mapping[int, Sequence[str]]
"""Of records that were active, the types of their signals."""
NO_TYPES: Types = {}


class Active(NamedTuple):
    """The activity that search asks for."""

    entity: Entity
    wanted: tuple[Wanted, ...] = ()
    """Empty where it asks for none."""

    def types(self, session: Session, numbers: Collection[int]) -> Types:
        """Of those of the records that are active, the types. One statement, none where no activity is asked for."""
        return active_types(session, self.entity, numbers, self.wanted)

    def leaves_out(self, number: int, types: Types) -> bool:
        return bool(self.wanted) and number not in types


def active_contacts(call: Call[ContactSearch]) -> Active:
    """Raise Forbidden for a plan without signals, BadRequest naming up to ten problems with their paths."""
    if call.body.signals is UNSET:
        return Active(Entity.CONTACT)
    at, problems = _allowed(call)
    return _checked(Active(Entity.CONTACT, contact_wanted(call.body.signals, at)), problems)


def active_companies(call: Call[CompanySearch]) -> Active:
    """Check the filter of companies in the same way."""
    if call.body.signals is UNSET:
        return Active(Entity.COMPANY)
    at, problems = _allowed(call)
    return _checked(Active(Entity.COMPANY, company_wanted(call.body.signals, at)), problems)


def _allowed(call: Call[ContactSearch] | Call[CompanySearch]) -> tuple[Place, list[str]]:
    caller: Caller = call.caller
    caller.plan.check(FEATURE)
    problems: list[str] = []
    return Place("signals", day_of(call.at), problems.append), problems


def _checked(active: Active, problems: list[str]) -> Active:
    if problems:
        raise BadRequest(problems[0], problems[:_MOST_PROBLEMS])
    return active
