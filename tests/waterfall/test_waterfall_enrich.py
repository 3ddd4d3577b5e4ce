"""Contact enrich of accounts with providers, and the job of what it leaves open."""

import pytest
from fake_providers import (
    MISS,
    TROUBLE,
    FakeProvider,
    add_contact,
    balance_of,
    ledger_of,
    work,
)

from firmograph.directory.records import Location, Phone
from firmograph.waterfall.providers.types import Found

ENRICH = "/v3/contacts/enrich"


def phone(number="+1 202 555 0134", **names):
    return Found(phones=(number,), **names)


def enrich(service, *ids, **options):
    answer = service.post(ENRICH, {"ids": list(ids), "reveal": ["phones"]} | options)
    assert answer.status_code == 200, answer.text
    return answer.json()


def poll(service, body):
    return service.get(f"/v3/contacts/jobs/{body['job']['id']}")


def test_an_account_without_providers_has_no_keys_of_the_waterfall(account):
    body = enrich(account, add_contact(account, "Ann"), waterfallEnabled=True)
    assert set(body) == {"requestId", "results", "billing"}
    assert body["results"][0]["phones"] == []


def test_what_a_contact_lacks_is_found_by_a_provider_and_polled_for_free(account, enable):
    provider = FakeProvider("alpha", phone())
    enable(provider)
    id = add_contact(account, "Bea")
    body = enrich(account, id)
    assert body["status"] == "partial"
    assert body["statusReason"] == "PENDING"
    assert body["results"][0]["phones"] == []
    assert "missingDataPoints" not in body["results"][0]
    assert body["billing"]["creditsCharged"] == 0
    job = poll(account, body).json()
    assert job["status"] == "processing"
    assert job["retryAfter"] == 2
    assert job["covers"] == [{"id": id, "dataPoints": ["phones"]}]
    assert work(account) == 1
    job = poll(account, body).json()
    assert job["status"] == "complete"
    assert job["creditsCharged"] == 7
    assert "retryAfter" not in job
    (value,) = job["contacts"][0]["phones"]
    assert value["number"] == "+12025550134"
    assert value["dataSource"] == "alpha"
    assert value["credits"] == 7
    assert job["billing"] == {"creditsCharged": 0, "resultsReturned": 1}
    assert balance_of(account) == (7, 0)
    assert [row[0] for row in ledger_of(account)] == ["hold", "capture"]
    assert ledger_of(account)[1] == ("capture", "waterfallPhone", 7, "provider:alpha")
    (asked,) = provider.asked
    assert asked.person.linkedin_url.endswith("/in/bea-doe")
    assert asked.person.domain == "acme.example"


def test_a_found_value_is_shown_and_free_from_then_on(account, enable):
    provider = FakeProvider("beta", phone())
    enable(provider)
    id = add_contact(account, "Cid")
    enrich(account, id)
    work(account)
    body = enrich(account, id)
    assert body["status"] == "completed"
    assert "job" not in body
    assert "statusReason" not in body
    (value,) = body["results"][0]["phones"]
    assert value["dataSource"] == "beta"
    assert value["credits"] == 0
    assert body["billing"]["creditsCharged"] == 0
    assert len(provider.asked) == 1


def test_own_data_names_the_brand_as_its_source(account, enable):
    enable(FakeProvider("gamma"))
    id = add_contact(account, "Dan", emails=["dan@acme.example"])
    body = enrich(account, id, reveal=["emails"])
    assert body["results"][0]["emails"] == [
        {"email": "dan@acme.example", "type": "work", "dataSource": "service", "credits": 1}
    ]
    assert body["status"] == "completed"
    assert body["billing"]["creditsCharged"] == 1


def test_the_first_provider_that_matches_is_paid_alone(account, enable):
    first, second, third = FakeProvider("p1"), FakeProvider("p2", phone()), FakeProvider("p3", phone())
    enable(first, second, third)
    body = enrich(account, add_contact(account, "Eva"))
    work(account)
    assert poll(account, body).json()["contacts"][0]["phones"][0]["dataSource"] == "p2"
    assert [len(one.asked) for one in (first, second, third)] == [1, 1, 0]
    assert [row[0] for row in ledger_of(account)] == ["hold", "release", "hold", "capture"]
    assert balance_of(account) == (7, 0)


