"""Lookalike calls over HTTP: seeds, answers, sessions, charges and replays."""

import threading
from itertools import count

import pytest

from firmograph.lookalikes import sessions
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from lookalike_fixtures import (
    COMPANIES,
    COMPANY_SEEDS,
    PEOPLE,
    PEOPLE_SEEDS,
    ids,
    load,
    lookalikes,
    served,
    wait,
)
from record_factory import KEYRING, contact, load_contacts

pytestmark = pytest.mark.any_database

RECORD_IDS = RecordIds(KEYRING)
SEEDS = {"seedsUsed": 5, "seedsUnknown": 0}
"""The counts of the directory's seeds."""
_names = map("Account {}".format, count())


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("lookalikes")) as service:
        yield service


@pytest.fixture
def key(service):
    """Return the key of an account of this test."""
    return service.new_key(next(_names), credits=1_000)


@pytest.fixture
def own(database, make_service):
    """Return the service for one test."""
    load(database)
    service = make_service()
    wait(service)
    return service


def used(service, key):
    return service.get("/v3/account/usage", key=key).json()["credits"]["used"]


def walk(service, kind, key, **body):
    """Return the answers of a whole session."""
    answers = [lookalikes(service, kind, body, key=key)]
    while answers[-1]["meta"]["hasMore"]:
        session = {"dedupeSessionId": answers[0]["dedupeSessionId"]}
        answers.append(lookalikes(service, kind, body | session, key=key))
    return answers


def test_a_contact_has_the_keys_of_both_generations(service):
    answer = lookalikes(service, "contacts", {"limit": 1})
    (result,) = answer["results"]
    employer = result["company"]
    number = int(result["socialLinks"]["linkedin"].rpartition("-")[2])
    assert result == {
        "id": RECORD_IDS.seal(Entity.CONTACT, number + 1),
        "contactId": result["id"],
        "firstName": result["firstName"],
        "lastName": result["lastName"],
        "socialLinks": {"linkedin": f"https://www.linkedin.com/in/person-{number}"},
        "company": {
            "id": employer["id"],
            "companyId": employer["id"],
            "name": f"Company {number % COMPANIES}",
            "domain": f"company{number % COMPANIES}.example.com",
        },
        "jobTitle": {"title": "Head of Sales", "departments": ["Sales"], "seniority": "Director"},
        "location": {"country": "Germany", "state": "Berlin", "city": "Berlin"},
    }
    assert answer["meta"] == SEEDS | {"returned": 1, "hasMore": True}
    assert answer["billing"] == {"creditsCharged": 1, "resultsReturned": 1}


def test_a_company_has_the_keys_of_both_generations(service):
    answer = lookalikes(service, "companies", {"limit": 100})
    by_domain = {result["domain"]: result for result in answer["results"]}
    assert len(by_domain) == COMPANIES - 5
    assert answer["meta"] == SEEDS | {"returned": COMPANIES - 5, "hasMore": False}
    for number in (7, 8):
        result = by_domain[f"company{number}.example.com"]
        assert result == {
            "id": result["id"],
            "companyId": result["id"],
            "name": f"Company {number}",
            "domain": f"company{number}.example.com",
            "linkedinUrl": f"https://www.linkedin.com/company/company-{number}",
            "socialLinks": {"linkedin": f"https://www.linkedin.com/company/company-{number}"},
            "employeeCount": {"exact": 120, "min": 51, "max": 200}
            if number == 7
            else {"min": 51, "max": 200},
            "industry": "Manufacturing",
            "location": {"country": "Germany", "state": "Berlin", "city": "Berlin"},
        }


def test_the_earlier_paths_answer_the_same_with_figures_as_numbers(service):
    for kind, seeds in (("contacts", PEOPLE_SEEDS), ("companies", COMPANY_SEEDS)):
        current = lookalikes(service, kind, {"limit": 6})
        earlier = service.post(f"/v3/lookalike/{kind}", {"seeds": seeds, "limit": 6}).json()
        assert (earlier["creditsCharged"], earlier["billing"], earlier["meta"]) == (
            2,
            current["billing"],
            current["meta"],
        )
        assert ids(earlier) == ids(current)
        for now, before in zip(current["results"], earlier["results"], strict=True):
            figures = now.pop("employeeCount", None)
            assert before.pop("employeeCount", None) == (figures and figures.get("exact", figures["min"]))
            assert now == before
    session = {"dedupeSessionId": earlier["dedupeSessionId"]}
    assert not set(ids(lookalikes(service, "companies", session))) & set(ids(earlier))


