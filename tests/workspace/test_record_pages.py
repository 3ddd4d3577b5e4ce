"""Records on the pages: prices, reveal, what was revealed, and their way into a table."""

import pytest
from page_visitors import text_of
from search_fixtures import DIRECTORS, HOSTILE, TITLES, hidden, load_people, record_path, run_curl


@pytest.fixture(scope="module")
def shared_service(shared_service):
    load_people(shared_service)
    return shared_service


@pytest.fixture
def one(user):
    return user("member")


def found(one, name="Ann Archer", search=DIRECTORS) -> tuple[str, str]:
    """Return the path and the id of a record."""
    path = record_path(one.get(search).text, name)
    return path, path.rpartition("/")[2]


def form_of(page, record_id, **fields) -> dict[str, object]:
    return {"idempotency_key": hidden(page.text, "idempotency_key")[0], "id": record_id, **fields}


def used(one) -> int:
    return one.service.get("/v3/account/usage").json()["credits"]["used"]


def test_prices_are_shown_before_anything_is_charged(one):
    ids = [found(one, name)[1] for name in ("Ann Archer", "Ben Baker")]
    words = text_of(one.post("/contacts/prices", {"id": ids}))
    assert "emails of 2, at most 2 credits" in words
    assert "phones of 2, at most 10 credits" in words
    assert used(one) == 0


def test_a_reveal_shows_the_data_and_a_double_click_is_charged_once(one):
    path, record_id = found(one)
    form = form_of(one.get(path), record_id, reveal="emails")
    pages = [one.post("/contacts/reveal", form) for _ in range(2)]
    assert [page.text.count("archer@people.example.com") for page in pages] == [1, 1]
    assert used(one) == 1


def test_a_reveal_here_costs_what_the_same_call_costs_and_its_command_repeats_it(one, user):
    path, record_id = found(one)
    page = one.post("/contacts/reveal", form_of(one.get(path), record_id, reveal=["emails", "phones"]))
    other = user("member", service=one.service.with_account())
    assert run_curl(other.service, page.text).json()["billing"]["creditsCharged"] == used(one) == 6
    again = run_curl(one.service, page.text).json()
    assert again["billing"]["creditsCharged"] == 0
    assert again["results"][0]["emails"][0]["email"] in page.text


def test_what_was_revealed_over_the_api_is_free_on_the_page_of_the_record(one):
    path, record_id = found(one)
    assert "archer@people.example.com" not in one.get(path).text
    one.service.post("/v3/contacts/enrich", {"ids": [record_id], "reveal": ["emails"]})
    before = used(one)
    page = one.get(path)
    assert "archer@people.example.com" in page.text
    assert "+12025550101" not in page.text
    assert run_curl(one.service, page.text).json()["results"][0]["emails"]
    assert used(one) == before


def test_a_company_is_revealed_with_its_firmographics(one):
    path, record_id = found(one, "Acme Instruments")
    assert path.startswith("/companies/")
    page = one.post("/companies/reveal", form_of(one.get(path), record_id))
    assert "This cost 1 credit." in text_of(page)
    assert "Kubernetes" in text_of(one.get(path))


def test_a_reveal_without_enough_credits_names_what_is_missing_and_who_grants_it(user, shared_service):
    poor = user("member", service=shared_service.with_account(credits=2))
    path, record_id = found(poor)
    refused = poor.post("/contacts/reveal", form_of(poor.get(path), record_id, reveal="phones"))
    assert refused.status_code == 402
    assert "needs 5 and 2 remain" in text_of(refused)
    assert "operator of this service grants credits" in text_of(refused)


def test_nothing_ticked_is_said_and_nothing_charged(one):
    path, record_id = found(one)
    assert one.post("/contacts/prices", {}).status_code == 400
    assert one.post("/contacts/reveal", form_of(one.get(path), record_id)).status_code == 400
    assert one.post("/contacts/reveal", {"id": record_id, "reveal": "emails"}).status_code == 400
    assert used(one) == 0


def test_types_and_days_of_signals_are_free_and_events_are_paid_once(one):
    path, _ = found(one, "Acme Instruments")
    page = one.get(path)
    assert "2024-05-01 headcountIncrease3m not opened" in text_of(page)
    form = {"idempotency_key": hidden(page.text, "idempotency_key")[-1], "type": "headcountIncrease3m"}
    opened = [one.post(f"{path}/events", form) for _ in range(2)]
    assert ["New employees count 2" in text_of(answer) for answer in opened] == [True, True]
    cost = used(one)
    assert run_curl(one.service, opened[0].text).json()["billing"]["creditsCharged"] == 0
    assert "2024-05-01 headcountIncrease3m paid" in text_of(one.get(path))
    other = one.service.with_account()
    assert run_curl(other, opened[0].text).json()["billing"]["creditsCharged"] == cost > 0


def test_records_go_into_a_table_of_the_user(one):
    path, record_id = found(one)
    email = one.service.accounts.users(one.service.account)[0].email
    body = {"name": "Directors", "owner": {"email": email}}
    table = one.service.post("/v3/contacts/tables", body).json()["data"]["tableId"]
    page = one.get(path)
    form = {"idempotency_key": hidden(page.text, "idempotency_key")[-1], "id": record_id, "table": table}
    added = one.post("/contacts/add", form)
    assert "Added to Directors" in text_of(added)
    assert "1 added, 0 there before" in text_of(added)
    assert run_curl(one.service, added.text).status_code == 200


def test_another_accounts_table_is_unknown(one, user):
    other = user("member", email="other@example.com", service=one.service.with_account())
    body = {"name": "Theirs", "owner": {"email": "other@example.com"}}
    table = other.service.post("/v3/contacts/tables", body).json()["data"]["tableId"]
    path, record_id = found(one)
    form = form_of(one.get(path), record_id, table=table)
    assert one.post("/contacts/add", form).status_code == 404


@pytest.mark.parametrize("record", ["v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "12345", "none"])
def test_a_record_that_is_not_held_is_unknown(one, record):
    assert one.get(f"/contacts/{record}").status_code == 404
    assert one.get(f"/things/{record}").status_code == 404


def test_a_record_of_markup_is_text(one):
    path, record_id = found(one, "Mallory Markup", f"/search/contacts?{TITLES}=spy")
    page = one.get(path)
    shown = one.post("/contacts/reveal", form_of(page, record_id, reveal="emails"))
    for answer in (page, shown, one.get(path)):
        assert answer.status_code == 200
        assert HOSTILE not in answer.text
        assert 'href="javascript' not in answer.text
        assert "<img" not in answer.text
