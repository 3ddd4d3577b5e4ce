"""`POST /v3/contacts/buying-group`: groups, charges, replays and refusals."""

import json

import group_people
import pytest
from group_people import PATH, SIZES, domain_of, expected_group

import stored_records
from firmograph.buying_groups.service import BuyingGroups
from firmograph.directory.records import CompanyRef
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import KEYRING, load_contacts
from writer_steps import record_steps

pytestmark = pytest.mark.any_database

TOKENS = RecordIds(KEYRING)
ACME, COBALT = {"domain": domain_of("acme")}, {"domain": domain_of("cobalt")}
DUNE, NOBODY = {"domain": domain_of("dune")}, {"domain": "nobody.example.org"}


def answer_of(service, body, **options):
    answer = service.post(PATH, body, **options)
    assert answer.status_code == 200, answer.text
    return answer.json()


def numbers_of(result):
    return [TOKENS.open(Entity.CONTACT, one["id"]) for one in result["contacts"]]


def number_of(service, name):
    companies = stored_records.stored_companies(service.database)
    return next(number for number, one in companies.items() if one.domain == domain_of(name))


def expected_of(service, name, personas=()):
    people = stored_records.stored_contacts(service.database)
    return expected_group(people, number_of(service, name), personas)


def used(service, key=None):
    return service.get("/v3/account/usage", key=key).json()["credits"]["used"]


# --- groups ---


def test_a_company_is_answered_with_its_ranked_contacts(groups):
    answer = answer_of(groups, {"companies": [ACME | {"clientReferenceId": "é"}]})
    (result,) = answer["results"]
    expected = expected_of(groups, "acme")
    assert result["clientReferenceId"] == "é"
    assert TOKENS.open(Entity.COMPANY, result["companyId"]) == number_of(groups, "acme")
    assert [(one["roles"], one["score"]) for one in result["contacts"]] == [one[1:] for one in expected]
    assert numbers_of(result) == [one.number for one in expected]
    assert answer["pagination"] == {"page": 0, "size": 100, "total": len(expected)}
    assert answer["billing"] == {"creditsCharged": len(expected), "resultsReturned": len(expected)}
    assert {len(one["roles"]) for one in result["contacts"]} == {1, 2}


def test_contacts_are_the_previews_of_search(groups):
    (result,) = answer_of(groups, {"companies": [ACME]})["results"]
    for one in result["contacts"][:10]:
        (preview,) = groups.post("/v3/contacts/search", {"contacts": [{"id": one["id"]}]}).json()["results"]
        assert {name: one[name] for name in one if name not in ("roles", "score")} == preview


def test_contacts_need_one_of_the_requested_roles_and_show_all_of_theirs(groups):
    personas = ["potential_champion"]
    (result,) = answer_of(groups, {"companies": [ACME], "personas": personas})["results"]
    assert numbers_of(result) == [one.number for one in expected_of(groups, "acme", personas)]
    assert {role for one in result["contacts"] for role in one["roles"]} > set(personas)


@pytest.mark.any_database
def test_empty_personas_are_absent(groups):
    everyone = answer_of(groups, {"companies": [ACME]})["results"]
    assert answer_of(groups, {"companies": [ACME], "personas": []})["results"] == everyone


def test_a_company_is_named_by_its_id_too(groups):
    (result,) = answer_of(groups, {"companies": [ACME]})["results"]
    assert answer_of(groups, {"companies": [{"id": result["companyId"]}]})["results"] == [result]


@pytest.mark.any_database
def test_the_limit_cuts_each_company_before_the_total(groups):
    answer = answer_of(groups, {"companies": [ACME, COBALT], "contactsLimit": 7})
    assert [numbers_of(result) for result in answer["results"]] == [
        [one.number for one in expected_of(groups, name)[:7]] for name in ("acme", "cobalt")
    ]
    assert answer["pagination"]["total"] == 14


@pytest.mark.any_database
def test_60_contacts_of_a_company_are_returned_by_default(groups):
    assert len(expected_of(groups, "cobalt")) > 60
    assert answer_of(groups, {"companies": [COBALT]})["pagination"]["total"] == 60


