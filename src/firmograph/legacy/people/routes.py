"""Endpoints of people by identifiers."""

import msgspec

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.kit.errors import Busy, Conflict, LegallyRestricted, PaymentRequired, PreconditionFailed
from firmograph.legacy.people import shapes
from firmograph.legacy.people.service import LegacyPeople, ShownPeople

_ERRORS = (PaymentRequired, Conflict, Busy)
_TAGS = ["Legacy people"]
_ABOUT = (
    " E-mails and phones are paid once per account, in either generation; the employer comes with the person for"
    " nothing. Nobody, ambiguous, or suppressed and looked up by name: `EMPTY_DATA` (code 3) with `data: null`. Held"
    " without an asked data point: `EMPTY_DATA` next to the profile, for nothing. With `signals`, events of each asked"
    " type stand next to the data, at the price of signals."
)
_PEOPLE = [
    {
        "contactId": "1",
        "fullName": "Chuck Schumer",
        "companies": [{"name": "US Senate", "domain": "senate.gov", "isCurrent": True}],
    },
    {"contactId": "2", "email": "representative.kevin.mccabe@akleg.gov"},
]


_json = msgspec.json.Encoder().encode


def _render(content: bytes, request_id: str, credits: int) -> bytes:
    return b'{"contact":%s}' % content


def _render_batch(content: ShownPeople, request_id: str, credits: int) -> bytes:
    members = (b"%s:%s" % (_json(key), item) for key, item in content.items.items())
    return b'{"contacts":{%s},"companies":%s}' % (b",".join(members), content.companies)


def routes(people: LegacyPeople) -> list[Endpoint]:
    return [
        _single(people, "/v2/person", "get_person_legacy"),
        _single(people, "/person", "get_person_legacy_alias", " Alias of `GET /v2/person`."),
        _batch(people, "/v2/person", "get_people_legacy"),
        _batch(people, "/bulk/person/v2", "get_people_legacy_alias", " Alias of `POST /v2/person`."),
        _batch(people, "/bulk/person", "get_people_legacy_bulk_alias", " Alias of `POST /v2/person`."),
    ]


def _single(people: LegacyPeople, path: str, name: str, alias: str = "") -> Endpoint:
    def get_person(call: Call[None]) -> ChargedResponse | Deferred:
        return respond(people.single(call.request, call.query), _render)

    return Endpoint(
        name=name,
        method="GET",
        path=path,
        function=get_person,
        query=shapes.LegacyPersonQuery,
        query_example={"firstName": "Chuck", "lastName": "Schumer", "companyName": "US Senate"},
        refuses_unknown_query=True,
        answer=shapes.LegacyPersonAnswer,
        tags=_TAGS,
        summary="Find and reveal a person",
        description="Finds a person by `personId`, `linkedinUrl`, `email`, or first name, last name if they have"
        " one, and company, and reveals their data."
        + _ABOUT
        + " Suppressed, and looked up otherwise than by name: 451."
        + alias,
        charges=True,
        successor="/v3/contacts/search-and-enrich",
        errors=(*_ERRORS, LegallyRestricted),
    )


def _batch(people: LegacyPeople, path: str, name: str, alias: str = "") -> Endpoint:
    def get_people(call: Call[shapes.LegacyPeopleRequest]) -> ChargedResponse | Deferred:
        return respond(people.batch(call.request, call.body, call.query), _render_batch)

    return Endpoint(
        name=name,
        method="POST",
        path=path,
        function=get_people,
        body=shapes.LegacyPeopleRequest,
        query=shapes.RevealFlags,
        answer=shapes.LegacyPeopleAnswer,
        tags=_TAGS,
        summary="Find and reveal people",
        description="Finds 1 to 100 people and reveals their data, under your `contactId` of each."
        + _ABOUT
        + " Suppressed, and looked up otherwise than by name: `error` with code 451. One `contactId` for two items:"
        " 400." + alias,
        charges=True,
        successor="/v3/contacts/search-and-enrich",
        examples={"by name and by e-mail": {"contacts": _PEOPLE, "metadata": {"revealEmails": True}}},
        errors=(*_ERRORS, PreconditionFailed),
    )
