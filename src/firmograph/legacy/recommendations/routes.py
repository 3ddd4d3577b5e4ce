"""Endpoints of recommendations, whose errors hold the older body as well."""

from functools import partial

from firmograph.api.charged_answers import Render, charge
from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.kit.errors import Busy, Conflict, Expired, Forbidden, Loading, PaymentRequired
from firmograph.kit.whole_numbers import encode
from firmograph.legacy.recommendations import shapes
from firmograph.legacy.recommendations.service import Recommendations
from firmograph.lookalikes.answers import SeedsMeta
from firmograph.lookalikes.routes import make_check
from firmograph.lookalikes.service import LookalikeResults

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


def _renderer(name: str) -> Render[LookalikeResults]:
    def render(content: LookalikeResults, request_id: str, credits: int) -> bytes:
        return b'{"%s":%s,"requestId":%s,"count":%d,"creditsCharged":%d,"meta":%s}' % (
            name.encode(),
            encode(list(content.results.values())),
            encode(content.session_id),
            len(content.results),
            credits,
            encode(SeedsMeta(*content.seeds)),
        )

    return render


def routes(recommendations: Recommendations, *, enabled: bool) -> list[Endpoint]:
    """Return the endpoints; without `enabled` all of them refuse."""
    allow = make_check(enabled)

    def recommend_contacts(call: Call[shapes.ContactRecommendationsRequest]) -> Deferred:
        return charge(partial(recommendations.contacts, call.request, call.body), _renderer("contacts"))

    def recommend_companies(call: Call[shapes.CompanyRecommendationsRequest]) -> Deferred:
        return charge(partial(recommendations.companies, call.request, call.body), _renderer("companies"))

    return [
        Endpoint(
            name="recommend_contacts",
            method="POST",
            path="/api/recommendations/contacts",
            function=recommend_contacts,
            body=shapes.ContactRecommendationsRequest,
            answer=shapes.ContactRecommendations,
            tags=_TAGS,
            summary="Recommend contacts like others",
            description="Returns contacts that resemble 1 to 100 others." + _ABOUT,
            charges=True,
            allow=allow,
            error_shape="older",
            successor="/v3/contacts/lookalike",
            examples={"by one person": {"contacts": [{"personId": _ID, "companyId": _ID}], "limit": 5}},
            errors=_ERRORS,
        ),
        Endpoint(
            name="recommend_companies",
            method="POST",
            path="/api/recommendations/companies",
            function=recommend_companies,
            body=shapes.CompanyRecommendationsRequest,
            answer=shapes.CompanyRecommendations,
            tags=_TAGS,
            summary="Recommend companies like others",
            description="Returns companies that resemble 1 to 100 others." + _ABOUT,
            charges=True,
            allow=allow,
            error_shape="older",
            successor="/v3/companies/lookalike",
            examples={"by one company": {"companies": [{"companyId": _ID}], "limit": 5}},
            errors=_ERRORS,
        ),
    ]
