"""Endpoints of the signal score."""

from firmograph.api.charged_answers import respond
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.kit.errors import BadGateway, Busy, Conflict, Forbidden, PaymentRequired
from firmograph.kit.whole_numbers import encode
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


def _render(content: ScoredBatch, request_id: str, credits: int) -> bytes:
    return render_answer(request_id, list(map(encode, content.results)), credits, content.returned)


def routes(service: SignalScore) -> list[Endpoint]:
    def score_companies(call: Call[shapes.CompanyScores]) -> ChargedResponse | Deferred:
        return respond(service.companies(call.request, call.body), _render)

    def score_contacts(call: Call[shapes.ContactScores]) -> ChargedResponse | Deferred:
        return respond(service.contacts(call.request, call.body), _render)

    return [
        Endpoint(
            name="score_companies",
            method="POST",
            path="/v3/companies/signal-score",
            function=score_companies,
            body=shapes.CompanyScores,
            answer=shapes.CompanyScoresAnswer,
            tags=["Signals"],
            summary="Score the activity of companies",
            description="Scores 1 to 100 companies, each named by exactly one of `id`, `domain`, `name`, `email`."
            + _ABOUT,
            charges=True,
            allow=check_plan,
            examples={"by domain": {"companies": [{"clientReferenceId": "1", "domain": "siemens.com"}]}},
            errors=_ERRORS,
        ),
        Endpoint(
            name="score_contacts",
            method="POST",
            path="/v3/contacts/signal-score",
            function=score_contacts,
            body=shapes.ContactScores,
            answer=shapes.ContactScoresAnswer,
            tags=["Signals"],
            summary="Score the activity of contacts",
            description="Scores 1 to 100 contacts, each named by `id`, `linkedinUrl`, `email`, or `firstName` (and"
            " `lastName`) with `companyName` or `companyDomain`."
            + _ABOUT
            + " When nobody can be looked up at all the"
            " answer is 502, and the same request may succeed later.",
            charges=True,
            allow=check_plan,
            examples={
                "by name and company": {
                    "contacts": [
                        {
                            "clientReferenceId": "1",
                            "firstName": "Chuck",
                            "lastName": "Schumer",
                            "companyName": "US Senate",
                        }
                    ]
                }
            },
            errors=(*_ERRORS, BadGateway),
        ),
    ]