def test_seeds_and_exclusions_of_every_kind_are_no_results(service):
    tokens = [RECORD_IDS.seal(Entity.CONTACT, number) for number in range(1, PEOPLE + 1)]
    legacy = [RECORD_IDS.legacy(Entity.CONTACT, number) for number in range(1, PEOPLE + 1)]

    def named(name, **company):
        return {"firstName": name, "lastName": "Baker", **company}

    body = {
        "seeds": {
            "ids": [tokens[0], legacy[1]],
            "contactIds": [legacy[2], str(legacy[3]), tokens[4]],
            "emails": ["PERSON5@people.example.com"],
            "linkedinUrls": ["linkedin.com/in/person-6/"],
            "contacts": [named("Ann", companyDomain="https://www.company8.example.com")],
        },
        "exclude": {
            "ids": [tokens[10], legacy[11]],
            "contactIds": [legacy[12], str(legacy[13]), tokens[14]],
            "emails": ["person15@people.example.com"],
            "linkedinUrls": ["https://de.linkedin.com/in/person-16"],
            "contacts": [named("Ben", companyName="Company 9")],
        },
        "limit": 100,
    }
    left = {*tokens[7:8], *tokens[17:]}
    assert set(ids(lookalikes(service, "contacts", body))) == left


def test_companies_are_excluded_by_id_domain_and_linkedin_url(service):
    tokens = [RECORD_IDS.seal(Entity.COMPANY, number) for number in range(1, COMPANIES + 1)]
    body = {
        "seeds": {
            "ids": [tokens[0], RECORD_IDS.legacy(Entity.COMPANY, 2)],
            "domains": ["company2.example.com", "https://www.company3.example.com/about"],
            "linkedinUrls": ["linkedin.com/company/company-4"],
        },
        "exclude": {
            "ids": [str(RECORD_IDS.legacy(Entity.COMPANY, 6))],
            "domains": ["company6.example.com"],
            "linkedinUrls": ["linkedin.com/company/company-7"],
        },
        "limit": 100,
    }
    assert set(ids(lookalikes(service, "companies", body))) == set(tokens[8:])


@pytest.mark.parametrize(
    ("more", "used", "unknown"),
    [
        ({"emails": ["nobody@people.example.com"]}, 5, 1),
        ({"ids": [7, "7", 8]}, 5, 2),
        ({"linkedinUrls": ["https://www.linkedin.com/in/person-0"]}, 6, 0),
        ({"contacts": [{"firstName": "No", "lastName": "One", "companyName": "Company 1"}]}, 5, 1),
        ({"contacts": [{"firstName": "Ann", "companyName": "Company 0"}]}, 5, 1),
        ({"contacts": [{"firstName": "Ann", "lastName": " ", "companyName": "Company 0"}]}, 5, 1),
        ({"contacts": [{"firstName": "Ann", "lastName": "Archer", "companyName": "Company 0"}]}, 6, 0),
        ({"ids": [RECORD_IDS.seal(Entity.CONTACT, 9), RECORD_IDS.legacy(Entity.CONTACT, 9)]}, 6, 0),
        ({"ids": [RECORD_IDS.seal(Entity.COMPANY, 9)]}, 5, 1),
    ],
)
def test_seeds_are_counted_by_whether_they_name_a_contact(service, more, used, unknown):
    seeds = {**PEOPLE_SEEDS, **more}
    seeds["emails"] = PEOPLE_SEEDS["emails"] + more.get("emails", [])
    for path in ("/v3/contacts/lookalike", "/v3/lookalike/contacts"):
        meta = service.post(path, {"seeds": seeds, "limit": 5}).json()["meta"]
        assert (meta["seedsUsed"], meta["seedsUnknown"]) == (used, unknown)


@pytest.mark.parametrize(
    ("domain", "used", "unknown"),
    [
        ("company9.example.com", 6, 0),
        ("www.company9.example.com", 6, 0),
        ("nobody.example.net", 5, 1),
        ("https://github.com/company9", 5, 1),
    ],
)
def test_seeds_are_counted_by_whether_they_name_a_company(service, domain, used, unknown):
    seeds = {"domains": [*COMPANY_SEEDS["domains"], domain]}
    meta = lookalikes(service, "companies", {"seeds": seeds, "limit": 5})["meta"]
    assert (meta["seedsUsed"], meta["seedsUnknown"]) == (used, unknown)


