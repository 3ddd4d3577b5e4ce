"""What legacy calls charge: the paid units of the current generation, in both directions."""

import pytest
from legacy_records import (
    ANN,
    ANY_REQUEST,
    BO,
    FULL_COMPANY,
    companies,
    company,
    company_id,
    contact_id,
    enrich_contacts,
    people,
    person,
    post,
    search_contacts,
    stock,
    used,
)

from firmograph.directory.records import Phone
from record_factory import contact, load_contacts

ANN_ITEM = {"email": "ann@acme.example.com"}
BO_ITEM = {"email": "bo@plain.example.org"}
CY_ITEM = {"linkedinUrl": "https://www.linkedin.com/in/cy-cole"}
ACME = {"domain": "acme.example.com"}


def enrich_now(service, kind, number, **more):
    """Enrich a record by the current generation; return what it charged."""
    ids = [str((contact_id if kind == "contacts" else company_id)(number))]
    return post(service, f"/v3/{kind}/enrich", {"ids": ids, **more})["billing"]["creditsCharged"]


def test_a_person_costs_an_email_and_a_phone_once(stocked):
    assert person(stocked, **ANN_ITEM)["isCreditCharged"] is True
    assert used(stocked) == 6
    assert person(stocked, **ANN_ITEM)["isCreditCharged"] is False
    assert used(stocked) == 6


def test_what_a_legacy_call_paid_is_free_in_the_current_generation(stocked):
    people(stocked, ANN_ITEM, BO_ITEM)
    companies(stocked, ACME)
    spent = used(stocked)
    assert spent == 6 + 1 + 1
    assert enrich_now(stocked, "contacts", ANN) == enrich_now(stocked, "contacts", BO) == 0
    assert enrich_now(stocked, "companies", FULL_COMPANY) == 0
    assert used(stocked) == spent


def test_what_a_current_call_paid_is_free_in_the_legacy_generation(stocked):
    assert enrich_now(stocked, "contacts", ANN) == 6
    assert enrich_now(stocked, "companies", FULL_COMPANY) == 1
    spent = used(stocked)
    assert person(stocked, **ANN_ITEM)["isCreditCharged"] is False
    assert enrich_contacts(stocked, contact_id(ANN))["billing"]["creditsCharged"] == 0
    company(stocked, **ACME)
    body = {"requestId": ANY_REQUEST, "companiesIds": [company_id(FULL_COMPANY)]}
    assert post(stocked, "/prospecting/company/enrich", body)["billing"]["creditsCharged"] == 0
    assert used(stocked) == spent


def test_an_employer_comes_with_a_person_and_is_not_paid_by_it(stocked):
    assert person(stocked, **ANN_ITEM)["data"]["company"]["description"] == "Measures things."
    assert enrich_now(stocked, "companies", FULL_COMPANY) == 1


def test_without_a_paid_data_point_the_employer_is_as_in_a_preview(stocked):
    answer = enrich_contacts(stocked, contact_id(BO), revealPhones=True)
    assert answer["contacts"][0]["error"]["name"] == "EMPTY_DATA"
    assert person(stocked, **BO_ITEM, revealPhones="true")["data"]["company"] == {
        "name": "Plain Ltd",
        "fqdn": "plain.example.org",
    }


@pytest.mark.parametrize(
    ("flags", "credits", "shown"),
    [
        ({}, 6, {"emailAddresses", "phoneNumbers"}),
        ({"revealEmails": True}, 1, {"emailAddresses"}),
        ({"revealPhones": True}, 5, {"phoneNumbers"}),
        ({"revealEmails": True, "revealPhones": True}, 6, {"emailAddresses", "phoneNumbers"}),
        ({"revealEmails": True, "revealPhones": False}, 1, {"emailAddresses"}),
        ({"revealEmails": False, "revealPhones": False}, 6, {"emailAddresses", "phoneNumbers"}),
    ],
)
def test_only_true_flags_count_wherever_they_stand(stocked, flags, credits, shown):
    texts = {name: str(value).lower() for name, value in flags.items()}
    query = "&".join(f"{name}={text}" for name, text in texts.items())
    body = {"contacts": [{"contactId": "0", **ANN_ITEM}]}
    calls = [
        lambda: person(stocked, **ANN_ITEM, **texts)["data"],
        lambda: people(stocked, ANN_ITEM, **flags)["contacts"]["0"]["data"],
        lambda: people(stocked, ANN_ITEM, metadata=flags)["contacts"]["0"]["data"],
        lambda: post(stocked, f"/v2/person?{query}", body)["contacts"]["0"]["data"],
        lambda: enrich_contacts(stocked, contact_id(ANN), **flags)["contacts"][0]["data"],
        lambda: enrich_contacts(stocked, contact_id(ANN), metadata=flags)["contacts"][0]["data"],
    ]
    for call in calls:
        assert call().keys() & {"emailAddresses", "phoneNumbers"} == shown
    assert used(stocked) == credits


def test_nothing_is_paid_for_who_lacks_what_is_asked_for(stocked):
    answers = [
        person(stocked, **BO_ITEM, revealPhones="true"),
        person(stocked, **BO_ITEM, filterBy="phoneNumbers"),
        people(stocked, BO_ITEM, metadata={"filterBy": "phoneNumbers"})["contacts"]["0"],
        person(stocked, **CY_ITEM),
    ]
    for answer in answers:
        assert (answer["error"]["code"], answer["error"]["name"]) == (3, "EMPTY_DATA")
        assert answer["isCreditCharged"] is False
        assert answer["data"]["lastName"] in ("Baker", "Cole")
        assert not answer["data"].get("emails")
    assert used(stocked) == 0