def test_the_first_page_also_shows_companies_without_contacts_and_unknown_ones(groups):
    body = {
        "companies": [DUNE, NOBODY | {"clientReferenceId": "x"}, ACME, {"id": "v1.x"}],
        "pagination": {"size": 10},
    }
    dune, nobody, acme, unknown = answer_of(groups, body)["results"]
    assert dune["contacts"] == []
    error = {"code": "NOT_FOUND", "message": "Company not found"}
    assert nobody == NOBODY | {"clientReferenceId": "x", "contacts": [], "error": error}
    assert len(acme["contacts"]) == 10
    assert unknown == {"id": "v1.x", "contacts": [], "error": error}
    (second,) = answer_of(groups, body | {"pagination": {"size": 10, "page": 1}})["results"]
    assert second["companyId"] == acme["companyId"]
    assert answer_of(groups, body | {"pagination": {"page": 1000}})["results"] == []


# --- charges ---


def test_a_company_requested_twice_is_answered_twice_and_charged_once_in_every_call(groups):
    key = groups.new_key("Twice", credits=1_000)
    for calls in (1, 2):
        answer = answer_of(groups, {"companies": [ACME, ACME], "contactsLimit": 20}, key=key)
        first, second = answer["results"]
        assert first["contacts"] == second["contacts"]
        assert answer["pagination"]["total"] == 40
        assert answer["billing"] == {"creditsCharged": 20, "resultsReturned": 40}
        assert used(groups, key) == calls * 20


def test_too_few_credits_are_402_and_show_nothing(groups):
    key = groups.new_key("Poor", credits=9)
    answer = groups.post(PATH, {"companies": [ACME]}, key=key)
    assert (answer.status_code, "results" in answer.json(), used(groups, key)) == (402, False, 0)
    answer_of(groups, {"companies": [ACME], "contactsLimit": 9}, key=key)
    assert used(groups, key) == 9


def test_a_repeated_idempotency_key_is_answered_for_free(groups):
    key, body = groups.new_key("Again", credits=100), {"companies": [NOBODY, ACME, DUNE], "contactsLimit": 12}
    first = answer_of(groups, body, key=key, **{"idempotency-key": "k"})
    assert answer_of(groups, body, key=key, **{"idempotency-key": "k"}) == first
    assert used(groups, key) == 12
    changed = groups.post(PATH, body | {"contactsLimit": 13}, key=key, **{"idempotency-key": "k"})
    assert (changed.status_code, used(groups, key)) == (409, 12)


def test_a_replay_shows_nobody_who_left_or_was_not_in_the_first_answer(own_groups):
    body = {"companies": [ACME], "contactsLimit": 5}
    first = answer_of(own_groups, body, **{"idempotency-key": "k"})
    before = numbers_of(first["results"][0])
    leaver, _ = stored_records.stored_contacts(own_groups.database)[before[1]]
    name = leaver.last_name.removeprefix("Last")
    leaver.company = CompanyRef(name="beta", domain=domain_of("beta"))
    load_contacts(own_groups.database, "test", [(name, leaver)])
    group_people.wait(own_groups)
    again = answer_of(own_groups, body, **{"idempotency-key": "k"})
    assert numbers_of(again["results"][0]) == [before[0], *before[2:]]
    assert again["billing"] == {"creditsCharged": 5, "resultsReturned": 4}
    assert answer_of(own_groups, body)["billing"]["resultsReturned"] == 5
    assert used(own_groups) == 10


