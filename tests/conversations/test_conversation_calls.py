"""Search of conversations and transcripts over HTTP."""

import uuid

import pytest

from conversation_factory import put, transcript

SEARCH = "/v3/account/conversations/search"


@pytest.fixture
def own(shared_service):
    """Return the module's application with a new account."""
    return shared_service.with_account()


def path_of(conversation_id):
    return f"/v3/account/conversations/{conversation_id}/transcript"


def found(service, body=None, **headers):
    answer = service.post(SEARCH, body or {}, **headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def titles(service, body=None):
    return [one["title"] for one in found(service, body)["results"]]


def used(service):
    return service.get("/v3/account/usage").json()["credits"]["used"]


@pytest.fixture
def held(own):
    """Return the account with three conversations."""
    own.ids = put(
        own,
        {
            "a": transcript(
                ("Jane Doe", "Our budget is small. The budget ends in May."),
                ("Bob Roe", "I see"),
                title="Demo for Globex",
                day="2026-03-01",
                people=[("Jane Doe", "jane@eu.globex.test")],
                domain=None,
            ),
            "b": transcript(
                ("Ann Other", "Budget? We talk about the weather and about many other things today"),
                title="Weekly",
                day="2026-03-02",
                people=[("John Smith", "john@initech.test"), ("Jane Roe", None)],
                domain=None,
            ),
            "c": transcript(("Ann Other", "Nothing here"), title="Globex follow-up", day="2026-03-03"),
        },
    )
    return own


def test_an_empty_body_finds_all_newest_first(held):
    answer = found(held)
    assert [one["title"] for one in answer["results"]] == ["Globex follow-up", "Weekly", "Demo for Globex"]
    assert answer["pagination"] == {"page": 0, "pageSize": 25, "total": 3}
    assert answer["billing"] == {"creditsCharged": 1, "resultsReturned": 3}


def test_a_conversation_without_analysis_shows_what_is_known(held):
    (shown,) = found(held, {"conversationIds": [held.ids["a"]]})["results"]
    assert shown == {
        "id": held.ids["a"],
        "conversationId": held.ids["a"],
        "title": "Demo for Globex",
        "startedAt": "2026-03-01T00:00:00.000Z",
        "durationSeconds": 20,
        "participants": [
            {
                "name": "Jane Doe",
                "email": "jane@eu.globex.test",
                "isInternal": False,
            }
        ],
        "summary": None,
        "topics": [],
        "actionItems": [],
        "risks": [],
        "objections": [],
        "competitors": [],
        "coaching": None,
        "chapters": [],
    }
    assert str(uuid.UUID(shown["id"])) == shown["id"]


def test_a_query_ranks_by_words_of_transcripts_and_ignores_filters(held):
    assert titles(held, {"query": "BUDGET"}) == ["Demo for Globex", "Weekly"]
    assert titles(held, {"query": "budget", "meetingTitles": ["Weekly"], "page": 1}) == []
    assert titles(held, {"query": "unheard"}) == []


def test_one_word_of_a_query_suffices(held):
    answer = found(held, {"query": "weather unheard"})
    assert [one["title"] for one in answer["results"]] == ["Weekly"]
    assert answer["pagination"]["total"] == 1


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"dateFrom": "2026-03-02"}, ["Globex follow-up", "Weekly"]),
        ({"dateTo": "2026-03-02"}, ["Weekly", "Demo for Globex"]),
        ({"dateFrom": "2026-03-02", "dateTo": "2026-03-02"}, ["Weekly"]),
        ({"contactNames": ["doe JANE"]}, ["Demo for Globex"]),
        ({"contactNames": ["Ann Other", "Bob"]}, ["Globex follow-up", "Weekly", "Demo for Globex"]),
        ({"contactNames": ["John Roe"]}, []),
        ({"meetingTitles": ["globex"]}, ["Globex follow-up", "Demo for Globex"]),
        ({"meetingTitles": ["globex demo"]}, ["Demo for Globex"]),
        ({"companyDomains": ["initech.test"]}, ["Weekly"]),
        ({"companyDomains": ["https://www.initech.test/x", "globex.test"]}, ["Globex follow-up", "Weekly"]),
        ({"companyDomains": ["de.eu.globex.test"]}, ["Demo for Globex"]),
        ({"companyDomains": ["Initech"]}, []),
        ({"meetingTitles": ["globex"], "contactNames": ["Jane"]}, ["Demo for Globex"]),
        ({"filters": {"meetingTitles": ["weekly"]}}, ["Weekly"]),
        ({"conversationIds": ["nonsense", str(uuid.UUID(int=1))]}, []),
        ({"conversationIds": []}, ["Globex follow-up", "Weekly", "Demo for Globex"]),
        ({"query": "  "}, ["Globex follow-up", "Weekly", "Demo for Globex"]),
    ],
)
def test_filters(held, filters, expected):
    assert titles(held, filters) == expected


