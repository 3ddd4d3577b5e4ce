"""Refusals of lookalike calls."""

from uuid import uuid4

import pytest

from firmograph.lookalikes.index.factory import ServedSimilarity
from lookalike_fixtures import COMPANY_SEEDS, PEOPLE_SEEDS, lookalikes, served

pytestmark = pytest.mark.any_database

CONTACTS, COMPANIES = "/v3/contacts/lookalike", "/v3/companies/lookalike"
PATHS = (CONTACTS, COMPANIES, "/v3/lookalike/contacts", "/v3/lookalike/companies")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("refusals")) as service:
        yield service


def seeds_of(path):
    return COMPANY_SEEDS if "companies" in path else PEOPLE_SEEDS


def domains(count):
    return [f"host{number}.example.com" for number in range(count)]


def emails(count):
    return [f"{number}@example.com" for number in range(count)]


def named(**fields):
    return {"contacts": [{"firstName": "Ann", "lastName": "Archer", **fields}]}


FEW = "seeds must have 5 to 100 different identifiers in all; these are "
MANY = "exclude must have at most 500 different identifiers in all; these are 501"
REFUSED = [
    # seeds: number of different identifiers in all lists
    (CONTACTS, {"seeds": {"emails": emails(4)}}, f"{FEW}4"),
    (CONTACTS, {"seeds": {"emails": [*emails(4), "0@EXAMPLE.com "]}}, f"{FEW}4"),
    (CONTACTS, {"seeds": {"ids": [1, 2, "1"], "contactIds": [2, "0001", 3]}}, f"{FEW}3"),
    (CONTACTS, {"seeds": {"emails": emails(100), "ids": [1]}}, f"{FEW}101"),
    (CONTACTS, {"seeds": {"emails": emails(101)}}, "seeds.emails must have at most 100 elements"),
    (COMPANIES, {"seeds": {"domains": [*domains(4), "https://HOST0.example.com/about"]}}, f"{FEW}4"),
    (
        COMPANIES,
        {"seeds": {"domains": domains(100), "linkedinUrls": ["linkedin.com/company/a"]}},
        f"{FEW}101",
    ),
    # seeds: empty
    (CONTACTS, {}, "seeds is required"),
    (CONTACTS, {"seeds": None}, "seeds is required"),
    (CONTACTS, {"seeds": {}}, f"{FEW}0"),
    (CONTACTS, {"seeds": {"emails": [], "ids": None}}, f"{FEW}0"),
    (CONTACTS, {"seeds": []}, "seeds must be an object"),
    # seeds: malformed
    (CONTACTS, {"seeds": {"emails": ["nobody"]}}, "seeds.emails.0 must be an email"),
    (
        CONTACTS,
        {"seeds": {"linkedinUrls": ["linkedin.com/company/a"]}},
        "seeds.linkedinUrls.0 must be the URL",
    ),
    (CONTACTS, {"seeds": {"contactIds": [1, "one"]}}, "seeds.contactIds.1 must be a record id"),
    (CONTACTS, {"seeds": {"contactIds": [-1]}}, "seeds.contactIds.0 must be at least 0"),
    (CONTACTS, {"seeds": {"ids": [1.5]}}, "seeds.ids.0 must be an integer or a string"),
    (CONTACTS, {"seeds": named()}, "seeds.contacts.0 must have companyDomain or companyName"),
    (CONTACTS, {"seeds": named(companyDomain="?")}, "seeds.contacts.0.companyDomain must be a domain"),
    (CONTACTS, {"seeds": named(email="a@b.de")}, "seeds.contacts.0.property email should not exist"),
    (CONTACTS, {"seeds": {"domains": domains(5)}}, "seeds.property domains should not exist"),
    (COMPANIES, {"seeds": {"domains": ["none"]}}, "seeds.domains.0 must be a domain"),
    (COMPANIES, {"seeds": {"linkedinUrls": ["acme"]}}, "seeds.linkedinUrls.0 must be the LinkedIn URL"),
    (COMPANIES, {"seeds": {"ids": ["v0.x"]}}, "seeds.ids.0 must be a record id"),
    # seeds: none found
    (CONTACTS, {"seeds": {"emails": emails(5)}}, "seeds must name at least one known record"),
    (COMPANIES, {"seeds": {"ids": [1, 2, 3, 4, 5]}}, "seeds must name at least one known record"),
    # exclusions
    (CONTACTS, {"exclude": {"emails": emails(500), "ids": [1]}}, MANY),
    (COMPANIES, {"exclude": {"domains": domains(500), "ids": [1]}}, MANY),
    (COMPANIES, {"exclude": {"domains": domains(501)}}, "exclude.domains must have at most 500 elements"),
    (CONTACTS, {"exclude": {"emails": ["nobody"]}}, "exclude.emails.0 must be an email"),
    # the rest
    (CONTACTS, {"limit": 0}, "limit must be at least 1"),
    (COMPANIES, {"limit": 101}, "limit must be at most 100"),
    (CONTACTS, {"dedupeSessionId": "1234"}, "dedupeSessionId must be a UUID"),
    (CONTACTS, {"dedupeSessionId": f"{uuid4()}\n"}, "dedupeSessionId must"),
]


