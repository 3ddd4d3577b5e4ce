"""Legacy endpoints of signals (docs/reference/legacy.md#signals-calls)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.kit.errors import Busy, Conflict, FirmographError, PaymentRequired, PreconditionFailed
from firmograph.legacy import signal_answers as answers
from firmograph.legacy import signal_shapes as shapes
from firmograph.legacy.signals import LegacySignals, LegacySignalsContent
from firmograph.security.record_ids import Entity
from firmograph.signals import types
from firmograph.signals.routes import check_plan

_ERRORS = (PaymentRequired, Conflict, Busy)
_TAGS = ["Legacy signals"]
_BILLING = (
    " Returns all signals, or those dated on or after `startDate`, and at most the newest `maxResultsPerSignal` of each"
    " type and record. One unit is charged for each record and type with an event that this account has not paid for"
    " yet, through these endpoints or the current ones."
)
_NEWS_FILTERS = (
    " `filters.include` restricts news by event, and hiring surges by department and by place: any value matches, case"
    " is ignored, and each list applies only to its own types."
)
_KEYED_BY_ID = " The response is a map by the requested ids; unknown ids have no entry."
_KEYED_BY_OWN_ID = (
    " The response is a map by your own `id` of each item; items without a matching record have no entry."
)
_ID = 4503599627370495
"""Id of no record: take real ones from the `personId` and `companyId` of a response."""
_PERSON = {
    "id": "1",
    "full_name": "Chuck Schumer",
    "companies": [{"name": "US Senate", "domain": "senate.gov", "is_current": True}],
}
_COMPANY = {"id": "1", "domain": "siemens.com"}

_Get = Callable[[Request, Any], ChargedCall[LegacySignalsContent]]

CONTACT_FILTERS: Final = answers.LegacySignalFilters(
    ("promotion", "companyChange", types.ALL_SIGNALS), "contact"
)
COMPANY_FILTERS: Final = answers.LegacySignalFilters(
    (types.ALL_SIGNALS, *shapes.LEGACY_TYPES),
    "company",
    answers.FilterOptions(types.NEWS_EVENT_TYPES, types.HIRING_DEPARTMENTS),
)


class _Declared(NamedTuple):
    """What an endpoint of contacts declares otherwise than that of companies."""

    body: Any
    description: str
    examples: Mapping[str, Any]
    errors: Sequence[type[FirmographError]] = _ERRORS


class _Kind(NamedTuple):
    entity: Entity
    answer: Any
    by_id: _Declared
    search: _Declared
    filters: answers.LegacySignalFilters
    filters_description: str
    filters_successor: str


_CONTACTS: Final = _Kind(
    Entity.CONTACT,
    answers.LegacyContactSignals,
    _Declared(
        shapes.LegacyContactSignalsRequest,
        "Signals of 1 to 100 contacts by their numeric ids." + _KEYED_BY_ID + _BILLING,
        {
            "job changes of this year": {
                "contactIds": [_ID],
                "signals": ["companyChange"],
                "startDate": "2026-01-01",
            }
        },
    ),
    _Declared(
        shapes.LegacyContactSignalsSearch,
        "Signals of 1 to 100 contacts, each looked up by `social_link`, else `email`, else `full_name` at one of"
        " `companies`, current ones first." + _KEYED_BY_OWN_ID + _BILLING,
        {"by name and company": {"contacts": [_PERSON], "signals": [types.ALL_SIGNALS]}},
        (*_ERRORS, PreconditionFailed),
    ),
    CONTACT_FILTERS,
    "Signal types of contacts. Free.",
    "/v3/contacts/signals/types",
)
_COMPANIES: Final = _Kind(
    Entity.COMPANY,
    answers.LegacyCompanySignals,
    _Declared(
        shapes.LegacyCompanySignalsRequest,
        "Signals of 1 to 100 companies by their numeric ids." + _KEYED_BY_ID + _BILLING + _NEWS_FILTERS,
        {
            "funding rounds": {
                "companyIds": [_ID],
                "signals": ["financialEventsNews"],
                "filters": {"include": {"newsEventTypes": ["Funding Round"]}},
            }
        },
    ),
    _Declared(
        shapes.LegacyCompanySignalsSearch,
        "Signals of 1 to 100 companies, each looked up by `domain`, else a unique `name`; with neither of these, `id`"
        " is a company id." + _KEYED_BY_OWN_ID + _BILLING + _NEWS_FILTERS,
        {"by domain": {"companies": [_COMPANY], "signals": [types.ALL_SIGNALS]}},
    ),
    COMPANY_FILTERS,
    "Signal types of companies, and the values of two filters; places are free text. Free.",
    "/v3/companies/signals/filters",
)


def routes(signals: LegacySignals) -> list[Endpoint]:
    return [
        _by_id(signals.contacts, _CONTACTS),
        _search(signals.contacts_search, _CONTACTS),
        _by_id(signals.companies, _COMPANIES),
        _search(signals.companies_search, _COMPANIES),
        _filters(_CONTACTS),
        _filters(_COMPANIES),
    ]


def _render(content: LegacySignalsContent, request_id: str, credits: int) -> bytes:
    return b'{"%s":{%s},"startDate":"%s","endDate":"%s","creditCharged":%d}' % (
        content.entity.plural.encode(),
        b",".join(content.records),
        content.start.encode(),
        content.end.encode(),
        credits,
    )


def _by_id(get: _Get, kind: _Kind) -> Endpoint:
    return _charged(
        get,
        kind,
        kind.by_id,
        name=f"get_{kind.entity.singular}_signals_legacy",
        path=f"/api/signals/{kind.entity.plural}",
        summary=f"Signals of {kind.entity.plural} by legacy id",
    )


def _search(search: _Get, kind: _Kind) -> Endpoint:
    return _charged(
        search,
        kind,
        kind.search,
        name=f"search_{kind.entity.singular}_signals_legacy",
        path=f"/api/signals/{kind.entity.plural}/search",
        summary=f"Signals of {kind.entity.plural} by identifiers",
    )


def _charged(get: _Get, kind: _Kind, declared: _Declared, *, name: str, path: str, summary: str) -> Endpoint:
    def get_signals(call: Call[Any]) -> ChargedResponse | Deferred:
        return respond(get(call.request, call.body), _render)

    return Endpoint(
        name=name,
        method="POST",
        path=path,
        function=get_signals,
        successor=f"/v3/{kind.entity.plural}/signals",
        body=declared.body,
        answer=kind.answer,
        tags=_TAGS,
        summary=summary,
        description=declared.description,
        charges=True,
        allow=check_plan,
        examples=declared.examples,
        errors=declared.errors,
    )


def _filters(kind: _Kind) -> Endpoint:
    def get_filters(call: Call[None]) -> answers.LegacySignalFilters:
        return kind.filters

    return Endpoint(
        name=f"get_{kind.entity.singular}_signal_filters_legacy",
        method="GET",
        path=f"/api/signals/filters/{kind.entity.singular}",
        function=get_filters,
        successor=kind.filters_successor,
        answer=answers.LegacySignalFilters,
        tags=_TAGS,
        summary=f"Values of the {kind.entity.singular} signal endpoints",
        description=kind.filters_description,
        allow=check_plan,
    )
