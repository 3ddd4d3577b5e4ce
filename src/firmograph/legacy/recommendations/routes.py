"""Endpoints of recommendations, whose errors hold the older body as well."""

from collections.abc import Callable
from functools import partial
from typing import Any

from firmograph.api.charged_answers import charge
from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.billing.charged_call import Charged
from firmograph.caller import Request
from firmograph.kit.errors import Busy, Conflict, Expired, Forbidden, Loading, PaymentRequired
from firmograph.kit.whole_numbers import encode
from firmograph.legacy.recommendations import shapes
from firmograph.legacy.recommendations.service import Recommendations
from firmograph.lookalikes.answers import SeedsMeta
from firmograph.lookalikes.routes import make_check
from firmograph.lookalikes.service import LookalikeResults
from firmograph.security.record_ids import Entity

_ERRORS = (PaymentRequired, Forbidden, Conflict, Expired, Busy, Loading)
_TAGS = ["Recommendations"]
_ID = 4503599627370495
"""Id of no record: take real ones from the `personId` and `companyId` of a response."""
_ABOUT = (
    " Seeds and exclusions are never results. Each call without `requestId` begins a session; calls with the"
    " `requestId` of an answer return no result again. It lives 30 days from its last answer; one that is unknown,"
    " expired, of another account or of the other kind of records is 410. Charged for each result; a refused call"
    " changes nothing."
)


def _render(name: bytes, content: LookalikeResults, request_id: str, credits: int) -> bytes:
    return b'{"%s":%s,"requestId":%s,"count":%d,"creditsCharged":%d,"meta":%s}' % (
        name,
        encode(list(content.results.values())),
        encode(content.session_id),
        len(content.results),
        credits,
        encode(SeedsMeta(*content.seeds)),
    )


def routes(recommendations: Recommendations, *, enabled: bool) -> list[Endpoint]:
    """Return the endpoints; without `enabled` all of them refuse."""
    allow = make_check(enabled)

    def declare(
        entity: Entity, find: Callable[[Request, Any], Charged[LookalikeResults]], **declared: Any
    ) -> Endpoint:
        """Declare the endpoint of one kind of records; `declared` are the fields that differ between the two."""
        name = entity.plural
        render = partial(_render, name.encode())

        def recommend(call: Call[Any]) -> Deferred:
            return charge(partial(find, call.request, call.body), render)

        return Endpoint(
            name=f"recommend_{name}",
            method="POST",
            path=f"/api/recommendations/{name}",
            function=recommend,
            tags=_TAGS,
            summary=f"Recommend {name} like others",
            description=f"Returns {name} that resemble 1 to 100 others." + _ABOUT,
            charges=True,
            allow=allow,
            error_shape="older",
            successor=f"/v3/{name}/lookalike",
            errors=_ERRORS,
            **declared,
        )

    return [
        declare(
            Entity.CONTACT,
            recommendations.contacts,
            body=shapes.ContactRecommendationsRequest,
            answer=shapes.ContactRecommendations,
            examples={"by one person": {"contacts": [{"personId": _ID, "companyId": _ID}], "limit": 5}},
        ),
        declare(
            Entity.COMPANY,
            recommendations.companies,
            body=shapes.CompanyRecommendationsRequest,
            answer=shapes.CompanyRecommendations,
            examples={"by one company": {"companies": [{"companyId": _ID}], "limit": 5}},
        ),
    ]
