"""Endpoints of lookalikes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import msgspec

from firmograph.api.charged_answers import Render, charge
from firmograph.api.endpoint import Call, Deferred, Endpoint, EndpointFunction
from firmograph.api.envelope import render_answer
from firmograph.caller import AccountCaller
from firmograph.kit.errors import Busy, Conflict, Expired, Forbidden, Loading, PaymentRequired
from firmograph.kit.whole_numbers import encode
from firmograph.lookalikes import answers, shapes
from firmograph.lookalikes.answers import LookalikeMeta
from firmograph.lookalikes.current_lookalikes import CurrentLookalikes
from firmograph.lookalikes.service import FEATURE, Kind, LookalikeResults
from firmograph.table_rows import RowWriter, TableRows, following, requested_rows

_ERRORS = (PaymentRequired, Forbidden, Conflict, Expired, Busy, Loading)

_ABOUT = (
    f" Seeds are {shapes.LEAST_SEEDS} to {shapes.MOST_SEEDS} different identifiers of any kinds, exclusions at most"
    f" {shapes.MOST_EXCLUDED}; they are counted after their spelling is normalised, and before they are looked up."
    " What is unknown, ambiguous or suppressed is passed over; if no seed is left the call is 400. Seeds and exclusions"
    " are never results, the most similar results come first. Similarity is learnt from the attributes of the loaded"
    " records.\n\nEach call without `dedupeSessionId` begins a session; calls with it return no result again, also"
    " with other seeds. It lives 30 days from its last answer and remembers 50,000 results. One that is unknown,"
    " expired, of another account or of the other kind of records is 410 `DEDUPE_SESSION_INVALID`. Charged for each"
    " started 5 results of a call; a refused call changes nothing."
)


class _Records(NamedTuple):
    """What differs between the endpoints of contacts and of companies."""

    body: Any
    answer: Any
    earlier_answer: Any
    examples: Mapping[str, Any]
    earlier_values: str = ""
    """Values that answers of the earlier path show otherwise."""


# all of the seeds stand in the demo data
_CONTACTS = _Records(
    shapes.ContactLookalikes,
    answers.ContactLookalikesAnswer,
    answers.EarlierContactLookalikesAnswer,
    {
        "members of a state's house": {
            "seeds": {
                "emails": [
                    "representative.kevin.mccabe@akleg.gov",
                    "representative.ted.eischeid@akleg.gov",
                    "representative.neal.foster@akleg.gov",
                    "representative.alyse.galvin@akleg.gov",
                ],
                "contacts": [{"firstName": "Chuck", "lastName": "Schumer", "companyName": "US Senate"}],
            },
            "limit": 10,
        }
    },
)
_COMPANIES = _Records(
    shapes.CompanyLookalikes,
    answers.CompanyLookalikesAnswer,
    answers.EarlierCompanyLookalikesAnswer,
    {
        "makers of chips": {
            "seeds": {"domains": ["amd.com", "intel.com", "nvidia.com", "qualcomm.com", "broadcom.com"]},
            "exclude": {"domains": ["cisco.com"]},
            "limit": 10,
        }
    },
    ", and `employeeCount` is a number",
)


def make_check(enabled: bool) -> Callable[[AccountCaller], None]:
    """Return the `allow` of every lookalike endpoint."""

    def check(caller: AccountCaller) -> None:
        if not enabled:
            raise Forbidden(
                "Forbidden: lookalikes are switched off on this server by FIRMOGRAPH_LOOKALIKES",
                ["FIRMOGRAPH_LOOKALIKES"],
            )
        caller.plan.check(FEATURE)

    return check


def _render(content: LookalikeResults, request_id: str, credits: int, members: bytes = b"") -> bytes:
    """Render the answer; `members` are further ones, each followed by a comma."""
    returned = len(content.results)
    meta = LookalikeMeta(*content.seeds, returned, content.has_more)
    own = b'"dedupeSessionId":%s,"meta":%s,' % (encode(content.session_id), encode(meta))
    results = list(map(encode, content.results.values()))
    return render_answer(request_id, results, credits, returned, own + members)


def _render_earlier(content: LookalikeResults, request_id: str, credits: int) -> bytes:
    """Render the answer with `creditsCharged` at top level as well."""
    return _render(content, request_id, credits, b'"creditsCharged":%d,' % credits)


def _fill(rows: TableRows, content: LookalikeResults) -> TableRows:
    return rows._replace(numbers=list(content.results))


def routes(lookalikes: CurrentLookalikes, tables: RowWriter, *, enabled: bool) -> list[Endpoint]:
    """Return the endpoints; without `enabled` all of them refuse."""
    allow, kinds = make_check(enabled), lookalikes.kinds

    def finder(kind: Kind, render: Render[LookalikeResults]) -> EndpointFunction:
        def find_lookalikes(call: Call[Any]) -> Deferred:
            request, body = call.request, call.body
            rows = requested_rows(request, body.table_id, kind.entity)
            # many seeds take long to read
            find = partial(lookalikes.find, request, body, kind)
            return charge(find, render, following(rows, tables, _fill))

        return find_lookalikes

    def current(records: _Records, kind: Kind) -> Endpoint:
        name = kind.entity.plural
        return Endpoint(
            name=f"find_lookalike_{name}",
            method="POST",
            path=f"/v3/{name}/lookalike",
            function=finder(kind, _render),
            body=records.body,
            answer=records.answer,
            tags=["Lookalikes"],
            summary=f"Find {name} like others",
            description=f"Finds {name} that resemble the seeds." + _ABOUT,
            charges=True,
            allow=allow,
            examples=records.examples,
            errors=_ERRORS,
        )

    def earlier(records: _Records, kind: Kind) -> Endpoint:
        successor = current(records, kind)
        return msgspec.structs.replace(
            successor,
            name=f"{successor.name}_earlier",
            path=f"/v3/lookalike/{kind.entity.plural}",
            function=finder(kind, _render_earlier),
            answer=records.earlier_answer,
            summary=f"{successor.summary} (earlier path)",
            description=f"The earlier path of `{successor.path}`, with the same body and the same sessions."
            f" `creditsCharged` stands at top level as well{records.earlier_values}.",
            successor=successor.path,
        )

    return [
        current(_CONTACTS, kinds.contacts),
        current(_COMPANIES, kinds.companies),
        earlier(_CONTACTS, kinds.earlier_contacts),
        earlier(_COMPANIES, kinds.earlier_companies),
    ]
