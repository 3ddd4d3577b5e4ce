"""Calls that wait for their asks, with a worker at work."""

import pytest
from fake_providers import FakeProvider, add_contact, balance_of, make_worker

from firmograph.accounts.types import KeyTerms
from firmograph.waterfall.administration import WaterfallAdministration
from firmograph.waterfall.providers.types import Found

ENRICH = "/v3/contacts/enrich"


@pytest.fixture(scope="module")
def waiting(providers, make_shared_service):
    """Return an application whose calls wait for a minute at most, and a worker that asks."""
    service = make_shared_service(waterfall_wait_seconds=30)
    worker = make_worker(service.installation)
    worker.start()
    yield service
    worker.stop()


@pytest.fixture
def account(waiting):
    return waiting.with_account()


def test_a_call_answers_with_what_was_found_and_its_price(account, enable):
    enable(FakeProvider("quick", Found(phones=("+1 202 555 0134",))))
    body = {"ids": [add_contact(account, "Ada", emails=["ada@acme.example"])]}
    answer = account.post(ENRICH, body, **{"idempotency-key": "k"})
    shown = answer.json()
    assert shown["status"] == "completed"
    assert "job" not in shown
    assert shown["billing"] == {"creditsCharged": 8, "resultsReturned": 1}
    assert answer.headers["x-credits-charged"] == "8"
    (result,) = shown["results"]
    assert [(one["dataSource"], one["credits"]) for one in (*result["emails"], *result["phones"])] == [
        ("service", 1),
        ("quick", 7),
    ]
    assert "phones" not in result["has"]
    assert balance_of(account) == (8, 0)
    replay = account.post(ENRICH, body, **{"idempotency-key": "k"})
    assert replay.json() == shown
    assert balance_of(account) == (8, 0)


def test_a_hundred_contacts_are_asked_for_at_once(account, enable):
    enable(FakeProvider("many", lambda person: Found(phones=("+1 202 555 0134",))))
    ids = [add_contact(account, f"Bea{chr(97 + n // 10)}{chr(97 + n % 10)}") for n in range(100)]
    body = account.post(ENRICH, {"ids": ids, "reveal": ["phones"]}).json()
    assert body["status"] == "completed"
    assert body["billing"]["creditsCharged"] == 700
    assert balance_of(account) == (700, 0)


def test_values_fill_the_cells_of_a_table(account, enable):
    enable(FakeProvider("cells", Found(phones=("+1 202 555 0134",))))
    account.accounts.add_user(account.account, "jane@acme.test", "admin")
    owner = {"email": "jane@acme.test"}
    made = account.post("/v3/contacts/tables", {"name": "People", "owner": owner}).json()["data"]
    body = {"ids": [add_contact(account, "Cleo")], "reveal": ["phones"], "tableId": made["tableId"]}
    answer = account.post(ENRICH, body).json()
    assert answer["tableWrite"]["rowsProcessed"] == 1
    assert answer["billing"]["creditsCharged"] == 7
    rows = account.get(f"/v3/contacts/tables/{made['tableId']}/entities?email=jane@acme.test")
    assert "+12025550134" in rows.text


def test_no_credits_for_any_provider_is_out_of_credits(waiting, account, enable):
    poor = waiting.with_account(credits=0)
    enable(FakeProvider("costly", Found(phones=("+1 202 555 0134",))), service=poor)
    body = poor.post(ENRICH, {"ids": [add_contact(account, "Dora")], "reveal": ["phones"]}).json()
    assert (body["status"], body["statusReason"]) == ("OUT_OF_CREDITS", "CREDITS")
    assert body["results"][0]["missingDataPoints"] == [{"type": "phone", "status": "BILLING_FAILED"}]


