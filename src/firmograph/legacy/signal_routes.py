"""Legacy endpoints of signals (docs/reference/legacy.md#signals-calls)."""

from typing import Final

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.kit.errors import Busy, Conflict, PaymentRequired, PreconditionFailed
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
_FUNDING = {"include": {"newsEventTypes": ["Funding Round"]}}

CONTACT_FILTERS: Final = answers.LegacySignalFilters(
    ("promotion", "companyChange", types.ALL_SIGNALS), "contact"
)
COMPANY_FILTERS: Final = answers.LegacySignalFilters(
    (types.ALL_SIGNALS, *shapes.LEGACY_TYPES),
    "company",
    answers.FilterOptions(types.NEWS_EVENT_TYPES, types.HIRING_DEPARTMENTS),
)


def routes(signals: LegacySignals) -> list[Endpoint]:
    return [*_contact_routes(signals), *_company_routes(signals), *_filter_routes()]


_KEYS: Final = {Entity.CONTACT: b"contacts", Entity.COMPANY: b"companies"}


def _render(content: LegacySignalsContent, request_id: str, credits: int) -> bytes:
    return b'{"%s":{%s},"startDate":"%s","endDate":"%s","creditCharged":%d}' % (
        _KEYS[content.entity],
        b",".join(content.records),
        content.start.encode(),
        content.end.encode(),
        credits,
    )


def _contact_routes(signals: LegacySignals) -> list[Endpoint]:
    def get_contact_signals_legacy(
        call: Call[shapes.LegacyContactSignalsRequest],
    ) -> ChargedResponse | Deferred:
        return respond(signals.contacts(call.request, call.body), _render)

    def search_contact_signals_legacy(
        call: Call[shapes.LegacyContactSignalsSearch],
    ) -> ChargedResponse | Deferred:
        return respond(signals.contacts_search(call.request, call.body), _render)

    return [
        Endpoint(
            name="get_contact_signals_legacy",
            method="POST",
            path="/api/signals/contacts",
            function=get_contact_signals_legacy,
            successor="/v3/contacts/signals",
            body=shapes.LegacyContactSignalsRequest,
            answer=answers.LegacyContactSignals,
            tags=_TAGS,
            summary="Signals of contacts by legacy id",
            description="Signals of 1 to 100 contacts by their numeric ids." + _KEYED_BY_ID + _BILLING,
            charges=True,
            allow=check_plan,
            examples={
                "job changes of this year": {
                    "contactIds": [_ID],
                    "signals": ["companyChange"],
                    "startDate": "2026-01-01",
                }
            },
            errors=_ERRORS,
        ),
        Endpoint(
            name="search_contact_signals_legacy",
            method="POST",
            path="/api/signals/contacts/search",
            function=search_contact_signals_legacy,
            successor="/v3/contacts/signals",
            body=shapes.LegacyContactSignalsSearch,
            answer=answers.LegacyContactSignals,
            tags=_TAGS,
            summary="Signals of contacts by identifiers",
            description="Signals of 1 to 100 contacts, each looked up by `social_link`, else `email`, else `full_name`"
            " at one of `companies`, current ones first." + _KEYED_BY_OWN_ID + _BILLING,
            charges=True,
            allow=check_plan,
            examples={"by name and company": {"contacts": [_PERSON], "signals": [types.ALL_SIGNALS]}},
            errors=(*_ERRORS, PreconditionFailed),
        ),
    ]


def _company_routes(signals: LegacySignals) -> list[Endpoint]:
    def get_company_signals_legacy(
        call: Call[shapes.LegacyCompanySignalsRequest],
    ) -> ChargedResponse | Deferred:
        return respond(signals.companies(call.request, call.body), _render)

    def search_company_signals_legacy(
        call: Call[shapes.LegacyCompanySignalsSearch],
    ) -> ChargedResponse | Deferred:
        return respond(signals.companies_search(call.request, call.body), _render)

    return [
        Endpoint(
            name="get_company_signals_legacy",
            method="POST",
            path="/api/signals/companies",
            function=get_company_signals_legacy,
            successor="/v3/companies/signals",
            body=shapes.LegacyCompanySignalsRequest,
            answer=answers.LegacyCompanySignals,
            tags=_TAGS,
            summary="Signals of companies by legacy id",
            description="Signals of 1 to 100 companies by their numeric ids."
            + _KEYED_BY_ID
            + _BILLING
            + _NEWS_FILTERS,
            charges=True,
            allow=check_plan,
            examples={
                "funding rounds": {
                    "companyIds": [_ID],
                    "signals": ["financialEventsNews"],
                    "filters": _FUNDING,
                }
            },
            errors=_ERRORS,
        ),
        Endpoint(
            name="search_company_signals_legacy",
            method="POST",
            path="/api/signals/companies/search",
            function=search_company_signals_legacy,
            successor="/v3/companies/signals",
            body=shapes.LegacyCompanySignalsSearch,
            answer=answers.LegacyCompanySignals,
            tags=_TAGS,
            summary="Signals of companies by identifiers",
            description="Signals of 1 to 100 companies, each looked up by `domain`, else a unique `name`; with neither"
            " of these, `id` is a company id." + _KEYED_BY_OWN_ID + _BILLING + _NEWS_FILTERS,
            charges=True,
            allow=check_plan,
            examples={"by domain": {"companies": [_COMPANY], "signals": [types.ALL_SIGNALS]}},
            errors=_ERRORS,
        ),
    ]


def _filter_routes() -> list[Endpoint]:
    def get_contact_signal_filters_legacy(call: Call[None]) -> answers.LegacySignalFilters:
        return CONTACT_FILTERS

    def get_company_signal_filters_legacy(call: Call[None]) -> answers.LegacySignalFilters:
        return COMPANY_FILTERS

    return [
        Endpoint(
            name="get_contact_signal_filters_legacy",
            method="GET",
            path="/api/signals/filters/contact",
            function=get_contact_signal_filters_legacy,
            successor="/v3/contacts/signals/types",
            answer=answers.LegacySignalFilters,
            tags=_TAGS,
            summary="Values of the contact signal endpoints",
            description="Signal types of contacts. Free.",
            allow=check_plan,
        ),
        Endpoint(
            name="get_company_signal_filters_legacy",
            method="GET",
            path="/api/signals/filters/company",
            function=get_company_signal_filters_legacy,
            successor="/v3/companies/signals/filters",
            answer=answers.LegacySignalFilters,
            tags=_TAGS,
            summary="Values of the company signal endpoints",
            description="Signal types of companies, and the values of two filters; places are free text. Free.",
            allow=check_plan,
        ),
    ]
