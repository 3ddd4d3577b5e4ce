"""Endpoints of lookalikes."""

from collections.abc import Callable

from firmograph.api.endpoint import Call, Deferred, Endpoint, endpoint
from firmograph.caller import AccountCaller
from firmograph.kit.errors import Busy, Conflict, Expired, Forbidden, Loading, PaymentRequired
from firmograph.lookalikes import answers, shapes
from firmograph.lookalikes.current_lookalikes import CurrentLookalikes, Kinds
from firmograph.lookalikes.service import FEATURE

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


def routes(lookalikes: CurrentLookalikes, kinds: Kinds, *, enabled: bool) -> list[Endpoint]:
    """Return the endpoints; without `enabled` all of them refuse."""
    allow = make_check(enabled)

    @endpoint(
        "POST",
        "/v3/contacts/lookalike",
        body=shapes.ContactLookalikes,
        answer=answers.ContactLookalikesAnswer,
        tags=["Lookalikes"],
        summary="Find contacts like others",
        description="Finds contacts that resemble the seeds." + _ABOUT,
        charges=True,
        allow=allow,
        examples={"members of a state's house": _LEGISLATORS},
        errors=_ERRORS,
    )
    def find_lookalike_contacts(call: Call[shapes.ContactLookalikes]) -> Deferred:
        return lookalikes.answer(call, kinds.contacts)

    @endpoint(
        "POST",
        "/v3/companies/lookalike",
        body=shapes.CompanyLookalikes,
        answer=answers.CompanyLookalikesAnswer,
        tags=["Lookalikes"],
        summary="Find companies like others",
        description="Finds companies that resemble the seeds." + _ABOUT,
        charges=True,
        allow=allow,
        examples={"makers of chips": _CHIP_MAKERS},
        errors=_ERRORS,
    )
    def find_lookalike_companies(call: Call[shapes.CompanyLookalikes]) -> Deferred:
        return lookalikes.answer(call, kinds.companies)

    @endpoint(
        "POST",
        "/v3/lookalike/contacts",
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
    )
    def find_lookalike_contacts_earlier(call: Call[shapes.ContactLookalikes]) -> Deferred:
        return lookalikes.answer(call, kinds.earlier_contacts)

    @endpoint(
        "POST",
        "/v3/lookalike/companies",
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
    )
    def find_lookalike_companies_earlier(call: Call[shapes.CompanyLookalikes]) -> Deferred:
        return lookalikes.answer(call, kinds.earlier_companies)

    return [
        find_lookalike_contacts,
        find_lookalike_companies,
        find_lookalike_contacts_earlier,
        find_lookalike_companies_earlier,
    ]
