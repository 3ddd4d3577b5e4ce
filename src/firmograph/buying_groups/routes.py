"""Endpoint of buying groups."""

from typing import Final

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.buying_groups import shapes
from firmograph.buying_groups.service import BuyingGroups, FoundGroups
from firmograph.caller import AccountCaller
from firmograph.kit.errors import Busy, Conflict, Forbidden, Loading, PaymentRequired, SearchUnavailable

FEATURE: Final = "buyingGroups"
"""Plan feature of buying groups."""

# companies of the demo data with contacts in several roles
_EXAMPLE: Final = {
    "companies": [
        {"clientReferenceId": "1", "domain": "northwind.example.com"},
        {"domain": "contoso.example.com"},
    ],
    "personas": ["decision_maker", "potential_champion"],
    "contactsLimit": 20,
    "pagination": {"page": 0, "size": 50},
}


def check_plan(caller: AccountCaller) -> None:
    caller.plan.check(FEATURE)


def _render(content: FoundGroups, request_id: str, credits: int) -> bytes:
    pagination = b'"pagination":{"page":%d,"size":%d,"total":%d},' % (
        content.page,
        content.size,
        content.total,
    )
    return render_answer(request_id, content.results, credits, len(content.contacts), pagination)


def routes(service: BuyingGroups) -> list[Endpoint]:
    def find_buying_group(call: Call[shapes.BuyingGroupRequest]) -> ChargedResponse | Deferred:
        return respond(service.find(call.request, call.body), _render)

    return [
        Endpoint(
            name="find_buying_group",
            method="POST",
            path="/v3/contacts/buying-group",
            function=find_buying_group,
            body=shapes.BuyingGroupRequest,
            answer=shapes.BuyingGroupAnswer,
            tags=["Buying groups"],
            summary="Find the people of companies who take part in a purchase",
            description="Finds the contacts of 1 to 25 companies, each named by exactly one of `domain` and `id`, that"
            " have a role in a purchase: `decision_maker`, `potential_champion` or `end_user`. Roles follow from title,"
            " seniority and departments; a contact may have several. Contacts are ordered by `score`, company after"
            " company, and pages count contacts. A page shows the companies with contacts on it; the first page also"
            " those without any and those that are not found. Every contact returned is charged, once a call.",
            charges=True,
            allow=check_plan,
            examples={"two companies": _EXAMPLE},
            errors=(PaymentRequired, Forbidden, Conflict, Busy, Loading, SearchUnavailable),
        )
    ]