def test_the_accounts_own_hosts_never_match(held):
    held.accounts.add_user(held.account, "sam@initech.test", "admin")
    assert titles(held, {"companyDomains": ["initech.test"]}) == []
    (shown,) = found(held, {"meetingTitles": ["weekly"]})["results"]
    assert [one.get("isInternal") for one in shown["participants"]] == [True, None]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"pageSize": 101}, "pageSize"),
        ({"page": 1001}, "page"),
        ({"dateFrom": "2026-01-01T00:00:00Z"}, "dateFrom"),
        ({"dateFrom": "2026"}, "dateFrom"),
        ({"dateTo": "2026-01"}, "dateTo"),
        ({"dateTo": "20260101"}, "dateTo"),
        ({"dateFrom": "2026-02-30"}, "dateFrom"),
        ({"dateFrom": "2026-02-02", "dateTo": "2026-02-01"}, "dateFrom should not be after dateTo"),
        ({"query": "x", "dateFrom": "2026-02-30"}, "dateFrom"),
        ({"query": "x" * 501}, "query"),
        ({"contactNames": ["x"] * 101}, "contactNames"),
        ({"contactNames": "Jane"}, "contactNames"),
        ({"contactName": ["Jane"]}, "contactName"),
        ({"dateFrom": "2026-02-01", "filters": {"dateFrom": "2026-02-01"}}, "dateFrom"),
    ],
)
def test_invalid_bodies_are_refused_with_the_path(held, body, problem):
    answer = held.post(SEARCH, body)
    assert answer.status_code == 400
    assert problem in answer.json()["message"]
    assert used(held) == 0


def test_a_started_block_of_25_results_costs_a_credit_and_nothing_is_free(own):
    put(own, {str(n): transcript(("Ann", "hello")) for n in range(26)})
    assert found(own, {"pageSize": 100})["billing"] == {"creditsCharged": 2, "resultsReturned": 26}
    assert found(own, {"page": 1})["billing"] == {"creditsCharged": 1, "resultsReturned": 1}
    assert found(own, {"page": 2})["billing"] == {"creditsCharged": 0, "resultsReturned": 0}
    assert used(own) == 3


def test_a_transcript_is_shown_in_order_and_charged_each_time(held):
    for expected in (1, 2):
        answer = held.get(path_of(held.ids["a"]))
        assert answer.status_code == 200
        assert used(held) == expected
    assert answer.json() == {
        "requestId": answer.headers["x-request-id"],
        "conversationId": held.ids["a"],
        "segments": [
            {
                "speaker": "Jane Doe",
                "text": "Our budget is small. The budget ends in May.",
                "startSeconds": 0.0,
                "endSeconds": 9.0,
            },
            {"speaker": "Bob Roe", "text": "I see", "startSeconds": 10.0, "endSeconds": 19.0},
        ],
        "billing": {"creditsCharged": 1, "resultsReturned": 1},
    }
    assert next(iter(answer.json()["segments"][0])) == "speaker"


def test_every_id_without_a_transcript_is_the_same_404(held, shared_service):
    other = shared_service.with_account()
    answers = [
        held.get(path_of("nonsense")),
        held.get(path_of(uuid.UUID(int=1))),
        other.get(path_of(held.ids["a"])),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.json()["message"] for answer in answers}) == 1
    assert used(held) == used(other) == 0


def test_another_account_finds_nothing(held, shared_service):
    other = shared_service.with_account()
    assert found(other)["pagination"]["total"] == 0
    assert titles(other, {"conversationIds": [held.ids["a"]]}) == []
    assert titles(other, {"query": "budget"}) == []


def test_a_key_makes_calls_repeatable_of_get_too(held):
    key = {"Idempotency-Key": "one"}
    first = held.get(path_of(held.ids["a"]), **key)
    again = held.get(path_of(held.ids["a"]), **key)
    assert first.json()["segments"] == again.json()["segments"]
    assert used(held) == 1
    assert held.get(path_of(held.ids["b"]), **key).status_code == 200
    assert held.get(path_of(held.ids["a"]) + "?x=1", **key).status_code == 409
    searched = found(held, {"query": "budget"}, **{"Idempotency-Key": "two"})
    put(held, {"d": transcript(("Ann", "budget budget budget"))})
    repeated = found(held, {"query": "budget"}, **{"Idempotency-Key": "two"})
    assert [one["id"] for one in repeated["results"]] == [one["id"] for one in searched["results"]]


def test_without_credits_a_priced_call_is_402(shared_service):
    own = shared_service.with_account(credits=0)
    ids = put(own, {"a": transcript(("Ann", "hello"))})
    assert own.post(SEARCH, {}).status_code == 402
    assert own.get(path_of(ids["a"])).status_code == 402
    assert own.post(SEARCH, {"query": "unheard"}).status_code == 200


def test_a_price_of_0_makes_both_calls_free(make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text(
        "[pricing]\n"
        "conversationsSearch = { credits = 0, perQuantity = 25 }\n"
        "conversationsTranscript = { credits = 0, perQuantity = 1 }\n"
    )
    own = make_service(plans_file=str(plans)).with_account(credits=0)
    ids = put(own, {"a": transcript(("Ann", "hello"))})
    assert found(own)["billing"]["creditsCharged"] == 0
    assert own.get(path_of(ids["a"])).json()["billing"]["creditsCharged"] == 0
