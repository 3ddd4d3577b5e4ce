"""The legacy endpoints of signals (specification 4.1, wire-b 2)."""

from typing import Final

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.kit.errors import Busy, Conflict, PaymentRequired, PreconditionFailed
from firmograph.legacy import signal_answers as answers
from firmograph.legacy import signal_shapes as shapes
from firmograph.legacy.signals import LegacySignals
from firmograph.signals import types
from firmograph.signals.routes import check_plan

_ERRORS = (PaymentRequired, Conflict, Busy)
_TAGS = ["Legacy signals"]
_ABOUT = (
    " Every signal that is held, or every one dated on or after `startDate`; at most `maxResultsPerSignal` of each type"
    " and record, the newest. One unit is charged for each record and type that shows an event which this account has"
    " not paid for yet, by this call or by one of the current generation."
)
_NARROWED = (
    " `filters.include` narrows news by event, and hiring surges by department and by place: any value suffices, letter"
    " case does not count, and each list acts only on its own types."
)
_MAP = " The answer is a map by the ids that were asked for; an id of no record that is held has no entry."
_OWN_KEYS = (
    " The answer is a map by your own `id` of each item; an item that means no held record has no entry."
)
_ID = 4503599627370495
"""Of no record: take yours from the `personId` and `companyId` of an answer."""
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


def _contact_routes(signals: LegacySignals) -> list[Endpoint]:
    @endpoint(
        "POST",
        "/api/signals/contacts",
        body=shapes.LegacyContactSignalsRequest,
        answer=answers.LegacyContactSignals,
        tags=_TAGS,
        summary="Signals of contacts by legacy id",
        description="Signals of 1 to 100 contacts by their numeric ids." + _MAP + _ABOUT,
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
    )
    def get_contact_signals_legacy(call: Call[shapes.LegacyContactSignalsRequest]) -> Deferred:
        return signals.contacts(call)

    @endpoint(
        "POST",
        "/api/signals/contacts/search",
        body=shapes.LegacyContactSignalsSearch,
        answer=answers.LegacyContactSignals,
        tags=_TAGS,
        summary="Signals of contacts by what names them",
        description="Signals of 1 to 100 contacts, each looked for by `social_link`, else `email`, else `full_name` at"
        " one of `companies`, the current ones first." + _OWN_KEYS + _ABOUT,
        charges=True,
        allow=check_plan,
        examples={"by name and company": {"contacts": [_PERSON], "signals": [types.ALL_SIGNALS]}},
        errors=(*_ERRORS, PreconditionFailed),
    )
    def search_contact_signals_legacy(call: Call[shapes.LegacyContactSignalsSearch]) -> Deferred:
        return signals.contacts_search(call)

    return [get_contact_signals_legacy, search_contact_signals_legacy]


def _company_routes(signals: LegacySignals) -> list[Endpoint]:
    @endpoint(
        "POST",
        "/api/signals/companies",
        body=shapes.LegacyCompanySignalsRequest,
        answer=answers.LegacyCompanySignals,
        tags=_TAGS,
        summary="Signals of companies by legacy id",
        description="Signals of 1 to 100 companies by their numeric ids." + _MAP + _ABOUT + _NARROWED,
        charges=True,
        allow=check_plan,
        examples={
            "funding rounds": {"companyIds": [_ID], "signals": ["financialEventsNews"], "filters": _FUNDING}
        },
        errors=_ERRORS,
    )
    def get_company_signals_legacy(call: Call[shapes.LegacyCompanySignalsRequest]) -> Deferred:
        return signals.companies(call)

    @endpoint(
        "POST",
        "/api/signals/companies/search",
        body=shapes.LegacyCompanySignalsSearch,
        answer=answers.LegacyCompanySignals,
        tags=_TAGS,
        summary="Signals of companies by what names them",
        description="Signals of 1 to 100 companies, each looked for by `domain`, else a unique `name`; with neither of"
        " these, `id` is the company's own id." + _OWN_KEYS + _ABOUT + _NARROWED,
        charges=True,
        allow=check_plan,
        examples={"by domain": {"companies": [_COMPANY], "signals": [types.ALL_SIGNALS]}},
        errors=_ERRORS,
    )
    def search_company_signals_legacy(call: Call[shapes.LegacyCompanySignalsSearch]) -> Deferred:
        return signals.companies_search(call)

    return [get_company_signals_legacy, search_company_signals_legacy]


def _filter_routes() -> list[Endpoint]:
    @endpoint(
        "GET",
        "/api/signals/filters/contact",
        answer=answers.LegacySignalFilters,
        tags=_TAGS,
        summary="What the contact signals call may name",
        description="The types of signals of contacts. Free.",
        allow=check_plan,
    )
    def get_contact_signal_filters_legacy(call: Call[None]) -> answers.LegacySignalFilters:
        return CONTACT_FILTERS

    @endpoint(
        "GET",
        "/api/signals/filters/company",
        answer=answers.LegacySignalFilters,
        tags=_TAGS,
        summary="What the company signals call may name",
        description="The types of signals of companies, and the values of two filters; places are free text. Free.",
        allow=check_plan,
    )
    def get_company_signal_filters_legacy(call: Call[None]) -> answers.LegacySignalFilters:
        return COMPANY_FILTERS

    return [get_contact_signal_filters_legacy, get_company_signal_filters_legacy]
