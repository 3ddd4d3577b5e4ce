"""Search on the pages: the form, results, prices, errors and the same call over the API."""

import re

import pytest
from page_visitors import text_of
from search_fixtures import DIRECTORS, HOSTILE, TITLES, hidden, load_people, run_curl, with_priced_plan

from firmograph.kit.errors import Loading
from firmograph.prospecting.current_search import CurrentSearch


@pytest.fixture(scope="module")
def shared_service(make_shared_service, tmp_path_factory):
    service = make_shared_service(plans_file=with_priced_plan(tmp_path_factory.mktemp("plans")))
    load_people(service)
    return service


@pytest.fixture
def one(user):
    return user("member")


def test_a_submitted_form_leads_to_an_address_without_empty_fields(one):
    sent = {TITLES: "director\r\nengineer", "filters.contacts.exclude.names": ""}
    assert one.post("/search/contacts", sent).headers["location"] == (
        f"/workspace/search/contacts?{TITLES}=director&{TITLES}=engineer"
    )


def test_an_address_shows_the_search_with_its_results_and_what_they_cost(one):
    answer = one.get(DIRECTORS)
    words = text_of(answer)
    assert "2 contacts match" in words
    assert (
        "Ann Archer Sales Director Acme Instruments Berlin, Germany emails 1 credit phones 5 credits" in words
    )
    assert "Cat Cooper" not in words
    assert re.search(r">\ndirector</textarea>", answer.text)


def test_the_command_beside_a_search_gets_what_the_page_shows(one):
    answer = one.get(f"{DIRECTORS}&filters.companies.exclude.technologies=Kafka")
    results = run_curl(one.service, answer.text).json()["results"]
    assert [result["id"] for result in results] == re.findall(
        r'href="/workspace/contacts/([^"]+)"', answer.text
    )
    assert [result["lastName"] for result in results] == ["Archer"]


def test_companies_are_found_by_their_own_filters(one):
    words = text_of(one.get("/search/companies?filters.companies.include.technologies=kafka"))
    assert "1 company matches" in words
    assert "Umbrella Labs umbrella.example.com" in words


def test_pages_of_results_are_led_through_by_links(one):
    answer = one.get("/search/contacts?filters.contacts.include.countries=DE&pagination.size=10")
    assert 'rel="next"' not in answer.text
    second = one.get("/search/contacts?filters.contacts.include.countries=DE&pagination.page=1")
    assert 'rel="prev"' in second.text


def test_a_wrong_value_is_told_at_its_field_and_stays(one):
    path = "filters.companies.include.sizes.0.min"
    answer = one.get(f"/search/companies?{path}=many")
    assert answer.status_code == 400
    assert re.search(rf'id="{path}-problem">{path} must be a number<', answer.text)
    assert 'value="many"' in answer.text


def test_a_value_outside_a_vocabulary_is_told_with_the_nearest(one):
    answer = one.get("/search/contacts?filters.contacts.include.departments=Seles")
    assert answer.status_code == 400
    assert "filters.contacts.include.departments.0 must be a known value" in text_of(answer)
    assert re.search(r'value="Seles" checked', answer.text)


def test_a_page_that_may_not_be_asked_for_is_told(one):
    answer = one.get(f"{DIRECTORS}&pagination.page=9999")
    assert answer.status_code == 400
    assert "pagination.page must be at most 1000" in text_of(answer)


def test_a_name_of_no_filter_is_refused(one):
    answer = one.get("/search/contacts?bogus=1")
    assert answer.status_code == 400
    assert "property bogus should not exist" in text_of(answer)


def test_a_search_too_long_for_an_address_is_refused_and_stays(one):
    answer = one.post("/search/contacts", {TITLES: "\n".join(f"title {n}" for n in range(400))})
    assert answer.status_code == 400
    assert "does not fit into an address" in text_of(answer)
    assert "title 399" in answer.text


def test_another_kind_is_no_page(one):
    assert one.get("/search/tables").status_code == 404


def test_the_total_alone_is_free_and_a_problem_of_it_is_text(one):
    assert text_of(one.post("/search/contacts/total", {TITLES: "director"})) == "2 matches"
    assert text_of(one.post("/search/contacts/total", {"pagination.size": "25"})) == "Fill in a filter"
    wrong = one.post("/search/contacts/total", {"filters.contacts.include.departments": "Seles"})
    assert "must be a known value" in text_of(wrong)


def test_values_are_suggested_as_one_types(one):
    asked = "/suggestions/technologies?filters.companies.include.technologies="
    assert '<option value="Kubernetes">' in one.get(f"{asked}kub").text
    assert "<option" not in one.get(f"{asked}k").text
    assert '<option value="DE">Germany' in one.get("/suggestions/countries?any=germ").text
    assert '<option value="Berlin">' in one.get("/suggestions/city?any=ber").text
    assert one.get("/suggestions/nothing?any=germ").status_code == 404


def test_a_page_of_a_search_that_loads_says_so_and_tries_again_by_itself(one, monkeypatch):
    def load(*given):
        raise Loading(seconds_left=3)

    monkeypatch.setattr(one.service.installation.get(CurrentSearch), "find", load)
    answer = one.get(DIRECTORS)
    assert answer.status_code == 503
    assert "The search index is being prepared" in text_of(answer)
    assert f'<meta http-equiv="refresh" content="{answer.headers["retry-after"]}">' in answer.text


def test_markup_in_records_and_addresses_is_text_and_no_link(one):
    answer = one.get(f"/search/contacts?{TITLES}=spy&filters.contacts.exclude.names={HOSTILE}")
    assert "Mallory Markup" in answer.text
    assert HOSTILE not in answer.text
    assert "javascript:" not in answer.text
    assert "<img" not in answer.text


@pytest.fixture
def priced(user, shared_service):
    """Return a member of an account whose plan prices previews."""
    return user("member", service=shared_service.with_account(plan="scale", credits=10))


def form_of_results(one) -> dict[str, object]:
    page = one.get(DIRECTORS).text
    return {"idempotency_key": hidden(page, "idempotency_key")[0], TITLES: hidden(page, TITLES)}


def used(one) -> int:
    return one.service.get("/v3/account/usage").json()["credits"]["used"]


def test_results_that_cost_credits_come_on_a_button_and_their_number_is_free(priced):
    words = text_of(priced.get(DIRECTORS))
    assert "2 contacts match" in words
    assert "Show up to 2 results for at most 3 credits" in words
    assert "Ann Archer" not in words
    assert used(priced) == 0


def test_a_double_click_on_results_is_charged_once_and_as_over_the_api(priced):
    form = form_of_results(priced)
    pages = [priced.post("/search/contacts/results", form) for _ in range(2)]
    assert ["Ann Archer" in page.text for page in pages] == [True, True]
    assert used(priced) == 3
    answer = run_curl(priced.service, pages[0].text)
    assert answer.json()["billing"]["creditsCharged"] == 3


def test_results_without_enough_credits_name_what_is_missing_and_who_grants_it(priced):
    for _ in range(3):
        priced.post("/search/contacts/results", form_of_results(priced))
    refused = priced.post("/search/contacts/results", form_of_results(priced))
    assert refused.status_code == 402
    assert "needs 3 and 1 remain" in text_of(refused)
    assert "operator of this service grants credits" in text_of(refused)


def test_results_without_a_key_against_a_second_charge_are_refused(priced):
    assert priced.post("/search/contacts/results", {TITLES: "director"}).status_code == 400