def test_what_nobody_has_is_missing_and_not_asked_again_for_a_week(account, enable):
    provider = FakeProvider("empty")
    enable(provider)
    id = add_contact(account, "Fay")
    body = enrich(account, id)
    work(account)
    assert poll(account, body).json()["contacts"][0]["missingDataPoints"] == [
        {"type": "phone", "status": "NOT_FOUND"}
    ]
    body = enrich(account, id)
    assert body["status"] == "completed"
    assert "job" not in body
    assert body["results"][0]["missingDataPoints"] == [{"type": "phone", "status": "NOT_FOUND"}]
    assert len(provider.asked) == 1
    assert balance_of(account) == (0, 0)


def test_waterfall_enabled_false_asks_nobody(account, enable):
    provider = FakeProvider("optout", phone())
    enable(provider)
    body = enrich(account, add_contact(account, "Gil"), waterfallEnabled=False)
    assert set(body) == {"requestId", "results", "billing"}
    assert work(account) == 0
    assert provider.asked == []


def test_too_few_credits_for_any_provider_fail_the_data_point_alone(account, enable, module_service):
    poor = module_service.with_account(credits=1)
    enable(FakeProvider("dear", phone()), service=poor)
    id = add_contact(account, "Hal", emails=["hal@acme.example"])
    body = enrich(poor, id, reveal=["emails", "phones"])
    assert body["billing"]["creditsCharged"] == 1
    work(poor)
    job = poll(poor, body).json()
    assert job["contacts"][0]["missingDataPoints"] == [{"type": "phone", "status": "BILLING_FAILED"}]
    assert balance_of(poor) == (1, 0)


def test_402_is_for_own_data_only(account, enable, module_service):
    poor = module_service.with_account(credits=0)
    enable(FakeProvider("dear2", phone()), service=poor)
    id = add_contact(account, "Ian", emails=["ian@acme.example"])
    assert poor.post(ENRICH, {"ids": [id], "reveal": ["emails"]}).status_code == 402
    body = enrich(poor, id)
    assert body["status"] == "partial"


def test_people_in_the_eu_are_sent_to_providers_of_the_eu_alone(account, enable):
    inside, outside = FakeProvider("inside", phone(), eu=True), FakeProvider("outside", phone())
    enable(outside, inside)
    id = add_contact(
        account, "Jan", location=Location(country="Germany", country_iso2="DE", is_eu_contact=True)
    )
    enrich(account, id)
    work(account)
    assert outside.asked == []
    assert len(inside.asked) == 1


def test_where_no_provider_may_be_asked_the_call_is_completed(account, enable):
    enable(FakeProvider("useless", phone()))
    body = enrich(account, add_contact(account, "Kim", "Unknowable"))
    assert body["status"] == "completed"
    assert "job" not in body
    assert body["results"][0]["missingDataPoints"] == [{"type": "phone", "status": "NOT_FOUND"}]


@pytest.mark.parametrize(
    "answer",
    [phone(first_name="Bob", last_name="Smith"), phone("12"), Found(emails=("x@y.example",))],
    ids=["another name", "no number", "another data point"],
)
def test_values_that_are_of_no_use_cost_nothing(account, enable, answer, request):
    name = f"bad{request.node.callspec.indices['answer']}"
    enable(FakeProvider(name, answer))
    id = add_contact(account, f"Leo{'abc'[request.node.callspec.indices['answer']]}")
    body = enrich(account, id)
    work(account)
    assert poll(account, body).json()["contacts"][0]["phones"] == []
    assert balance_of(account) == (0, 0)