def test_filtering_by_a_held_data_point_charges_as_without(stocked):
    answer = people(stocked, ANN_ITEM, metadata={"filterBy": "phoneNumbers"})["contacts"]["0"]
    assert answer["error"] is None
    assert used(stocked) == 6


def test_the_same_person_under_two_keys_is_charged_once(stocked):
    answer = people(stocked, ANN_ITEM, {"personId": str(contact_id(ANN))})
    assert [one["isCreditCharged"] for one in answer["contacts"].values()] == [True, True]
    assert used(stocked) == 6


def test_too_few_credits_are_402_and_show_nothing(stocked):
    poor = stocked.with_account(credits=5)
    answer = poor.post("/v2/person", {"contacts": [{"contactId": "0", **ANN_ITEM}]})
    assert answer.status_code == 402
    assert "ann@" not in answer.text


@pytest.mark.parametrize(
    ("path", "item", "credits"),
    [("/v2/person", ANN_ITEM, 6), ("/person", BO_ITEM, 1), ("/v2/company", ACME, 1), ("/company", ACME, 1)],
)
def test_an_answer_without_billing_says_in_a_header_what_it_charged(stocked, path, item, credits):
    def get(key):
        headers = {"api_key": stocked.key, "idempotency-key": key}
        return stocked.client.get(path, params=item, headers=headers).headers

    first, repeated, later = (get(key) for key in ("k", "k", "l"))
    assert [each["x-credits-charged"] for each in (first, repeated, later)] == [str(credits)] * 2 + ["0"]
    assert repeated["x-original-request-id"] == first["x-request-id"]
    assert "x-original-request-id" not in later


def test_a_refused_call_says_that_it_charged_nothing(stocked):
    headers = {"api_key": stocked.key}
    for path, query in (("/v2/person", {}), ("/v2/company", {"domain": ""}), ("/v2/person", {"x": "y"})):
        refused = stocked.client.get(path, params=query, headers=headers)
        assert (refused.status_code, refused.headers["x-credits-charged"]) == (400, "0")


def test_a_repeated_key_answers_as_the_first_time_and_charges_nothing(stocked):
    for send in (
        lambda: stocked.client.get(
            "/v2/person", params=ANN_ITEM, headers={"api_key": stocked.key, "idempotency-key": "k"}
        ),
        lambda: stocked.post(
            "/v2/person", {"contacts": [{"contactId": "0", **BO_ITEM}]}, **{"idempotency-key": "k"}
        ),
    ):
        first = send()
        spent = used(stocked)
        assert b'"isCreditCharged":true' in first.content
        again = send()
        assert again.content == first.content
        assert used(stocked) == spent


def test_free_data_points_are_no_charge(make_service, tmp_path):
    (tmp_path / "plans.toml").write_text("[pricing]\nrevealEmail = { credits = 0, perQuantity = 1 }\n")
    service = stock(make_service(plans_file=str(tmp_path / "plans.toml")))
    assert person(service, **BO_ITEM)["isCreditCharged"] is False
    assert person(service, **ANN_ITEM)["isCreditCharged"] is True


def test_a_search_costs_its_price_and_enrich_none(make_service, tmp_path):
    (tmp_path / "plans.toml").write_text(
        "[pricing]\ncontactSearch = { credits = 2, perQuantity = 25 }\n"
        "companySearch = { credits = 3, perQuantity = 25 }\n"
    )
    service = stock(make_service(plans_file=str(tmp_path / "plans.toml")))
    assert search_contacts(service)["billing"] == {"creditsCharged": 2, "resultsReturned": 1}
    body = {"filters": {"companies": {"include": {"names": ["Acme"]}}}}
    assert post(service, "/prospecting/company/search", body)["billing"]["creditsCharged"] == 3
    enrich_contacts(service, contact_id(ANN))
    person(service, **ANN_ITEM)
    assert used(service) == 2 + 3 + 6


def test_is_shown_says_that_this_account_has_paid_for_the_person(stocked):
    stranger = stocked.with_account(credits=10)
    assert search_contacts(stocked)["data"][0]["isShown"] is False
    person(stocked, **ANN_ITEM, revealEmails="true")
    assert search_contacts(stocked)["data"][0]["isShown"] is True
    assert search_contacts(stranger)["data"][0]["isShown"] is False


def test_enrich_counts_the_results_without_an_error(stocked):
    answer = enrich_contacts(stocked, contact_id(ANN), contact_id(BO), "5", revealPhones=True)
    assert answer["billing"] == {"creditsCharged": 5, "resultsReturned": 1}


def test_a_repeated_key_shows_nobody_as_held_who_had_no_value(stocked):
    url = "https://www.linkedin.com/in/di-dorn"
    load_contacts(stocked.database, "b", [contact("Di", "Dorn", linkedin=url)])
    id = person(stocked, linkedinUrl=url)["data"]["personId"]
    bodies = [
        {"contacts": [{"contactId": "0", "personId": id}], "metadata": asked}
        for asked in ({}, {"filterBy": "phoneNumbers"})
    ]
    sent = [("/v2/person", body) for body in bodies]
    sent.append(("/prospecting/contact/enrich", {"requestId": ANY_REQUEST, "contactIds": [id]}))

    def calls():
        return [
            stocked.post(path, body, **{"idempotency-key": str(number)}).content
            for number, (path, body) in enumerate(sent)
        ]

    first = calls()
    assert all(b"EMPTY_DATA" in answer for answer in first)
    later = contact("Di", "Dorn", linkedin=url, emails=["di@x.example"], phones=[Phone("+12025550177")])
    load_contacts(stocked.database, "b", [later])
    assert calls() == first
    assert used(stocked) == 0
    assert person(stocked, linkedinUrl=url)["data"]["phones"]