@pytest.mark.parametrize(("path", "body", "message"), REFUSED)
def test_a_bad_request_is_refused_with_its_path(service, path, body, message):
    body = body if "seeds" in message or "seeds" in body else {"seeds": seeds_of(path), **body}
    for each in (path, path.replace("/lookalike", "").replace("/v3", "/v3/lookalike")):
        answer = service.post(each, body)
        assert (answer.status_code, answer.json()["message"][: len(message)]) == (400, message)
        assert answer.json()["errors"][0] == answer.json()["message"]


def test_the_most_seeds_and_exclusions_are_accepted(service):
    body = {
        "seeds": {"emails": [*PEOPLE_SEEDS["emails"], *emails(94)], "ids": [1, "01"]},
        "exclude": {"emails": emails(500)},
        "limit": 100,
    }
    assert lookalikes(service, "contacts", body)["meta"] == {
        "seedsUsed": 5,
        "seedsUnknown": 95,
        "returned": 35,
        "hasMore": False,
    }


@pytest.mark.parametrize("path", PATHS)
def test_an_unknown_session_is_410(service, path):
    body = {"seeds": seeds_of(path), "dedupeSessionId": str(uuid4())}
    answer = service.post(path, body)
    assert (answer.status_code, answer.json()) == (
        410,
        {
            "statusCode": 410,
            "message": "The dedupeSessionId is unknown or has expired; leave it out to begin a new session",
            "code": "DEDUPE_SESSION_INVALID",
        },
    )


def test_a_plan_without_lookalikes_is_403_before_the_body_is_read(tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nlookalikes = false\n")
    with served(tmp_path, plans_file=str(plans)) as service:
        for path in PATHS:
            answer = service.post(path, b"{")
            assert (answer.status_code, answer.json()["errors"]) == (403, ["lookalikes"])


def test_where_lookalikes_are_switched_off_they_are_403_and_there_is_no_index(tmp_path):
    with served(tmp_path, lookalikes=False) as service:
        for path in PATHS:
            answer = service.post(path, {"seeds": seeds_of(path)})
            assert (answer.status_code, answer.json()["errors"]) == (403, ["FIRMOGRAPH_LOOKALIKES"])
        assert "similarity" not in [each.name for each in service.installation.indexes]
        assert service.get("/health").json()["similarity"]["state"] == "off"
        assert "firmograph_similarity" not in service.get("/metrics").text


@pytest.mark.parametrize("path", PATHS)
def test_while_the_index_is_prepared_a_call_is_503_with_retry_after(service, path):
    active = service.installation.get(ServedSimilarity).active
    index = active.current
    active.withdraw()
    try:
        answer = service.post(path, {"seeds": seeds_of(path)})
        assert service.get("/health").json()["similarity"]["state"] == "loading"
    finally:
        active.serve(index)
    assert (answer.status_code, "similarity" in answer.json()["message"]) == (503, True)
    assert int(answer.headers["retry-after"]) > 0
