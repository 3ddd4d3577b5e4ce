"""Recommendations over the lookalikes' service."""

import pytest

import lookalike_fixtures
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import KEYRING

pytestmark = pytest.mark.any_database

IDS = RecordIds(KEYRING)
PATHS = {"contacts": "/api/recommendations/contacts", "companies": "/api/recommendations/companies"}
ID = {"contacts": "personId", "companies": "companyId"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with lookalike_fixtures.served(tmp_path_factory.mktemp("recommendations")) as service:
        yield service


def seed(kind, number):
    if kind == "companies":
        return {"companyId": IDS.legacy(Entity.COMPANY, number)}
    return {"personId": IDS.legacy(Entity.CONTACT, number), "companyId": IDS.legacy(Entity.COMPANY, 1)}


def recommend(service, kind, *, key, seeds=(1,), **more):
    body = {kind: [seed(kind, number) for number in seeds], **more}
    answer = service.post(PATHS[kind], body, key=key)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def key(service, request):
    return service.new_key(request.node.name, credits=1_000)


@pytest.mark.parametrize("kind", PATHS)
def test_one_seed_is_enough_and_each_result_is_charged(service, key, kind):
    answer = recommend(service, kind, key=key, limit=7)
    assert answer.keys() == {kind, "requestId", "count", "creditsCharged", "meta"}
    assert len(answer[kind]) == answer["count"] == answer["creditsCharged"] == 7
    assert seed(kind, 1)[ID[kind]] not in [one[ID[kind]] for one in answer[kind]]
    keys = {
        "contacts": {"personId", "companyId", "name", "jobTitle", "companyName"},
        "companies": {"companyId", "name", "fqdn"},
    }
    assert all(one.keys() == keys[kind] for one in answer[kind])
    assert all(isinstance(one[ID[kind]], int) for one in answer[kind])


@pytest.mark.parametrize("kind", PATHS)
def test_the_request_id_gives_more_without_repeats(service, key, kind):
    first = recommend(service, kind, key=key, limit=5)
    second = recommend(service, kind, key=key, limit=25, requestId=first["requestId"])
    assert second["requestId"] == first["requestId"]
    seen = [one[ID[kind]] for one in first[kind] + second[kind]]
    assert len(seen) == len(set(seen)) == 5 + second["count"] > 10


def test_a_seed_is_an_id_in_any_of_its_forms(service, key):
    legacy = IDS.legacy(Entity.COMPANY, 1)
    for id in (legacy, str(legacy), IDS.seal(Entity.COMPANY, 1)):
        answer = service.post(PATHS["companies"], {"companies": [{"companyId": id}], "limit": 5}, key=key)
        assert answer.json()["meta"] == {"seedsUsed": 1, "seedsUnknown": 0}


def test_seeds_that_name_nobody_are_counted(service, key):
    seeds = [{"companyId": IDS.legacy(Entity.COMPANY, 1)}, {"companyId": "5"}, {"companyId": "6"}]
    answer = service.post(PATHS["companies"], {"companies": seeds, "limit": 5}, key=key).json()
    assert answer["meta"] == {"seedsUsed": 1, "seedsUnknown": 2}


def test_excluded_records_are_no_results(service, key):
    everybody = recommend(service, "companies", key=key, limit=25)["companies"]
    excluded = [{"companyId": one["companyId"]} for one in everybody[:3]]
    rest = recommend(service, "companies", key=key, limit=25, exclude=excluded)["companies"]
    assert not {one["companyId"] for one in excluded} & {one["companyId"] for one in rest}


def test_a_session_is_shared_by_both_generations(service, key):
    first = recommend(service, "contacts", key=key, limit=5)
    session = {"dedupeSessionId": first["requestId"], "limit": 100}
    later = lookalike_fixtures.lookalikes(service, "contacts", session, key=key)
    opened = {IDS.open(Entity.CONTACT, id) for id in lookalike_fixtures.ids(later)}
    shown = {IDS.from_legacy(Entity.CONTACT, one["personId"]) for one in first["contacts"]}
    assert not opened & shown


def test_a_session_means_nothing_to_another_account_or_kind(service, key):
    session = recommend(service, "contacts", key=key)["requestId"]
    other = service.new_key("Other of sessions", credits=100)
    for kind, caller in (("contacts", other), ("companies", key)):
        body = {kind: [seed(kind, 1)], "requestId": session}
        answer = service.post(PATHS[kind], body, key=caller)
        assert answer.status_code == 410
        assert answer.json()["error"]["code"] == "DEDUPE_SESSION_INVALID"
        assert "requestId" in answer.json()["message"]


def test_unknown_seeds_are_passed_over_unless_all_are_unknown(service, key):
    body = {"companies": [{"companyId": 5}, seed("companies", 1)]}
    assert service.post(PATHS["companies"], body, key=key).status_code == 200
    answer = service.post(PATHS["companies"], {"companies": [{"companyId": "5"}]}, key=key)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("companies must name at least one known record")


def test_an_account_without_credits_is_402_with_both_bodies(service):
    poor = service.new_key("Poor of recommendations", credits=4)
    answer = service.post(PATHS["contacts"], {"contacts": [seed("contacts", 1)], "limit": 5}, key=poor)
    assert answer.status_code == 402
    assert answer.json()["error"]["code"] == "PAYMENT_REQUIRED"


def test_a_repeated_key_answers_the_same_and_is_charged_once(service, key):
    body = {"contacts": [seed("contacts", 1)], "limit": 5}
    first, second = (
        service.post(PATHS["contacts"], body, key=key, **{"idempotency-key": "k"}) for _ in range(2)
    )
    assert first.json() == second.json()
    usage = service.get("/account/usage", key=key).json()["usage"]["credits"]
    assert usage["used"] == 5


def test_lookalikes_that_are_switched_off_refuse_recommendations(make_service):
    service = make_service(lookalikes=False)
    answer = service.post(PATHS["contacts"], {"contacts": [seed("contacts", 1)]})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "FORBIDDEN"
