"""Endpoints of lookalikes."""

from collections.abc import Callable
from functools import partial

from firmograph.api.charged_answers import Render, charge
from firmograph.api.endpoint import Call, Deferred, Endpoint
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

# all of these stand in the demo data
_LEGISLATORS = {
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
_CHIP_MAKERS = {
    "seeds": {"domains": ["amd.com", "intel.com", "nvidia.com", "qualcomm.com", "broadcom.com"]},
    "exclude": {"domains": ["cisco.com"]},
    "limit": 10,
}


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

    def answer(
        call: Call[shapes.ContactLookalikes] | Call[shapes.CompanyLookalikes],
        kind: Kind,
        render: Render[LookalikeResults],
    ) -> Deferred:
        request, body = call.request, call.body
        rows = requested_rows(request, body.table_id, kind.entity)
        # many seeds take long to read
        find = partial(lookalikes.find, request, body, kind)
        return charge(find, render, following(rows, tables, _fill))

    def find_lookalike_contacts(call: Call[shapes.ContactLookalikes]) -> Deferred:
        return answer(call, kinds.contacts, _render)

    def find_lookalike_companies(call: Call[shapes.CompanyLookalikes]) -> Deferred:
        return answer(call, kinds.companies, _render)

    def find_lookalike_contacts_earlier(call: Call[shapes.ContactLookalikes]) -> Deferred:
        return answer(call, kinds.earlier_contacts, _render_earlier)

    def find_lookalike_companies_earlier(call: Call[shapes.CompanyLookalikes]) -> Deferred:
        return answer(call, kinds.earlier_companies, _render_earlier)

    return [
        Endpoint(
            name="find_lookalike_contacts",
            method="POST",
            path="/v3/contacts/lookalike",
            function=find_lookalike_contacts,
            body=shapes.ContactLookalikes,
            answer=answers.ContactLookalikesAnswer,
            tags=["Lookalikes"],
            summary="Find contacts like others",
            description="Finds contacts that resemble the seeds." + _ABOUT,
            charges=True,
            allow=allow,
            examples={"members of a state's house": _LEGISLATORS},
            errors=_ERRORS,
        ),
        Endpoint(
            name="find_lookalike_companies",
            method="POST",
            path="/v3/companies/lookalike",
            function=find_lookalike_companies,
            body=shapes.CompanyLookalikes,
            answer=answers.CompanyLookalikesAnswer,
            tags=["Lookalikes"],
            summary="Find companies like others",
            description="Finds companies that resemble the seeds." + _ABOUT,
            charges=True,
            allow=allow,
            examples={"makers of chips": _CHIP_MAKERS},
            errors=_ERRORS,
        ),
        Endpoint(
            name="find_lookalike_contacts_earlier",
            method="POST",
            path="/v3/lookalike/contacts",
            function=find_lookalike_contacts_earlier,
            successor="/v3/contacts/lookalike",
            body=shapes.ContactLookalikes,
            answer=answers.EarlierContactLookalikesAnswer,
            tags=["Lookalikes"],
            summary="Find contacts like others (earlier path)",
            description="The earlier path of `/v3/contacts/lookalike`, with the same body and the same sessions."
            " `creditsCharged` stands at top level as well.",
            charges=True,
            allow=allow,
            examples={"members of a state's house": _LEGISLATORS},
            errors=_ERRORS,
        ),
        Endpoint(
            name="find_lookalike_companies_earlier",
            method="POST",
            path="/v3/lookalike/companies",
            function=find_lookalike_companies_earlier,
            successor="/v3/companies/lookalike",
            body=shapes.CompanyLookalikes,
            answer=answers.EarlierCompanyLookalikesAnswer,
            tags=["Lookalikes"],
            summary="Find companies like others (earlier path)",
            description="The earlier path of `/v3/companies/lookalike`, with the same body and the same sessions."
            " `creditsCharged` stands at top level as well, and `employeeCount` is a number.",
            charges=True,
            allow=allow,
            examples={"makers of chips": _CHIP_MAKERS},
            errors=_ERRORS,
        ),
    ]
