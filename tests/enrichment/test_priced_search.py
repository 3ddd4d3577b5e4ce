import demo_people
import pytest

from installation_factory import make_suppression

pytestmark = pytest.mark.any_database

PLANS = """
[pricing]
contactSearch = { credits = 1, perQuantity = 25 }
companySearch = { credits = 2, perQuantity = 2 }
"""
JANE = {"email": "jane@acme.example"}
NOBODY = {"email": "nobody@acme.example"}


@pytest.fixture(scope="module")
def plans_file(tmp_path_factory):
    """Return a plan file that prices searches."""
    plans = tmp_path_factory.mktemp("plans") / "plans.toml"
    plans.write_text(PLANS)
    return str(plans)


@pytest.fixture(scope="module")
def shared_service(make_shared_service, plans_file):
    return make_shared_service(plans_file=plans_file)


@pytest.fixture
def priced(people):
    return people


def charged(service, path, body, **headers):
    answer = service.post(path, body, **headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["billing"]["creditsCharged"]


@pytest.mark.parametrize(("results", "credits"), [(0, 0), (1, 1), (25, 1), (26, 2)])
def test_a_search_costs_its_price_for_each_started_block_of_results(priced, results, credits):
    assert charged(priced, "/v3/contacts/search", {"contacts": [JANE] * results + [NOBODY]}) == credits


def test_a_repeated_search_is_charged_again(priced):
    assert [charged(priced, "/v3/contacts/search", {"contacts": [JANE]}) for _ in range(2)] == [1, 1]


def test_a_company_search_has_its_own_price(priced):
    body = {"companies": [{"name": "Acme"}, {"name": "Rival"}, {"name": "Holding"}]}
    assert charged(priced, "/v3/companies/search", body) == 4


def test_a_priced_search_answers_the_same_previews(priced):
    poor = priced.with_account(credits=0)
    assert poor.post("/v3/contacts/search", {"contacts": [JANE]}).status_code == 402
    (result,) = priced.post("/v3/contacts/search", {"contacts": [JANE]}).json()["results"]
    assert (result["firstName"], result["canReveal"]) == ("Jane", ["emails", "phones"])
    assert "emails" not in result


def test_search_and_enrich_costs_both_parts(priced):
    body = {"contacts": [JANE], "reveal": ["emails"]}
    assert charged(priced, "/v3/contacts/search-and-enrich", body) == 2
    assert charged(priced, "/v3/contacts/search-and-enrich", body) == 1


def test_enrich_has_no_search_charge(priced):
    token = priced.post("/v3/contacts/search", {"contacts": [JANE]}).json()["results"][0]["id"]
    assert charged(priced, "/v3/contacts/enrich", {"ids": [token], "reveal": ["emails"]}) == 1


def test_an_idempotency_key_replays_a_priced_search(priced):
    before = priced.get("/v3/account/usage").json()["credits"]["used"]
    answers = [
        priced.post("/v3/contacts/search", {"contacts": [JANE, NOBODY]}, **{"idempotency-key": "k"})
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert priced.get("/v3/account/usage").json()["credits"]["used"] == before + 1


def test_a_replayed_search_marks_people_suppressed_since(make_service, plans_file, keyring):
    priced = make_service(plans_file=plans_file)
    demo_people.load(priced.database)
    suppression = make_suppression(priced.database, keyring, priced.clock)
    for code in (None, "COMPLIANCE_RESTRICTED"):
        answer = priced.post("/v3/contacts/search", {"contacts": [JANE]}, **{"idempotency-key": "k"}).json()
        assert answer["results"][0].get("error", {}).get("code") == code
        suppression.suppress(suppression.person(**JANE))