def test_without_a_price_groups_are_free(make_service, database, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[pricing]\nbuyingGroupReveal = { credits = 0, perQuantity = 1 }\n")
    group_people.load(database)
    service = make_service(plans_file=str(plans), lookalikes=False)
    group_people.wait(service)
    answers = [
        answer_of(service, {"companies": [ACME]}, **headers) for headers in ({}, {"idempotency-key": "k"})
    ]
    assert answers[0]["results"] == answers[1]["results"]
    assert [answer["billing"]["creditsCharged"] for answer in answers] == [0, 0]


def test_the_index_is_asked_while_no_writer_is_held(groups, monkeypatch):
    steps = record_steps(monkeypatch, "employees")
    for _ in range(2):
        answer_of(groups, {"companies": [ACME]}, **{"idempotency-key": "writer"})
    assert steps == ["employees", "begin", "commit"] * 2


# --- removed people ---


def suppress(service, number):
    suppression = make_suppression(service.database, KEYRING, service.clock)
    record, _ = stored_records.stored_contacts(service.database)[number]
    suppression.suppress(suppression.person(linkedin=record.social_links.linkedin))


def test_a_suppressed_person_is_in_no_answer_at_the_next_request(own_groups):
    body = {"companies": [ACME]}
    first = answer_of(own_groups, body, **{"idempotency-key": "k"})
    before = numbers_of(first["results"][0])
    suppress(own_groups, before[0])
    now, again = (answer_of(own_groups, body, **headers) for headers in ({}, {"idempotency-key": "k"}))
    for answer in (now, again):
        assert numbers_of(answer["results"][0]) == before[1:]
        assert answer["pagination"]["total"] == len(before) - 1
        assert answer["billing"]["resultsReturned"] == len(before) - 1
    assert now["billing"]["creditsCharged"] == len(before) - 1
    assert again["billing"]["creditsCharged"] == len(before)
    assert used(own_groups) == 2 * len(before) - 1


def test_a_person_suppressed_after_the_ranking_is_neither_shown_nor_charged(own_groups, monkeypatch):
    rank, count = BuyingGroups.rank_now, len(expected_of(own_groups, "acme"))

    def rank_and_suppress(service, *arguments):
        groups = rank(service, *arguments)
        _, group = groups.slots[0]
        suppress(own_groups, int(group.numbers[0]))
        return groups

    monkeypatch.setattr(BuyingGroups, "rank_now", rank_and_suppress)
    answer = answer_of(own_groups, {"companies": [ACME]})
    assert answer["billing"] == {"creditsCharged": count - 1, "resultsReturned": count - 1}


# --- refusals ---


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "companies"),
        ({"companies": []}, "companies must"),
        ({"companies": [ACME] * 26}, "companies must"),
        ({"companies": [ACME, {}]}, "companies.1 must have exactly one of domain, id"),
        ({"companies": [ACME | {"id": "v1.x"}]}, "companies.0 must have exactly one of domain, id"),
        ({"companies": [{"domain": "no domain"}]}, "companies.0.domain must"),
        ({"companies": [{"id": "!"}]}, "companies.0.id must"),
        ({"companies": [{"name": "Acme"}]}, "companies.0.property name should not exist"),
        ({"companies": [ACME], "personas": ["boss"]}, "personas.0 must"),
        ({"companies": [ACME], "contactsLimit": 0}, "contactsLimit must be at least 1"),
        ({"companies": [ACME], "contactsLimit": 1001}, "contactsLimit must be at most 1000"),
        ({"companies": [ACME], "pagination": {"size": 9}}, "pagination.size must be at least 10"),
        ({"companies": [ACME], "pagination": {"size": 101}}, "pagination.size must be at most 100"),
        ({"companies": [ACME], "pagination": {"page": -1}}, "pagination.page must be at least 0"),
        ({"companies": [ACME], "pagination": {"page": 1001}}, "pagination.page must be at most 1000"),
        ({"companies": [ACME], "tableId": "t"}, "property tableId should not exist"),
    ],
)
def test_bad_input_is_400_with_its_path(groups, body, message):
    answer = groups.post(PATH, body)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message), answer.json()["message"]


@pytest.mark.any_database
def test_a_plan_without_buying_groups_is_refused_by_name(make_service, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nbuyingGroups = false\n")
    answer = make_service(plans_file=str(plans), lookalikes=False).post(PATH, {"companies": []})
    assert (answer.status_code, answer.json()["errors"]) == (403, ["buyingGroups"])


@pytest.mark.any_database
def test_while_the_index_loads_groups_are_503(own_groups):
    own_groups.installation.get(ServedSearch).active.withdraw()
    answer = own_groups.post(PATH, {"companies": [ACME]})
    assert (answer.status_code, int(answer.headers["retry-after"]) >= 1) == (503, True)
    assert own_groups.post(PATH, {"companies": [{}]}).status_code == 400


@pytest.mark.any_database
def test_the_removed_predecessor_stays_unknown(groups):
    assert groups.post("/v3/contacts/decision-makers", {"companies": [ACME]}).status_code == 404


def test_an_own_table_of_roles_takes_effect_at_the_next_start(database, make_service, tmp_path):
    group_people.load(database)
    own = tmp_path / "personas.toml"
    own.write_text('[end_user.titles]\n"truck driver" = 1.0\n')
    service = make_service(personas_file=str(own), lookalikes=False)
    group_people.wait(service)
    (result,) = answer_of(service, {"companies": [ACME], "personas": ["end_user"]})["results"]
    titles = [json.dumps(one["jobTitle"]["title"]) for one in result["contacts"]]
    assert '"Truck Driver"' in titles
    assert sum(SIZES.values()) > len(titles)