def test_a_suppressed_seed_is_unknown_and_a_replay_counts_as_the_first_answer(own, keyring):
    body = {"seeds": PEOPLE_SEEDS, "limit": 5}
    first = lookalikes(own, "contacts", body, **{"idempotency-key": "k"})
    suppression = make_suppression(own.database, keyring, own.clock)
    suppression.suppress(suppression.person(email=PEOPLE_SEEDS["emails"][0]))
    again = lookalikes(own, "contacts", body, **{"idempotency-key": "k"})
    assert first["meta"] == again["meta"] == SEEDS | {"returned": 5, "hasMore": True}
    wait(own)
    now = lookalikes(own, "contacts", body)["meta"]
    assert (now["seedsUsed"], now["seedsUnknown"]) == (4, 1)


def test_a_session_returns_everybody_once_and_has_more_until_the_last_call(service, key):
    answers = walk(service, "contacts", key, limit=9)
    assert [answer["meta"]["returned"] for answer in answers] == [9, 9, 9, 8]
    assert len({id for answer in answers for id in ids(answer)}) == PEOPLE - 5
    assert {answer["dedupeSessionId"] for answer in answers} == {answers[0]["dedupeSessionId"]}
    assert [answer["billing"]["creditsCharged"] for answer in answers] == [2, 2, 2, 2]
    assert used(service, key) == 8
    end = lookalikes(service, "contacts", {"dedupeSessionId": answers[0]["dedupeSessionId"]}, key=key)
    assert (end["results"], end["meta"]) == ([], SEEDS | {"returned": 0, "hasMore": False})
    assert (end["dedupeSessionId"], end["billing"]["creditsCharged"]) == (answers[0]["dedupeSessionId"], 0)