def test_a_provider_that_does_not_answer_halts_after_three_attempts(account, enable):
    provider = FakeProvider("down", TROUBLE)
    enable(provider)
    id = add_contact(account, "Mia")
    body = enrich(account, id)
    for _ in range(3):
        work(account)
        account.clock.advance(61)
    work(account)
    assert len(provider.asked) == 3
    job = poll(account, body).json()
    assert job["status"] == "complete"
    assert job["contacts"][0]["phones"] == []
    assert balance_of(account) == (0, 0)


def test_another_account_pays_for_a_value_that_is_known_without_an_ask(account, enable, module_service):
    provider = FakeProvider("shared", phone())
    enable(provider)
    id = add_contact(account, "Ned")
    enrich(account, id)
    work(account)
    other = module_service.with_account()
    enable(provider, service=other)
    body = enrich(other, id)
    work(other)
    assert poll(other, body).json()["creditsCharged"] == 7
    assert len(provider.asked) == 1
    assert balance_of(other) == (7, 0)


def test_own_data_that_comes_while_a_provider_is_asked_is_not_paid_twice(account, enable):
    id = add_contact(account, "Oda")

    def answer(person):
        number = [Phone(number="+12025550135")]
        assert add_contact(account, "Oda", source="other", phones=number) == id
        assert enrich(account, id)["billing"]["creditsCharged"] == 5
        return phone()

    enable(FakeProvider("late", answer))
    body = enrich(account, id)
    work(account)
    job = poll(account, body).json()
    assert job["creditsCharged"] == 0
    assert [one["dataSource"] for one in job["contacts"][0]["phones"]] == ["service"]
    assert balance_of(account) == (5, 0)


def test_a_repeated_call_answers_the_first_billing_with_todays_values(account, enable):
    provider = FakeProvider("again", phone())
    enable(provider)
    id = add_contact(account, "Pia")
    body = {"ids": [id], "reveal": ["phones"]}
    first = account.post(ENRICH, body, **{"idempotency-key": "k"}).json()
    assert first["status"] == "partial"
    replay = account.post(ENRICH, body, **{"idempotency-key": "k"}).json()
    assert replay["job"] == first["job"]
    assert replay["requestId"] == first["requestId"]
    work(account)
    replay = account.post(ENRICH, body, **{"idempotency-key": "k"}).json()
    assert replay["status"] == "completed"
    assert replay["billing"]["creditsCharged"] == 0
    assert replay["results"][0]["phones"][0]["dataSource"] == "again"
    assert len(provider.asked) == 1


def test_jobs_of_others_and_unknown_ones_are_the_same_404(account, enable, module_service):
    enable(FakeProvider("mine", MISS))
    body = enrich(account, add_contact(account, "Quin"))
    stranger = poll(module_service.with_account(), body)
    unknown = account.get("/v3/contacts/jobs/none")
    assert stranger.status_code == unknown.status_code == 404
    assert stranger.json()["message"] == unknown.json()["message"]


def test_a_job_is_kept_for_a_day_after_its_end(account, enable):
    enable(FakeProvider("kept", phone()))
    body = enrich(account, add_contact(account, "Ria"))
    work(account)
    account.clock.advance(86_000)
    assert poll(account, body).status_code == 200
    account.clock.advance(1_000)
    assert poll(account, body).status_code == 404


def test_an_ask_that_stays_open_for_a_day_expires(account, enable):
    enable(FakeProvider("slow", phone()))
    body = enrich(account, add_contact(account, "Sam"))
    account.clock.advance(86_500)
    assert poll(account, body).json()["status"] == "expired"
    assert work(account) == 0
    assert balance_of(account) == (0, 0)


def test_two_open_calls_for_the_same_data_point_ask_once(account, enable):
    provider = FakeProvider("once", phone())
    enable(provider)
    id = add_contact(account, "Tim")
    first, second = enrich(account, id), enrich(account, id)
    work(account)
    jobs = [poll(account, body).json() for body in (first, second)]
    assert [job["creditsCharged"] for job in jobs] == [7, 0]
    assert jobs[1]["contacts"][0]["phones"][0]["credits"] == 0
    assert len(provider.asked) == 1
    assert balance_of(account) == (7, 0)
