"""Signals that legacy calls for people and companies ask for (docs/reference/legacy.md#signals-next-to-records)."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.caller import Request
from firmograph.directory.store import CompanyProfile
from firmograph.enrichment.reveal import RequestedSignals
from firmograph.kit.clock import day_of
from firmograph.legacy.identified import given_once
from firmograph.legacy.signal_arrays import Paths, SignalBounds, read_signal_query
from firmograph.security.record_ids import Entity
from firmograph.signals.filters import SignalQuery
from firmograph.signals.shapes import Departments, Exclude, LegacyInclude, NewsEvents, Places
from firmograph.signals.types import FEATURE

Day = Annotated[
    str,
    Meta(
        max_length=10,
        description="Signals dated on this day or later, all without it",
        examples=["2026-01-31"],
        extra_json_schema={"format": "date"},
    ),
]


class LegacySignalsFilters(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Filter values directly, or in `include`; any one suffices, in any letter case."""

    news_event_types: NewsEvents | UnsetType = UNSET
    hiring_by_departments: Departments | UnsetType = UNSET
    hiring_by_locations: Places | UnsetType = UNSET
    include: LegacyInclude | UnsetType = UNSET
    exclude: Exclude | UnsetType = UNSET

    def read(self, path: str) -> tuple[LegacyInclude, str]:
        """Return the values with their path. Raises BadRequest for a list that is given twice."""
        lists = ("news_event_types", "hiring_by_departments", "hiring_by_locations")
        include = LegacyInclude() if self.include is UNSET else self.include
        if all(getattr(self, name) is UNSET for name in lists):
            return include, f"{path}.include"
        chosen = {
            name: given_once(
                [
                    (f"{path}.include.{encoded}", getattr(include, name)),
                    (f"{path}.{encoded}", getattr(self, name)),
                ]
            )
            for name, encoded in zip(lists, LegacyInclude.__struct_encode_fields__, strict=True)
        }
        return LegacyInclude(**{name: given[1] for name, given in chosen.items() if given}), path


class GivenSignals(msgspec.Struct):
    """Where a request asks for signals: each with its path, at most one given."""

    names: Sequence[tuple[str, list[str] | UnsetType]]
    starts: Sequence[tuple[str, str | UnsetType]]
    filters: LegacySignalsFilters | UnsetType = UNSET


def read_given_signals(request: Request, entity: Entity, given: GivenSignals) -> SignalQuery | None:
    """Return the query for the given signals, None without names.

    Raises Forbidden for a plan without signals, BadRequest. What is given without names is read all the same: it may be
    malformed, or the name of `signals` misspelt.
    """
    names, start = given_once(given.names), given_once(given.starts)
    if names is None and start is None and given.filters is UNSET:
        return None
    if names is not None:
        request.caller.plan.check(FEATURE)
    include, include_at = (UNSET, "") if given.filters is UNSET else given.filters.read("signalsFilters")
    names_at, asked = names or ("", [])
    start_at, day = start or ("", UNSET)
    query = read_signal_query(
        entity,
        asked,
        SignalBounds(day),
        day_of(request.at),
        paths=Paths(names_at, start_at, include_at),
        include=include,
    )
    return query if names else None


def requested_company_signals(
    request: Request, given: GivenSignals
) -> RequestedSignals[CompanyProfile] | None:
    """Return the requested signals; raises as `read_given_signals`."""
    query = read_given_signals(request, Entity.COMPANY, given)
    return None if query is None else RequestedSignals(query)