def test_a_full_session_gives_no_more(service, key, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_RESULTS", 12)
    answers = walk(service, "contacts", key, limit=9)
    assert [answer["meta"]["returned"] for answer in answers] == [9, 3]
    end = lookalikes(service, "contacts", {"dedupeSessionId": answers[0]["dedupeSessionId"]}, key=key)
    assert (end["meta"], end["billing"]["creditsCharged"]) == (SEEDS | {"returned": 0, "hasMore": False}, 0)


def test_other_seeds_may_follow_in_a_session(service, key):
    first = lookalikes(service, "companies", {"limit": 20}, key=key)
    others = {"domains": [f"company{number}.example.com" for number in range(25, 30)]}
    session = {"dedupeSessionId": first["dedupeSessionId"]}
    second = lookalikes(service, "companies", {"seeds": others, "limit": 20} | session, key=key)
    tokens = [RECORD_IDS.seal(Entity.COMPANY, number) for number in range(1, COMPANIES + 1)]
    assert set(ids(second)) == {*tokens[:25]} - set(ids(first))


def test_nothing_found_without_a_session_makes_none(service, key):
    everybody = [f"person{number}@people.example.com" for number in range(PEOPLE)]
    answer = lookalikes(service, "contacts", {"exclude": {"emails": everybody}}, key=key)
    assert (answer["results"], answer["dedupeSessionId"]) == ([], None)
    assert (answer["meta"], used(service, key)) == (SEEDS | {"returned": 0, "hasMore": False}, 0)


def test_a_session_is_of_one_account_and_one_kind(service, key):
    session = {"dedupeSessionId": lookalikes(service, "contacts", {"limit": 5}, key=key)["dedupeSessionId"]}
    stranger = service.new_key(next(_names), credits=10)
    for kind, seeds, each in (
        ("contacts", PEOPLE_SEEDS, stranger),
        ("companies", COMPANY_SEEDS, key),
    ):
        refused = service.post(f"/v3/{kind}/lookalike", {"seeds": seeds} | session, key=each)
        assert (refused.status_code, refused.json()["code"]) == (410, "DEDUPE_SESSION_INVALID")
    assert used(service, stranger) == 0
    assert lookalikes(service, "contacts", session, key=key)["meta"]["returned"] == 25


def test_too_few_credits_are_402_and_neither_make_nor_move_a_session(service):
    name = next(_names)
    poor = service.new_key(name, credits=1)
    seeds = {"seeds": PEOPLE_SEEDS}
    assert service.post("/v3/contacts/lookalike", {**seeds, "limit": 6}, key=poor).status_code == 402
    first = lookalikes(service, "contacts", {"limit": 5}, key=poor)
    session = {"dedupeSessionId": first["dedupeSessionId"]}
    refused = service.post("/v3/contacts/lookalike", seeds | session, key=poor)
    assert (refused.status_code, "results" in refused.json()) == (402, False)
    service.accounts.grant(name, 10)
    second = lookalikes(service, "contacts", {"limit": 100} | session, key=poor)
    assert len(ids(first) + ids(second)) == PEOPLE - 5
    assert used(service, poor) == 1 + 6


def test_a_replay_answers_its_own_session_for_free(service, key):
    headers = {"key": key, "idempotency-key": "k"}
    first = lookalikes(service, "contacts", {"limit": 7}, **headers)
    session = {"dedupeSessionId": first["dedupeSessionId"]}
    second = lookalikes(service, "contacts", {"limit": 7} | session, key=key, **{"idempotency-key": "s"})
    for _ in range(2):
        assert lookalikes(service, "contacts", {"limit": 7}, **headers) == first
        again = lookalikes(service, "contacts", {"limit": 7} | session, key=key, **{"idempotency-key": "s"})
        assert again == second
    assert used(service, key) == 4
    third = lookalikes(service, "contacts", {"limit": 100} | session, key=key)
    assert len(third["results"]) == PEOPLE - 5 - 14
    changed = {"seeds": PEOPLE_SEEDS, "limit": 8}
    assert service.post("/v3/contacts/lookalike", changed, **headers).status_code == 409


def test_calls_side_by_side_share_no_result(service, key):
    first = lookalikes(service, "contacts", {"limit": 1}, key=key)
    body = {"limit": 5, "dedupeSessionId": first["dedupeSessionId"]}
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(lookalikes(service, "contacts", body, key=key)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shown = [id for answer in [first, *answers] for id in ids(answer)]
    assert len(shown) == len(set(shown)) == PEOPLE - 5
    assert sorted(answer["meta"]["returned"] for answer in answers) == [0, 4, *[5] * 6]
    assert used(service, key) == 1 + 7


def test_a_suppressed_person_is_in_no_answer_at_the_next_request(own, keyring):
    first = lookalikes(own, "contacts", {"limit": 5}, **{"idempotency-key": "k"})
    shown, waiting = ids(first)[2], "person30@people.example.com"
    suppression = make_suppression(own.database, keyring, own.clock)
    address = next(
        f"person{each['socialLinks']['linkedin'].rpartition('-')[2]}@people.example.com"
        for each in first["results"]
        if each["id"] == shown
    )
    for email in (address, waiting, PEOPLE_SEEDS["emails"][0]):
        suppression.suppress(suppression.person(email=email))
    assert ids(lookalikes(own, "contacts", {"limit": 5}, **{"idempotency-key": "k"})) == [
        id for id in ids(first) if id != shown
    ]
    # the seed is passed over, and would be a result of other seeds
    left = lookalikes(own, "contacts", {"limit": 100})
    assert len(left["results"]) == PEOPLE - 5 - 2
    others = {"emails": [f"person{number}@people.example.com" for number in range(20, 25)]}
    left = lookalikes(own, "contacts", {"seeds": others, "limit": 100})
    assert len(left["results"]) == PEOPLE - 5 - 3


def test_a_person_suppressed_after_the_index_was_asked_is_replaced(own, keyring, monkeypatch):
    suppression = make_suppression(own.database, keyring, own.clock)
    index = own.installation.get(ServedSimilarity).active.current
    similar, asked = type(index).similar, []

    def similar_and_suppress(self, *arguments):
        found = similar(self, *arguments)
        asked.append([one.number for one in found])
        if len(asked) == 1:
            suppression.suppress(suppression.person(email=f"person{found[0].number - 1}@people.example.com"))
        return found

    monkeypatch.setattr(type(index), "similar", similar_and_suppress)
    answer = lookalikes(own, "contacts", {"limit": 5})
    assert ids(answer) == [RECORD_IDS.seal(Entity.CONTACT, number) for number in asked[1][:5]]
    assert asked[0][0] not in asked[1]
    assert (len(asked), answer["meta"]) == (2, SEEDS | {"returned": 5, "hasMore": True})


def test_an_address_of_several_people_is_no_seed_and_leaves_out_all_of_them(own):
    shared = ["person38@people.example.com", "office@people.example.com"]
    load_contacts(own.database, "shared", [("s", contact("Zoe", "Zeller", emails=shared))])
    wait(own)
    seeds = {"emails": [*PEOPLE_SEEDS["emails"], shared[0]]}
    answer = lookalikes(own, "contacts", {"seeds": seeds, "limit": 100})
    assert len(answer["results"]) == PEOPLE + 1 - 5 - 2
    refused = own.post(
        "/v3/contacts/lookalike", {"seeds": {"emails": [shared[0], *map("x{}@x.de".format, range(4))]}}
    )
    assert refused.json()["message"] == "seeds must name at least one known record"
