"""Endpoints of the signal score."""

from collections.abc import Callable
from typing import Any

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.kit.errors import BadGateway, Busy, Conflict, Forbidden, PaymentRequired
from firmograph.kit.whole_numbers import encode
from firmograph.security.record_ids import Entity
from firmograph.signal_score import shapes
from firmograph.signal_score.service import ScoredBatch, SignalScore
from firmograph.signals.routes import check_plan

_ERRORS = (PaymentRequired, Forbidden, Conflict, Busy)
_ABOUT = (
    " The score is the share of the signal types that apply to the record which had a signal within the last 180"
    " days; growth and decline of one measure count as one type. A record without any stored facts from which signals"
    " are detected is `NO_SCORE`, free of charge; one without any activity has score 0 and `noActiveSignals`. Each"
    " scored record is charged once a call."
)


def routes(service: SignalScore) -> list[Endpoint]:
    person = {
        "clientReferenceId": "1",
        "firstName": "Chuck",
        "lastName": "Schumer",
        "companyName": "US Senate",
    }
    return [
        _route(
            Entity.COMPANY,
            service.companies,
            body=shapes.CompanyScores,
            answer=shapes.CompanyScoresAnswer,
            description="Scores 1 to 100 companies, each named by exactly one of `id`, `domain`, `name`, `email`."
            + _ABOUT,
            examples={"by domain": {"companies": [{"clientReferenceId": "1", "domain": "siemens.com"}]}},
            errors=_ERRORS,
        ),
        _route(
            Entity.CONTACT,
            service.contacts,
            body=shapes.ContactScores,
            answer=shapes.ContactScoresAnswer,
            description="Scores 1 to 100 contacts, each named by `id`, `linkedinUrl`, `email`, or `firstName` (and"
            " `lastName`) with `companyName` or `companyDomain`."
            + _ABOUT
            + " When nobody can be looked up at all the answer is 502, and the same request may succeed later.",
            examples={"by name and company": {"contacts": [person]}},
            errors=(*_ERRORS, BadGateway),
        ),
    ]


def _render(content: ScoredBatch, request_id: str, credits: int) -> bytes:
    return render_answer(request_id, list(map(encode, content.results)), credits, content.returned)


def _route(
    entity: Entity, score: Callable[[Request, Any], ChargedCall[ScoredBatch]], **declared: Any
) -> Endpoint:
    """Declare the endpoint of one kind of records; `declared` are the fields that differ between the two."""

    def score_records(call: Call[Any]) -> ChargedResponse | Deferred:
        return respond(score(call.request, call.body), _render)

    return Endpoint(
        name=f"score_{entity.plural}",
        method="POST",
        path=f"/v3/{entity.plural}/signal-score",
        function=score_records,
        tags=["Signals"],
        summary=f"Score the activity of {entity.plural}",
        charges=True,
        allow=check_plan,
        **declared,
    )
