"""A search engine elsewhere that is slow, then gone, then back: 503s, no charge, no held writer, recovery."""

import threading

import pytest
from people_fixtures import contacts, load
from remote_engine import EngineServer, RemoteFactory

from firmograph.indexing.checkpoints import build_index
from firmograph.kit.errors import Refused
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.engines.registry import ENGINES, engine_factory
from firmograph.settings import Settings
from installation_factory import make_suppression

pytestmark = pytest.mark.any_database

PRICES = """
[pricing]
contactSearch = { credits = 3, perQuantity = 4 }
"""
EVERYONE = contacts({"countries": ["DE", "US", "FR"]})
PATIENT, SHORT = 60.0, 0.2
"""Time limits in seconds: longer than a test takes, and soon over."""


@pytest.fixture
def engine_server(database):
    load(database)
    server = EngineServer(build_index(MEMORY_SEARCH, database))
    yield server
    server.stop()


@pytest.fixture
def serve(engine_server, make_service, monkeypatch, tmp_path):
    """Return a function that makes the service over the remote engine with this time limit."""

    def make(seconds):
        monkeypatch.setitem(ENGINES, "remote", RemoteFactory(engine_server, lambda: seconds))
        plans = tmp_path / "plans.toml"
        plans.write_text(PRICES)
        return make_service(search_engine="remote", plans_file=str(plans))

    return make


def search(service, **headers):
    return service.post("/v3/contacts/prospecting", EVERYONE, **headers)


def used(service):
    return service.get("/v3/account/usage").json()["credits"]["used"]


def is_refused(answer):
    return (
        answer.status_code == 503
        and int(answer.headers["retry-after"]) >= 1
        and "search engine" in (answer.json()["message"])
    )


def test_a_slow_engine_is_503_after_its_time_limit_and_costs_nothing(serve, engine_server):
    service = serve(SHORT)
    engine_server.prompt.clear()
    assert is_refused(search(service))
    assert is_refused(service.get("/v3/contacts/prospecting/filters/locations?query=ber"))
    assert used(service) == 0
    engine_server.prompt.set()


def test_while_a_charged_search_waits_another_account_is_charged(serve, engine_server):
    service = serve(PATIENT)
    other = service.new_key("Other", credits=100)
    engine_server.prompt.clear()
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(search(service)))
    waiting.start()
    assert engine_server.asked.wait(30)
    revealed = service.post(
        "/v3/contacts/search-and-enrich",
        {"contacts": [{"email": "ann@people.example.com"}], "reveal": ["emails"]},
        key=other,
    )
    assert revealed.status_code == 200, revealed.text
    assert revealed.json()["billing"]["creditsCharged"] > 0
    assert answers == []
    engine_server.prompt.set()
    waiting.join(30)
    assert answers[0].json()["billing"]["creditsCharged"] == 6


def test_an_engine_that_is_gone_is_503_until_it_is_back(serve, engine_server):
    service = serve(PATIENT)
    engine_server.stop()
    assert is_refused(search(service, **{"idempotency-key": "k"}))
    assert is_refused(service.get("/v3/companies/prospecting/filters/names?query=acme"))
    assert used(service) == 0
    assert service.post("/v3/contacts/search", {"contacts": [{"email": "a@example.com"}]}).status_code == 200
    engine_server.start()
    answer = search(service, **{"idempotency-key": "k"}).json()
    assert (answer["pagination"]["total"], answer["billing"]["creditsCharged"]) == (6, 6)
    assert used(service) == 6


def test_buying_groups_need_the_engine_and_cost_nothing_without_it(serve, engine_server):
    service, body = serve(PATIENT), {"companies": [{"domain": "umbrella.example.com"}]}
    engine_server.stop()
    assert is_refused(service.post("/v3/contacts/buying-group", body))
    assert used(service) == 0
    engine_server.start()
    answer = service.post("/v3/contacts/buying-group", body).json()
    assert answer["results"][0]["contacts"][0]["lastName"] == "Dyer"
    assert answer["billing"]["creditsCharged"] == answer["pagination"]["total"] > 0


def test_an_engine_that_dies_during_a_search_is_503(serve, engine_server):
    service = serve(PATIENT)
    engine_server.prompt.clear()
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(search(service)))
    waiting.start()
    assert engine_server.asked.wait(30)
    engine_server.stop()
    waiting.join(30)
    assert is_refused(answers[0])
    assert used(service) == 0
    engine_server.start()
    assert search(service).status_code == 200


def test_a_suppressed_person_is_gone_though_the_engine_lags(serve, engine_server, keyring):
    service = serve(PATIENT)
    before = engine_server.engine.applied
    suppression = make_suppression(service.database, keyring, service.clock)
    suppression.suppress(suppression.person(email="ann@people.example.com"))
    answer = search(service).json()
    assert answer["pagination"]["total"] == 5
    assert "Archer" not in [one["lastName"] for one in answer["results"]]
    assert engine_server.engine.applied == before


def test_an_unknown_engine_is_refused_with_the_known_ones():
    with pytest.raises(Refused, match=r"FIRMOGRAPH_SEARCH_ENGINE: must be one of memory$"):
        engine_factory(Settings(search_engine="lucene"))
