"""Endpoints that list the filters and their values.

See docs/reference/filters.md#values.

Each filter type has a path of its own, so that its values are documented separately and an unknown type is a 404
like any other path.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.kit.errors import Loading, SearchUnavailable
from firmograph.kit.whole_numbers import encode
from firmograph.prospecting import answers
from firmograph.prospecting.discovery import service
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.engines import fields
from firmograph.security.record_ids import Entity

_TAG = "Prospecting filters"


class SuggestQuery(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The typed text."""

    query: Annotated[
        str,
        Meta(
            min_length=2,
            max_length=256,
            description="Beginning of the value; misspellings allowed",
            examples=["ber"],
        ),
    ]


class _FilterType(NamedTuple):
    name: str
    answer: Any
    fixed: Callable[[], list[Any]] | None = None
    """Returns fixed values."""
    all_values: Callable[[Discovery], list[Any]] | None = None
    """Returns all values of the records."""
    similar: Callable[[Discovery, str], list[Any]] | None = None
    """Returns values similar to the query, which is then required."""
    description: str = ""
    """Description, if it differs from the usual one."""
    example: str = "ber"
    """Example of a query, with values of the demo data."""


_FROM_RECORDS = (
    " Counts only what a search with default options finds: values that only partial companies have are left out."
    " Free. 503 while the search index is being prepared."
)
_SIMILAR_VALUES = (
    f"At most {service.MAX_SUGGESTIONS} values from the records: those that begin with the query, then those"
    f" spelt similarly.{_FROM_RECORDS}"
)
_ALL_VALUES = (
    f"All values from the records, most frequent first unless they have an order of their own.{_FROM_RECORDS}"
)
_COUNTRIES = (
    "All countries, those with most contacts first. Free. 503 while the search index is being prepared."
)

_CONTACTS = (
    _FilterType("departments", answers.TextValues, fixed=service.departments),
    _FilterType("seniority", answers.SeniorityValues, fixed=service.seniorities),
    _FilterType("countries", answers.CountryValues, all_values=Discovery.countries, description=_COUNTRIES),
    _FilterType("existingDataPoints", answers.TextValues, fixed=service.existing_data_points),
    _FilterType(
        "locations",
        answers.PlaceValues,
        similar=lambda discovery, text: discovery.locations(Entity.CONTACT, text),
    ),
)
_COMPANIES = (
    _FilterType("names", answers.CompanyNameValues, similar=Discovery.company_names),
    _FilterType("technologies", answers.TechnologyValues, similar=Discovery.technologies, example="argo"),
    _FilterType(
        "locations",
        answers.PlaceValues,
        similar=lambda discovery, text: discovery.locations(Entity.COMPANY, text),
    ),
    _FilterType("sizes", answers.RangeValues, fixed=service.sizes),
    _FilterType("revenues", answers.RangeValues, fixed=service.revenues),
    _FilterType("industriesLabels", answers.IndustryValues, fixed=service.industries),
    _FilterType("sics", answers.CodeValues, all_values=lambda discovery: discovery.codes(fields.SIC)),
    _FilterType("naics", answers.CodeValues, all_values=lambda discovery: discovery.codes(fields.NAICS)),
    _FilterType("intentTopics", answers.TextValues, all_values=Discovery.intent_topics),
)


def filter_routes(discovery: Discovery) -> list[Endpoint]:
    return [
        *_routes("contacts", _CONTACTS, discovery),
        *_routes("companies", _COMPANIES, discovery),
        _all_countries(discovery),
    ]


def _routes(kind: str, types: tuple[_FilterType, ...], discovery: Discovery) -> Iterator[Endpoint]:
    base = f"/v3/{kind}/prospecting/filters"
    listed = answers.AvailableFilters(
        [answers.AvailableFilter(one.name, requires_query=one.similar is not None) for one in types]
    )

    def available(call: Call[None]) -> msgspec.Struct:
        return listed

    yield Endpoint(
        name=f"get_{kind}_filters",
        method="GET",
        path=base,
        function=available,
        answer=answers.AvailableFilters,
        tags=[_TAG],
        summary=f"Filters of {kind} with listed values",
        description="Each is a path below this one. Free, like all of them.",
    )
    for one in types:
        yield _values(kind, f"{base}/{one.name}", one, discovery)


def _values(kind: str, path: str, one: _FilterType, discovery: Discovery) -> Endpoint:
    name = f"get_{kind}_filter_{one.name}"
    summary = f"Values of the filter {one.name} of {kind}"
    if one.fixed is not None:
        return _fixed(path, name, summary, one, one.fixed)

    def get_values(call: Call[Any]) -> Deferred:
        return Deferred(lambda: encode({"values": _values_of(one, discovery, call)}), writes=False)

    return Endpoint(
        name=name,
        method="GET",
        path=path,
        function=get_values,
        query=SuggestQuery if one.similar else None,
        query_example={"query": one.example} if one.similar else {},
        answer=one.answer,
        tags=[_TAG],
        summary=summary,
        description=one.description or (_SIMILAR_VALUES if one.similar else _ALL_VALUES),
        errors=[Loading, SearchUnavailable],
    )


def _values_of(one: _FilterType, discovery: Discovery, call: Call[Any]) -> list[Any]:
    if one.similar is not None:
        return one.similar(discovery, call.query.query)
    assert one.all_values is not None
    return one.all_values(discovery)


def _fixed(path: str, name: str, summary: str, one: _FilterType, values: Callable[[], list[Any]]) -> Endpoint:
    answer = encode({"values": values()})

    def get_values(call: Call[None]) -> bytes:
        return answer

    return Endpoint(
        name=name,
        method="GET",
        path=path,
        function=get_values,
        answer=one.answer,
        tags=[_TAG],
        summary=summary,
        description="A fixed list. Free.",
    )


def _all_countries(discovery: Discovery) -> Endpoint:
    def get_all_countries(call: Call[None]) -> Deferred:
        return Deferred(lambda: encode(discovery.countries()), writes=False)

    return Endpoint(
        name="get_all_countries",
        method="GET",
        path="/prospecting/filters/contacts/all_countries",
        function=get_all_countries,
        answer=list[answers.CountryOption],
        tags=[_TAG],
        summary="Countries (legacy)",
        successor="/v3/contacts/prospecting/filters/countries",
        errors=[Loading, SearchUnavailable],
        description="Return the values of the contacts filter `countries` as a bare array. Free."
        "\n\n503 while the search index is being prepared.",
    )
