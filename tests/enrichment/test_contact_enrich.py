import pytest
from demo_people import ACME

from firmograph.directory.records import Phone
from installation_factory import make_suppression
from record_factory import contact, load_contacts

ENRICH = "/v3/contacts/enrich"
BOTH = "/v3/contacts/search-and-enrich"


@pytest.fixture
def ids(people):
    """Return the ids of contacts by their e-mail's local part."""
    names = ["jane", "bob"]
    body = {"contacts": [{"email": f"{name}@acme.example"} for name in names]}
    results = people.post("/v3/contacts/search", body).json()["results"]
    return dict(zip(names, (result["id"] for result in results), strict=True))


def remaining(people):
    return people.get("/v3/account/usage").json()["credits"]["remaining"]


def add_person(people, first, last, **fields):
    """Store a person at Acme who is in no other test; return the id."""
    email = f"{first.lower()}@acme.example"
    load_contacts(people.database, "test", [contact(first, last, emails=[email], company=ACME, **fields)])
    (result,) = people.post("/v3/contacts/search", {"contacts": [{"email": email}]}).json()["results"]
    return result["id"]


def suppress(people, keyring, id):
    suppression = make_suppression(people.database, keyring, people.clock)
    assert suppression.suppress(suppression.person(id=id)) == 1


def test_both_data_points_are_revealed_and_charged_when_none_is_named(people, ids):
    before = remaining(people)
    body = people.post(ENRICH, {"ids": [ids["jane"]]}).json()
    (result,) = body["results"]
    assert result["emails"] == [{"email": "jane@acme.example", "type": "work"}]
    assert result["phones"] == [{"number": "+12025550101", "type": "mobile", "doNotCall": False}]
    assert result["fullName"] == "Jane Doe"
    assert body["billing"] == {"creditsCharged": 6, "resultsReturned": 1}
    assert before - remaining(people) == 6


def test_only_requested_data_points_are_present(people, ids):
    (result,) = people.post(ENRICH, {"ids": [ids["jane"]], "reveal": ["emails"]}).json()["results"]
    assert "emails" in result
    assert "phones" not in result


def test_a_requested_but_missing_data_point_is_a_free_empty_list(people, ids):
    body = people.post(ENRICH, {"ids": [ids["bob"]], "reveal": ["phones"]}).json()
    assert body["results"][0]["phones"] == []
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": 1}


def test_an_account_pays_once_for_a_data_point_whichever_endpoint_reveals_it(people, ids):
    people.post(ENRICH, {"ids": [ids["jane"]], "reveal": ["emails"]})
    body = people.post(BOTH, {"contacts": [{"email": "jane@acme.example"}]}).json()
    assert body["billing"]["creditsCharged"] == 5
    again = people.post(BOTH, {"contacts": [{"email": "jane@acme.example"}]}).json()
    assert again["billing"]["creditsCharged"] == 0


def test_another_account_pays_for_itself(people, ids):
    people.post(ENRICH, {"ids": [ids["jane"]]})
    other = people.with_account(credits=10)
    assert other.post(ENRICH, {"ids": [ids["jane"]]}).json()["billing"]["creditsCharged"] == 6


def test_a_duplicate_is_answered_at_each_place_and_charged_once(people, ids):
    body = people.post(ENRICH, {"ids": [ids["jane"], ids["jane"]]}).json()
    assert body["results"][0] == body["results"][1]
    assert body["billing"] == {"creditsCharged": 6, "resultsReturned": 2}


def test_too_few_credits_reveal_nothing(people, ids):
    poor = people.with_account(credits=5)
    answer = poor.post(ENRICH, {"ids": [ids["jane"]]})
    assert answer.status_code == 402
    assert "jane@" not in answer.text
    assert remaining(poor) == 5
    assert poor.post(ENRICH, {"ids": [ids["jane"]], "reveal": ["emails"]}).status_code == 200


def test_unknown_ids_answer_the_id_and_cost_nothing(people, ids):
    body = people.post(ENRICH, {"ids": ["123", ids["bob"]]}).json()
    assert body["results"][0] == {"id": "123", "error": {"code": "NOT_FOUND", "message": "Contact not found"}}
    assert body["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"ids": ["x"]}, "ids.0 must be a record id"),
        ({"ids": []}, "ids must have at least 1 element"),
        ({"ids": ["1"], "reveal": []}, "reveal must have at least 1 element"),
        ({"ids": ["1"], "reveal": ["fax"]}, "reveal.0 must be one of"),
        ({"ids": ["1"], "signals": {}}, "property signals should not exist"),
    ],
)
def test_a_malformed_call_is_refused_with_its_path(people, body, message):
    answer = people.post(ENRICH, body)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message)


def test_waterfall_enabled_is_accepted(people, ids):
    assert people.post(ENRICH, {"ids": [ids["bob"]], "waterfallEnabled": False}).status_code == 200


