import pytest
from people_fixtures import companies, contacts, found, load, served, wait

from firmograph.prospecting.service import Prospecting
from installation_factory import make_suppression
from writer_steps import record_steps

pytestmark = pytest.mark.any_database

PLANS = """
[pricing]
contactSearch = { credits = 3, perQuantity = 4 }
companySearch = { credits = 5, perQuantity = 25 }
"""
EVERYONE = contacts({"countries": ["DE", "US", "FR"]})
NOBODY = contacts({"countries": ["JP"]})


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """Return the service with a plan file that prices searches."""
    folder = tmp_path_factory.mktemp("priced")
    with served(folder, plans_file=plans_in(folder)) as service:
        yield service


@pytest.fixture
def priced(service):
    return service.with_account()


@pytest.fixture
def own_priced(database, make_service, tmp_path):
    """Return the same service for one test, which suppresses people."""
    load(database)
    service = make_service(plans_file=plans_in(tmp_path), lookalikes=False)
    wait(service)
    return service


def plans_in(folder):
    path = folder / "plans.toml"
    path.write_text(PLANS)
    return str(path)


def charged(service, path, body, **headers):
    answer = service.post(f"/v3/{path}/prospecting", body, **headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["billing"]["creditsCharged"]


def used(service):
    return service.get("/v3/account/usage").json()["credits"]["used"]


def test_a_page_costs_its_price_for_each_started_block_of_results(priced):
    assert charged(priced, "contacts", EVERYONE) == 6
    assert charged(priced, "contacts", contacts({"countries": ["US"]})) == 3
    assert charged(priced, "contacts", NOBODY) == 0
    assert charged(priced, "companies", companies({"technologies": ["Kubernetes"]})) == 5
    assert used(priced) == 14


def test_too_few_credits_are_402_and_show_nothing(priced):
    poor = priced.new_key("Poor", credits=5)
    answer = priced.post("/v3/contacts/prospecting", EVERYONE, key=poor)
    assert (answer.status_code, "results" in answer.json()) == (402, False)
    assert priced.get("/v3/account/usage", key=poor).json()["credits"]["remaining"] == 5


def test_a_refused_request_costs_nothing(priced):
    assert priced.post("/v3/contacts/prospecting", contacts({"seniorityIds": [99]})).status_code == 400
    assert used(priced) == 0


def test_a_repeated_idempotency_key_is_answered_for_free(priced):
    answers = [
        priced.post("/v3/contacts/prospecting", EVERYONE, **{"idempotency-key": "k"}).json() for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert used(priced) == 6


def test_the_engine_searches_while_no_writer_is_held(priced, monkeypatch):
    steps = record_steps(monkeypatch, "search")
    for _ in range(2):
        assert charged(priced, "contacts", EVERYONE, **{"idempotency-key": "k"}) == 6
    assert steps == ["search", "begin", "commit"] * 2


def test_a_person_suppressed_after_the_search_is_neither_shown_nor_charged(own_priced, keyring, monkeypatch):
    suppression, search = make_suppression(own_priced.database, keyring, own_priced.clock), Prospecting.search

    def search_and_suppress(prospecting, request):
        page = search(prospecting, request)
        suppression.suppress(suppression.person(email="ann@people.example.com"))
        return page

    monkeypatch.setattr(Prospecting, "search", search_and_suppress)
    answer = own_priced.post("/v3/contacts/prospecting", EVERYONE).json()
    assert "Archer" not in [result["lastName"] for result in answer["results"]]
    assert answer["billing"]["resultsReturned"] == 5


def test_an_idempotency_key_with_another_body_is_409(priced):
    assert charged(priced, "contacts", EVERYONE, **{"idempotency-key": "k"}) == 6
    again = priced.post("/v3/contacts/prospecting", NOBODY, **{"idempotency-key": "k"})
    assert again.status_code == 409
    assert used(priced) == 6


def test_a_repeated_answer_shows_nobody_suppressed_since(own_priced, keyring):
    assert len(found(own_priced, EVERYONE, **{"idempotency-key": "k"})) == 6
    suppression = make_suppression(own_priced.database, keyring, own_priced.clock)
    suppression.suppress(suppression.person(email="ann@people.example.com"))
    again = own_priced.post("/v3/contacts/prospecting", EVERYONE, **{"idempotency-key": "k"}).json()
    assert "Archer" not in [result["lastName"] for result in again["results"]]
    assert again["pagination"]["total"] == 5
    assert again["billing"] == {"creditsCharged": 6, "resultsReturned": 5}
    assert used(own_priced) == 6


def test_without_a_price_nothing_is_cached_for_an_idempotency_key(unchanged):
    for body in (EVERYONE, NOBODY):
        answer = unchanged.post("/v3/contacts/prospecting", body, **{"idempotency-key": "k"})
        assert answer.status_code == 200
