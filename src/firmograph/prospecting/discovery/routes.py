"""The endpoints that tell which filters there are and what values they take (wire-a 5.1).

Each filter type is a path of its own, so that each is described with its own values, and an unknown one is a 404 like
any other path.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Loading
from firmograph.kit.whole_numbers import encode
from firmograph.prospecting import answers
from firmograph.prospecting.discovery import service as discovery
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.engines import fields
from firmograph.security.record_ids import Entity

_TAG = "Prospecting filters"


class Typed(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What was typed so far."""

    query: Annotated[
        str,
        Meta(
            min_length=2, max_length=256, description="What the value begins with, nearly", examples=["ber"]
        ),
    ]


class _FilterType(NamedTuple):
    name: str
    answer: Any
    fixed: Callable[[], list[Any]] | None = None
    """Values that never change."""
    held: Callable[[Discovery], list[Any]] | None = None
    """All values that are data."""
    like: Callable[[Discovery, str], list[Any]] | None = None
    """Those that are like the query, which is required."""
    about: str = ""
    """The description, where it is not the usual one."""


_DRAWN = (
    " Only what a search with default options finds counts: not what partial companies alone hold. Free. 503 while the"
    " search index is being prepared."
)
_LIKE = (
    f"At most {discovery.MOST_SUGGESTIONS} values that records hold: those that begin like the query, then those that"
    f" are spelled nearly so.{_DRAWN}"
)
_HELD = (
    f"All values that records hold, the most frequent first where they have no order of their own.{_DRAWN}"
)
_COUNTRIES = (
    "All countries, those of most contacts first. Free. 503 while the search index is being prepared."
)

_CONTACTS = (
    _FilterType("departments", answers.TextValues, fixed=discovery.departments),
    _FilterType("seniority", answers.SeniorityValues, fixed=discovery.seniorities),
    _FilterType("countries", answers.CountryValues, held=Discovery.countries, about=_COUNTRIES),
    _FilterType("existingDataPoints", answers.TextValues, fixed=discovery.existing_data_points),
    _FilterType(
        "locations", answers.PlaceValues, like=lambda held, text: held.locations(Entity.CONTACT, text)
    ),
)
_COMPANIES = (
    _FilterType("names", answers.CompanyNameValues, like=Discovery.company_names),
    _FilterType("technologies", answers.TechnologyValues, like=Discovery.technologies),
    _FilterType(
        "locations", answers.PlaceValues, like=lambda held, text: held.locations(Entity.COMPANY, text)
    ),
    _FilterType("sizes", answers.RangeValues, fixed=discovery.sizes),
    _FilterType("revenues", answers.RangeValues, fixed=discovery.revenues),
    _FilterType("industriesLabels", answers.IndustryValues, fixed=discovery.industries),
    _FilterType("sics", answers.CodeValues, held=lambda held: held.codes(fields.SIC)),
    _FilterType("naics", answers.CodeValues, held=lambda held: held.codes(fields.NAICS)),
    _FilterType("intentTopics", answers.TextValues, held=Discovery.intent_topics),
)


def filter_routes(held: Discovery) -> list[Endpoint]:
    return [
        *_routes("contacts", _CONTACTS, held),
        *_routes("companies", _COMPANIES, held),
        _all_countries(held),
    ]


def _routes(kind: str, types: tuple[_FilterType, ...], held: Discovery) -> Iterator[Endpoint]:
    base = f"/v3/{kind}/prospecting/filters"
    listed = answers.AvailableFilters(
        [answers.AvailableFilter(one.name, requires_query=one.like is not None) for one in types]
    )

    def available(call: Call[None]) -> msgspec.Struct:
        return listed

    available.__name__ = f"get_{kind}_filters"
    yield endpoint(
        "GET",
        base,
        answer=answers.AvailableFilters,
        tags=[_TAG],
        summary=f"Filters of {kind} whose values can be asked for",
        description="Each is a path below this one. Free, like all that stand there.",
    )(available)
    for one in types:
        yield _values(kind, f"{base}/{one.name}", one, held)


def _values(kind: str, path: str, one: _FilterType, held: Discovery) -> Endpoint:
    name = f"get_{kind}_filter_{one.name}"
    summary = f"Values of the filter {one.name} of {kind}"
    if one.fixed is not None:
        return _fixed(path, name, summary, one, one.fixed)

    def get_values(call: Call[Any]) -> Deferred:
        return Deferred(lambda: encode({"values": _drawn(one, held, call)}), writes=False)

    get_values.__name__ = name
    return endpoint(
        "GET",
        path,
        query=Typed if one.like else None,
        answer=one.answer,
        tags=[_TAG],
        summary=summary,
        description=one.about or (_LIKE if one.like else _HELD),
        errors=[Loading],
    )(get_values)


def _drawn(one: _FilterType, held: Discovery, call: Call[Any]) -> list[Any]:
    if one.like is not None:
        return one.like(held, call.query.query)
    assert one.held is not None
    return one.held(held)


def _fixed(path: str, name: str, summary: str, one: _FilterType, values: Callable[[], list[Any]]) -> Endpoint:
    answer = encode({"values": values()})

    def get_values(call: Call[None]) -> bytes:
        return answer

    get_values.__name__ = name
    return endpoint(
        "GET", path, answer=one.answer, tags=[_TAG], summary=summary, description="A fixed list. Free."
    )(get_values)


def _all_countries(held: Discovery) -> Endpoint:
    @endpoint(
        "GET",
        "/prospecting/filters/contacts/all_countries",
        answer=list[answers.CountryOption],
        tags=[_TAG],
        summary="Countries (legacy)",
        errors=[Loading],
    )
    def get_all_countries(call: Call[None]) -> Deferred:
        """The values of the filter countries of contacts, as a bare array. Free. 503 while the search index is being
        prepared.
        """
        return Deferred(lambda: encode(held.countries()), writes=False)

    return get_all_countries