def test_an_empty_reveal_on_search_and_enrich_shows_the_profile_for_free(people):
    body = people.post(
        BOTH, {"contacts": [{"email": "jane@acme.example", "clientReferenceId": "r"}], "reveal": []}
    )
    (result,) = body.json()["results"]
    assert (result["fullName"], result["clientReferenceId"]) == ("Jane Doe", "r")
    assert not {"emails", "phones"} & result.keys()
    assert body.json()["billing"] == {"creditsCharged": 0, "resultsReturned": 1}


def test_filter_by_is_accepted_on_search_and_enrich(people):
    body = {"contacts": [{"email": "bob@acme.example"}], "filterBy": "emailAddresses"}
    assert people.post(BOTH, body).status_code == 200


def test_a_contact_without_contact_data_is_a_normal_result(people):
    item = {"firstName": "Mu", "lastName": "Te", "companyName": "Acme"}
    body = people.post(BOTH, {"contacts": [item]}).json()
    (result,) = body["results"]
    assert (result["emails"], result["phones"], result["partialProfile"]) == ([], [], True)
    assert body["billing"] == {"creditsCharged": 0, "resultsReturned": 1}


def test_an_idempotency_key_replays_and_never_charges_again(people, ids):
    first = people.post(ENRICH, {"ids": [ids["jane"], "123"]}, **{"idempotency-key": "k"})
    before = remaining(people)
    second = people.post(ENRICH, {"ids": [ids["jane"], "123"]}, **{"idempotency-key": "k"})
    assert second.json() == first.json()
    assert remaining(people) == before


def test_an_idempotency_key_with_another_body_is_a_conflict(people, ids):
    people.post(ENRICH, {"ids": [ids["jane"]]}, **{"idempotency-key": "k"})
    assert people.post(ENRICH, {"ids": [ids["bob"]]}, **{"idempotency-key": "k"}).status_code == 409


def test_a_replay_shows_nothing_of_a_person_suppressed_since(people, keyring):
    id = add_person(people, "Kim", "Orr")
    assert "kim@" in people.post(ENRICH, {"ids": [id]}, **{"idempotency-key": "k"}).text
    suppress(people, keyring, id)
    again = people.post(ENRICH, {"ids": [id]}, **{"idempotency-key": "k"})
    assert again.json()["results"][0]["error"]["code"] == "COMPLIANCE_RESTRICTED"
    assert "kim@" not in again.text


def test_a_replay_by_name_of_a_person_suppressed_since_finds_nobody(people, keyring):
    id = add_person(people, "Liv", "Ash")
    named = {"contacts": [{"firstName": "Liv", "lastName": "Ash", "companyName": "Acme"}]}
    assert "error" not in people.post(BOTH, named, **{"idempotency-key": "k"}).json()["results"][0]
    suppress(people, keyring, id)
    again = people.post(BOTH, named, **{"idempotency-key": "k"})
    assert again.json()["results"][0]["error"]["code"] == "NOT_FOUND"


def test_a_replay_does_not_show_later_data_for_free(people):
    id = add_person(people, "Max", "Fry")
    people.post(ENRICH, {"ids": [id]}, **{"idempotency-key": "k"})
    assert add_person(people, "Max", "Fry", phones=[Phone("+12025550102")]) == id
    again = people.post(ENRICH, {"ids": [id]}, **{"idempotency-key": "k"})
    assert again.json()["results"][0]["phones"] == []
    paid = people.post(ENRICH, {"ids": [id]}).json()
    assert paid["results"][0]["phones"] != []
    assert paid["billing"]["creditsCharged"] == 5


def test_refused_calls_do_not_occupy_their_idempotency_key(people, ids):
    poor = people.with_account(credits=0)
    assert poor.post(ENRICH, {"ids": [ids["jane"]]}, **{"idempotency-key": "k"}).status_code == 402
    poor.accounts.grant(poor.account, 10)
    assert poor.post(ENRICH, {"ids": [ids["jane"]]}, **{"idempotency-key": "k"}).status_code == 200


def test_billing_adds_up_to_the_ledger(people, ids):
    charged = [
        people.post(path, body).json()["billing"]["creditsCharged"]
        for path, body in (
            (ENRICH, {"ids": [ids["jane"]], "reveal": ["emails"]}),
            (ENRICH, {"ids": [ids["jane"], ids["bob"]]}),
            (BOTH, {"contacts": [{"email": "bob@acme.example"}]}),
            (
                "/v3/companies/search-and-enrich",
                {"companies": [{"name": "Acme"}], "reveal": ["openJobsTotal"]},
            ),
        )
    ]
    assert charged == [1, 6, 0, 2]
    account = people.accounts.find(people.account).id
    rows = people.database.session().raw.execute(
        f"SELECT sum(credits) FROM ledger WHERE kind = 'charge' AND account_id = {account}"
    )
    assert abs(rows.fetchone()[0]) == sum(charged)