def test_credits_for_some_are_partly_out_of_credits(waiting, account, enable):
    poor = waiting.with_account(credits=7)
    enable(FakeProvider("costly2", Found(phones=("+1 202 555 0134",))), service=poor)
    ids = [add_contact(account, name) for name in ("Elsa", "Fritz")]
    body = poor.post(ENRICH, {"ids": ids, "reveal": ["phones"]}).json()
    assert (body["status"], body["statusReason"]) == ("PARTIAL_OUT_OF_CREDITS", "CREDITS")
    assert body["billing"]["creditsCharged"] == 7
    assert balance_of(poor) == (7, 0)


@pytest.mark.parametrize("cap", [{"contact_cap": 6}, {"day_cap": 6}], ids=["contact", "day"])
def test_a_cap_counts_as_too_few_credits(account, enable, cap):
    name = f"capped-{next(iter(cap))}"
    enable(FakeProvider(name, Found(phones=("+1 202 555 0134",))), **cap)
    body = account.post(ENRICH, {"ids": [add_contact(account, f"Gus{name[7]}")], "reveal": ["phones"]}).json()
    assert body["status"] == "OUT_OF_CREDITS"
    assert balance_of(account) == (0, 0)


def test_a_daily_cap_ends_with_the_day(waiting, account, enable):
    enable(FakeProvider("daily", Found(phones=("+1 202 555 0134",))), day_cap=7)

    def ask(name):
        return account.post(ENRICH, {"ids": [add_contact(account, name)], "reveal": ["phones"]}).json()[
            "status"
        ]

    assert ask("Hans") == "completed"
    assert ask("Ilse") == "OUT_OF_CREDITS"
    account.clock.advance(86_400)
    assert ask("Jupp") == "completed"


def test_the_daily_cap_of_a_key_bounds_what_its_asks_hold(account, enable):
    enable(FakeProvider("keyed", Found(phones=("+1 202 555 0134",))))
    key = account.accounts.create_key(account.account, KeyTerms(daily_credits=10)).api_key
    ids = [add_contact(account, name) for name in ("Karl", "Lotte")]
    body = account.post(ENRICH, {"ids": ids, "reveal": ["phones"]}, key=key).json()
    assert body["status"] == "PARTIAL_OUT_OF_CREDITS"
    assert balance_of(account) == (7, 0)


def test_a_provider_without_a_price_costs_the_price_of_the_plan(account, enable):
    provider = FakeProvider("unpriced", Found(phones=("+1 202 555 0134",)), prices={})
    enable(provider)
    body = account.post(ENRICH, {"ids": [add_contact(account, "Mona")], "reveal": ["phones"]}).json()
    assert body["billing"]["creditsCharged"] == 5


def test_a_free_provider_makes_the_data_point_paid(account, enable):
    enable(FakeProvider("free", Found(phones=("+1 202 555 0134",)), prices={"phones": 0}))
    body = {"ids": [add_contact(account, "Nora")], "reveal": ["phones"]}
    for _ in range(2):
        shown = account.post(ENRICH, body).json()
        assert shown["billing"]["creditsCharged"] == 0
        assert shown["results"][0]["phones"][0]["number"] == "+12025550134"


def test_a_plan_without_the_waterfall_ignores_providers(waiting, account, enable):
    free = waiting.with_account(plan="free")
    enable(FakeProvider("planned", Found(phones=("+1 202 555 0134",))), service=free)
    body = free.post(ENRICH, {"ids": [add_contact(account, "Otto")], "reveal": ["phones"]}).json()
    assert set(body) == {"requestId", "results", "billing"}


def test_a_disabled_provider_is_asked_no_longer_and_its_values_stay_paid(account, enable, waiting):
    enable(FakeProvider("gone", Found(phones=("+1 202 555 0134",))), FakeProvider("stays"))
    id = add_contact(account, "Paul")
    account.post(ENRICH, {"ids": [id], "reveal": ["phones"]})
    account_id = account.accounts.find(account.account).id
    waiting.installation.get(WaterfallAdministration).disable(account_id, ["gone"])
    shown = account.post(ENRICH, {"ids": [id], "reveal": ["phones"]}).json()
    assert shown["results"][0]["phones"][0]["dataSource"] == "gone"
