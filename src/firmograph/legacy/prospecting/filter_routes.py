"""Endpoints that list filter values as bare arrays (docs/reference/legacy.md#filter-values)."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, UnsetType

from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.directory.previews import ResponsePart
from firmograph.kit.errors import Loading, SearchUnavailable
from firmograph.kit.whole_numbers import encode
from firmograph.prospecting import answers
from firmograph.prospecting.discovery import service
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.engines import fields
from firmograph.security.record_ids import Entity, RecordIds

_TAGS = ["Legacy prospecting"]


class LegacyFilterText(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The typed text."""

    text: Annotated[
        str,
        Meta(
            min_length=2,
            max_length=256,
            description="Beginning of the value; misspellings allowed",
            examples=["ber"],
        ),
    ]


class LegacyCode(ResponsePart):
    code: str
    label: str
    name: Annotated[str, Meta(description="The same as `label`")]


class LegacyCompanyName(ResponsePart):
    company_id: Annotated[str, Meta(description="Legacy id, as text")]
    name: str
    logo_url: str | UnsetType = msgspec.UNSET
    fqdn: str | UnsetType = msgspec.UNSET


class _Values(NamedTuple):
    """Filter with listed values, and its name in the current generation."""

    path: str
    successor: str
    answer: Any
    fixed: Callable[[], list[Any]] | None = None
    all_values: Callable[[], list[Any]] | None = None
    similar: Callable[[str], list[Any]] | None = None


def filter_routes(discovery: Discovery, record_ids: RecordIds) -> list[Endpoint]:
    def codes(field: str) -> list[LegacyCode]:
        return [LegacyCode(one.code, one.label, one.label) for one in discovery.codes(field)]

    def names(text: str) -> list[LegacyCompanyName]:
        return [_company_name(record_ids, one) for one in discovery.company_names(text)]

    listed = (
        _Values("contacts/departments", "departments", list[str], fixed=service.departments),
        _Values("contacts/seniority", "seniority", list[answers.SeniorityOption], fixed=service.seniorities),
        _Values(
            "contacts/existing_data_points",
            "existingDataPoints",
            list[str],
            fixed=service.existing_data_points,
        ),
        _Values(
            "contacts/locations",
            "locations",
            list[answers.PlaceOption],
            similar=lambda text: discovery.locations(Entity.CONTACT, text),
        ),
        _Values(
            "companies/industries_labels",
            "industriesLabels",
            list[answers.IndustryOption],
            fixed=service.industries,
        ),
        _Values("companies/sizes", "sizes", list[answers.RangeOption], fixed=service.sizes),
        _Values("companies/revenues", "revenues", list[answers.RangeOption], fixed=service.revenues),
        _Values("companies/sics", "sics", list[LegacyCode], all_values=lambda: codes(fields.SIC)),
        _Values("companies/naics", "naics", list[LegacyCode], all_values=lambda: codes(fields.NAICS)),
        _Values("companies/intent_topics", "intentTopics", list[str], all_values=discovery.intent_topics),
        _Values("companies/names", "names", list[LegacyCompanyName], similar=names),
        _Values(
            "companies/technologies",
            "technologies",
            list[answers.TechnologyOption],
            similar=discovery.technologies,
        ),
        _Values(
            "companies/locations",
            "locations",
            list[answers.PlaceOption],
            similar=lambda text: discovery.locations(Entity.COMPANY, text),
        ),
    )
    return [_route(one) for one in listed]


def _company_name(record_ids: RecordIds, option: answers.CompanyNameOption) -> LegacyCompanyName:
    number = record_ids.open(Entity.COMPANY, option.company_id)
    assert number is not None
    id = str(record_ids.legacy(Entity.COMPANY, number))
    return LegacyCompanyName(id, option.name, option.logo_url, option.fqdn)


def _route(values: _Values) -> Endpoint:
    kind, _, name = values.path.partition("/")
    similar, listed, fixed = values.similar, values.all_values, values.fixed

    def get_values(call: Call[Any]) -> bytes | Deferred:
        if fixed is not None:
            return encode(fixed())
        if similar is not None:
            return Deferred(lambda: encode(similar(call.body.text)), writes=False)
        assert listed is not None
        return Deferred(lambda: encode(listed()), writes=False)

    return Endpoint(
        name=f"get_{kind}_filter_{name}_legacy",
        method="GET" if similar is None else "POST",
        path=f"/prospecting/filters/{values.path}",
        function=get_values,
        body=None if similar is None else LegacyFilterText,
        answer=values.answer,
        tags=_TAGS,
        summary=f"Values of the filter {name} of {kind} (legacy)",
        description="A fixed list. Free."
        if fixed is not None
        else "Values from the records, as the current path lists them. Free. 503 while the search index is being"
        " prepared.",
        successor=f"/v3/{kind}/prospecting/filters/{values.successor}",
        examples={} if similar is None else {"beginning of a value": {"text": "ber"}},
        errors=() if fixed is not None else (Loading, SearchUnavailable),
    )
