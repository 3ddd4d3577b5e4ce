"""Signal scores of companies of which no facts are stored."""

import pytest
from score_calls import COMPANIES, load, record_news, results

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    "given", [{"domain": "quiet.example"}, {"name": "Quiet"}, {"email": "a@quiet.example"}]
)
def test_a_company_without_facts_has_no_score_and_costs_nothing(directory, given):
    answer = directory.post(COMPANIES, {"companies": [given]})
    (result,) = results(answer)
    assert result.pop("error")["code"] == "NO_SCORE"
    assert result == ({"domain": "quiet.example"} if "email" in given else given)
    assert answer.json()["billing"] == {"creditsCharged": 0, "resultsReturned": 0}


def test_a_replay_shows_no_record_that_the_first_answer_lacked(service):
    load(service.database)
    body = {"companies": [{"name": "Acme Inc"}]}
    first = service.post(COMPANIES, body, **{"idempotency-key": "k"})
    assert results(first)[0]["error"]["code"] == "NO_SCORE"
    record_news(service.database)
    again = service.post(COMPANIES, body, **{"idempotency-key": "k"})
    assert "signalScore" not in results(again)[0]
    assert again.json()["billing"] == {"creditsCharged": 0, "resultsReturned": 0}
