"""Endpoints of signals: the two calls, signal types and filter values (docs/reference/signals.md)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import AccountCaller, Request
from firmograph.kit.errors import BadRequest, Busy, Conflict, PaymentRequired
from firmograph.security.record_ids import Entity
from firmograph.signals import answers, shapes, types
from firmograph.signals.calls import ShownSignals, SignalsCalls
from firmograph.signals.hiring.locations import MOST_LOCATIONS, HiringLocations
from firmograph.table_rows import RowWriter, following, requested_rows

_TAG = "Signals"
_CHARGE_ERRORS = (PaymentRequired, Conflict, Busy)
_FILTERS = "/v3/companies/signals/filters"
# Ids differ between installations: take them from a search.
_ID = "v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
_ABOUT = (
    " One unit is charged for each record and type with a shown event that this account has not paid for yet. Paid"
    " events stay free; events that are not shown are not charged. One result for each id, in order."
)


_encode = msgspec.json.Encoder().encode


def check_plan(caller: AccountCaller) -> None:
    """Raise Forbidden for a plan without signals; the `allow` of every endpoint that shows signals."""
    caller.plan.check(types.FEATURE)


def routes(
    calls: SignalsCalls, locations: HiringLocations, categories: Sequence[str], tables: RowWriter
) -> list[Endpoint]:
    return [
        _signals(
            Entity.CONTACT,
            calls,
            calls.contacts,
            tables,
            body=shapes.ContactSignalsRequest,
            answer=answers.ContactSignalsAnswer,
            description="Promotions and changes of employer of 1 to 100 contacts." + _ABOUT,
            examples={
                "since a day": {"ids": [_ID], "signalTypes": ["allSignals"], "startDate": "2026-01-01"}
            },
        ),
        _signals(
            Entity.COMPANY,
            calls,
            calls.companies,
            tables,
            body=shapes.CompanySignalsRequest,
            answer=answers.CompanySignalsAnswer,
            description="Signals of 1 to 100 companies. `linkedinActivityIntent` goes back at most 90 days and shows at"
            " most 50 posts." + _ABOUT,
            examples={
                "everything": {"ids": [_ID], "signalTypes": ["allSignals"]},
                "narrowed": {
                    "ids": [_ID],
                    "signalTypes": ["financialEventsNews", "surgeInHiringByLocation"],
                    "maxResultsPerSignal": 10,
                    "filters": {
                        "include": {
                            "newsEventTypes": ["Funding Round"],
                            "hiringByLocations": [{"country": "United States", "state": "California"}],
                        }
                    },
                },
            },
        ),
        *(_types(entity, types.TYPES[entity]) for entity in Entity),
        *_filters(locations, categories),
    ]


def _render(content: ShownSignals, request_id: str, credits: int) -> bytes:
    found = content.found
    period = b'"startDate":"%s","endDate":"%s",' % (found.start.encode(), found.end.encode())
    return render_answer(request_id, content.results, credits, content.returned, period)


def _signals(
    entity: Entity,
    calls: SignalsCalls,
    find: Callable[[Request, Any], ChargedCall[ShownSignals]],
    tables: RowWriter,
    **declared: Any,
) -> Endpoint:
    """Declare the endpoint of one kind of records; `declared` are the fields that differ between the two."""

    def get_signals(call: Call[Any]) -> ChargedResponse | Deferred:
        request, body = call.request, call.body
        ready = find(request, body)
        rows = requested_rows(request, body.table_id, entity)
        return respond(ready, _render, following(rows, tables, calls.fill_rows))

    return Endpoint(
        name=f"get_{entity.singular}_signals",
        method="POST",
        path=f"/v3/{entity.plural}/signals",
        function=get_signals,
        tags=[_TAG],
        summary=f"Signals of {entity.plural}",
        charges=True,
        allow=check_plan,
        errors=_CHARGE_ERRORS,
        **declared,
    )


def _types(entity: Entity, names: Sequence[str]) -> Endpoint:
    listed = answers.SignalTypes([types.ALL_SIGNALS, *names])

    def get_types(call: Call[None]) -> msgspec.Struct:
        return listed

    return Endpoint(
        name=f"get_{entity.plural}_signal_types",
        method="GET",
        path=f"/v3/{entity.plural}/signals/types",
        function=get_types,
        answer=answers.SignalTypes,
        tags=[_TAG],
        summary=f"Types of signals of {entity.plural}",
        description="`allSignals` stands for all others. Free.",
        allow=check_plan,
    )


# --- values of filters ---


class _LocationSearch(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    query: Annotated[
        str,
        Meta(
            min_length=2,
            max_length=256,
            description="Beginning of a word of the country or state, or its code",
            examples=["cal"],
        ),
    ]


def _filters(locations: HiringLocations, categories: Sequence[str]) -> list[Endpoint]:
    listed = answers.SignalFilterTypes(
        [
            answers.SignalFilter("newsEventTypes", False),
            answers.SignalFilter("hiringByDepartments", False),
            answers.SignalFilter("hiringByLocations", True),
            answers.SignalFilter("intentCategories", False),
        ]
    )

    def get_signal_filters(call: Call[None]) -> msgspec.Struct:
        return listed

    def get_signal_filter_locations(call: Call[None]) -> Deferred:
        return Deferred(lambda: _encode({"values": locations.search(call.query.query)}), writes=False)

    return [
        Endpoint(
            name="get_signal_filters",
            method="GET",
            path=_FILTERS,
            function=get_signal_filters,
            answer=answers.SignalFilterTypes,
            tags=[_TAG],
            summary="Filters of company signals that list their values",
            description="Each is a path below this one. Free, as are those paths.",
            allow=check_plan,
        ),
        _fixed("newsEventTypes", "Events of news", types.NEWS_EVENT_TYPES),
        _fixed("hiringByDepartments", "Departments of hiring surges", types.HIRING_DEPARTMENTS),
        Endpoint(
            name="get_signal_filter_locations",
            method="GET",
            path=f"{_FILTERS}/hiringByLocations",
            function=get_signal_filter_locations,
            query=_LocationSearch,
            answer=answers.HiringPlaceValues,
            tags=[_TAG],
            summary="Places of hiring surges and job postings",
            description=f"At most {MOST_LOCATIONS} stored locations, whole countries first. Free.",
            allow=check_plan,
        ),
        _fixed("intentCategories", "Categories of the topics of posts", categories, takes_query=False),
    ]


def _fixed(name: str, summary: str, values: Sequence[str], *, takes_query: bool = True) -> Endpoint:
    """Build an endpoint that lists fixed values (docs/reference/signals.md#filters).

    A superfluous `query` is ignored with `takes_query`, else refused.
    """
    answer = _encode({"values": list(values)})

    def get_values(call: Call[Any]) -> bytes:
        if not takes_query:
            _refuse_query(call.scope["query_string"])
        return answer

    return Endpoint(
        name=f"get_signal_filter_{name}",
        method="GET",
        path=f"{_FILTERS}/{name}",
        function=get_values,
        answer=answers.SignalFilterValues,
        tags=[_TAG],
        summary=summary,
        description="The whole list. Free." if takes_query else "The whole list; it takes no `query`. Free.",
        allow=check_plan,
        errors=() if takes_query else (BadRequest,),
    )


def _refuse_query(raw: bytes) -> None:
    if any(name == "query" for name, _ in parse_qsl(raw.decode("latin-1"))):
        problem = "query should not exist: intentCategories are always listed whole"
        raise BadRequest(problem, [problem])
