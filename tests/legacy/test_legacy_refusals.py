"""Bad input to legacy calls: each its status, in the body of its generation, with the path."""

import pytest
from legacy_records import ANY_REQUEST

pytestmark = pytest.mark.any_database

ANN = {"contactId": "1", "email": "ann@acme.example.com"}
ACME = {"id": "1", "domain": "acme.example.com"}
PERSON, COMPANY = "/v2/person", "/v2/company"
SEARCH, ENRICH = "/prospecting/contact/search", "/prospecting/contact/enrich"
RECOMMEND = "/api/recommendations/contacts"


@pytest.fixture
def caller(shared_service):
    """Return a new account of the module's application."""
    return shared_service.with_account()


def included(**filters):
    return {"filters": {"contacts": {"include": filters}}}


REFUSED = {
    "a person without an identifier": (PERSON, {"contacts": [{"contactId": "1"}]}, "contacts.0 must have"),
    "a name without companies": (
        PERSON,
        {"contacts": [{"contactId": "1", "fullName": "Ann Archer"}]},
        "contacts.0 must have",
    ),
    "a malformed e-mail": (
        PERSON,
        {"contacts": [ANN, {"contactId": "2", "email": "nope"}]},
        "contacts.1.email",
    ),
    "a malformed LinkedIn URL": (
        PERSON,
        {"contacts": [{"contactId": "1", "linkedinUrl": "https://example.com"}]},
        "contacts.0.linkedinUrl",
    ),
    "a malformed id": (PERSON, {"contacts": [{"contactId": "1", "personId": "x"}]}, "contacts.0.personId"),
    "an employer without an identifier": (
        PERSON,
        {"contacts": [{"contactId": "1", "fullName": "A B", "companies": [{"isCurrent": True}]}]},
        "contacts.0.companies.0 must have name or domain",
    ),
    "one key for two people": (
        PERSON,
        {"contacts": [ANN, {"contactId": "1", "email": "bo@plain.example.org"}]},
        "contacts.1.contactId must not be the key of another item too",
    ),
    "101 people": (
        PERSON,
        {"contacts": [ANN | {"contactId": str(n)} for n in range(101)]},
        "contacts must have",
    ),
    "no people": (PERSON, {"contacts": []}, "contacts must have"),
    "an unknown property": (
        PERSON,
        {"contacts": [ANN | {"firstName": "A"}]},
        "contacts.0.property firstName",
    ),
    "an unknown metadata": (PERSON, {"contacts": [ANN], "metadata": {"x": 1}}, "metadata.property x"),
    "an unknown filterBy": (PERSON, {"contacts": [ANN], "metadata": {"filterBy": "x"}}, "metadata.filterBy"),
    "unknown signals": (PERSON, {"contacts": [ANN], "metadata": {"signals": ["x"]}}, "metadata.signals.0"),
    "a future start": (
        PERSON,
        {"contacts": [ANN], "metadata": {"signals": ["promotion"], "signalsStartDate": "2999-01-01"}},
        "metadata.signalsStartDate",
    ),
    "a start that is no date, without signals": (
        PERSON,
        {"contacts": [ANN], "metadata": {"signalsStartDate": "soon"}},
        "metadata.signalsStartDate",
    ),
    "a future start for companies, without signals": (
        COMPANY,
        {"companies": [ACME], "signalsStartDate": "2999-01-01"},
        "signalsStartDate",
    ),
    "unknown news without signals": (
        COMPANY,
        {"companies": [ACME], "signalsFilters": {"newsEventTypes": ["x"]}},
        "signalsFilters.newsEventTypes.0",
    ),
    "a company without an identifier": (COMPANY, {"companies": [{"id": "1"}]}, "companies.0 must have"),
    "a malformed fqdn": (COMPANY, {"companies": [{"id": "1", "fqdn": "no domain"}]}, "companies.0.fqdn"),
    "a domain under two names": (
        COMPANY,
        {"companies": [ACME | {"fqdn": "acme.example.com"}]},
        "companies.0.fqdn must not be given twice: it is also in companies.0.domain",
    ),
    "an employer's domain under two names": (
        PERSON,
        {
            "contacts": [
                {
                    "contactId": "1",
                    "fullName": "A B",
                    "companies": [{"domain": "a.example", "fqdn": "a.example"}],
                }
            ]
        },
        "contacts.0.companies.0.fqdn must not be given twice",
    ),
    "a malformed fqdn of an employer": (
        PERSON,
        {"contacts": [{"contactId": "1", "fullName": "A B", "companies": [{"fqdn": "no domain"}]}]},
        "contacts.0.companies.0.fqdn must be a domain",
    ),
    "one key for two companies": (
        COMPANY,
        {"companies": [ACME, {"id": "1", "name": "Plain"}]},
        "companies.1.id must not be the key of another item too",
    ),
    "a state without a country": (
        COMPANY,
        {"companies": [ACME], "signalsFilters": {"hiringByLocations": [{"state": "CA"}]}},
        "signalsFilters.hiringByLocations.0",
    ),
    "a state without a country in include": (
        COMPANY,
        {"companies": [ACME], "signalsFilters": {"include": {"hiringByLocations": [{"state": "CA"}]}}},
        "signalsFilters.include.hiringByLocations.0",
    ),
    "unknown news": (
        COMPANY,
        {
            "companies": [ACME],
            "signals": ["riskNews"],
            "signalsFilters": {"include": {"newsEventTypes": ["x"]}},
        },
        "signalsFilters.include.newsEventTypes.0",
    ),
    "posts": (COMPANY, {"companies": [ACME], "signals": ["linkedinActivityIntent"]}, "signals.0"),
    "a size below 10": (SEARCH, included(names=["A"]) | {"pages": {"size": 9}}, "pages.size"),
    "a size above 100": (SEARCH, included(names=["A"]) | {"pages": {"size": 101}}, "pages.size"),
    "no filter": (SEARCH, {"filters": {"contacts": {"include": {}}}}, "filters must have"),
    "an unknown filter": (SEARCH, included(titles=["A"]), "filters.contacts.include.property titles"),
    "an unknown department": (SEARCH, included(departments=["x"]), "filters.contacts.include.departments.0"),
    "an unknown seniority": (SEARCH, included(seniority=[77]), "filters.contacts.include.seniority.0"),
    "an unknown signal": (
        SEARCH,
        included(signals={"names": ["x"]}),
        "filters.contacts.include.signals.names.0",
    ),
    "a signal of the current generation": (
        SEARCH,
        {
            "filters": {
                "companies": {"include": {"signals": {"names": ["riskNews", "LinkedinActivityIntent"]}}}
            }
        },
        "filters.companies.include.signals.names.1 must be a type of this generation",
    ),
    "a filter under two names": (
        SEARCH,
        included(existing_data_points=["phone"], existingDataPoints=["phone"]),
        "filters.contacts.include.existingDataPoints must not be given twice",
    ),
    "a requestId that is no UUID": (ENRICH, {"requestId": "x", "contactIds": ["1"]}, "requestId"),
    "no requestId": (ENRICH, {"contactIds": ["1"]}, "requestId"),
    "101 contact ids": (
        ENRICH,
        {"requestId": ANY_REQUEST, "contactIds": ["1"] * 101},
        "contactIds must have",
    ),
    "a recommendation without seeds": (RECOMMEND, {"contacts": []}, "contacts must have"),
    "a malformed seed": (RECOMMEND, {"contacts": [{"personId": "x", "companyId": 1}]}, "contacts.0.personId"),
    "a malformed session": (
        RECOMMEND,
        {"contacts": [{"personId": 1, "companyId": 1}], "requestId": "x"},
        "requestId",
    ),
    "a limit below 5": (RECOMMEND, {"contacts": [{"personId": 1, "companyId": 1}], "limit": 4}, "limit"),
    "a limit above 25": (RECOMMEND, {"contacts": [{"personId": 1, "companyId": 1}], "limit": 26}, "limit"),
}


@pytest.mark.parametrize(("path", "body", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_body_is_400_with_its_path(caller, path, body, message):
    answer = caller.post(path, body)
    assert answer.status_code == 400, answer.text
    problem = answer.json()
    assert problem["message"].startswith(message), problem
    assert problem["statusCode"] == 400
    if path == RECOMMEND:
        assert problem["error"] == {"code": "BAD_REQUEST", "message": problem["message"]}
    else:
        assert "error" not in problem


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/v2/person", "must have personId, email, linkedinUrl, or firstName (and lastName)"),
        ("/v2/person?firstName=Ann&lastName=Archer", "must have personId"),
        ("/v2/person?email=nope", "email must be an email"),
        ("/v2/person?personId=x", "personId must be a record id"),
        ("/v2/person?email=a@b.example&mail=x", "property mail should not exist"),
        ("/v2/person?email=a@b.example&revealEmails=1", "revealEmails"),
        ("/v2/person?firstName=A&lastName=B&companyDomain=no+domain", "companyDomain must be a domain"),
        ("/v2/person?firstName=A&lastName=B&company=C&companyName=D", "company must not be given twice"),
        ("/v2/person?email=a@b.example&signals=x", "signals.0"),
        ("/v2/person?email=a@b.example&signals=promotion&signalsStartDate=x", "signalsStartDate"),
        ("/v2/company", "must have companyId, domain or company"),
        ("/v2/company?name=Acme", "property name should not exist"),
        ("/v2/company?domain=no+domain", "domain must be a domain"),
        ("/company?domain=acme.example.com&api_key=x", "property api_key should not exist"),
    ],
)
def test_a_bad_query_is_400_with_the_name_of_the_parameter(caller, path, message):
    answer = caller.get(path)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message), answer.text


def test_a_full_name_without_two_names_is_412_next_to_companies_and_else_passed_over(caller):
    item = {"contactId": "1", "fullName": "Ann", "companies": [{"name": "Acme", "isCurrent": True}]}
    refused = caller.post(PERSON, {"contacts": [item]})
    assert refused.status_code == 412
    assert refused.json()["message"].startswith("contacts.0.fullName")
    known = caller.post(PERSON, {"contacts": [item | {"email": "ann@acme.example.com"}]})
    assert known.status_code == 200


@pytest.mark.parametrize("path", ["/v2/person", "/company", "/prospecting/filters/contacts/departments"])
def test_a_key_in_the_query_is_no_key_and_the_refusal_names_the_header(caller, path):
    answer = caller.client.get(f"{path}?api_key={caller.key}")
    assert answer.status_code == 401
    assert "api_key" in answer.json()["message"]


def test_recommendations_have_both_bodies_at_the_door_too(caller):
    for answer in (
        caller.client.post(RECOMMEND, json={}),
        caller.client.get(RECOMMEND, headers={"api_key": caller.key}),
    ):
        problem = answer.json()
        assert problem["statusCode"] == answer.status_code
        assert problem["error"]["message"] == problem["message"]
    assert caller.client.post(RECOMMEND, json={}).json()["error"]["code"] == "UNAUTHORIZED"


def test_flags_without_unified_credits_are_403_naming_both(make_service, tmp_path):
    (tmp_path / "plans.toml").write_text("[features]\nunifiedCredits = false\n")
    service = make_service(plans_file=str(tmp_path / "plans.toml"))
    answers = [
        service.get("/v2/person?email=ann@acme.example.com&revealEmails=true"),
        service.post(PERSON, {"contacts": [ANN], "revealPhones": True}),
        service.post(PERSON, {"contacts": [ANN], "metadata": {"revealEmails": True}}),
        service.post(ENRICH, {"requestId": ANY_REQUEST, "contactIds": ["1"], "revealEmails": True}),
    ]
    for answer in answers:
        assert answer.status_code == 403
        assert answer.json()["errors"] == ["revealEmails", "revealPhones"]
    assert service.post(PERSON, {"contacts": [ANN], "revealPhones": False}).status_code == 200


def test_plans_without_signals_or_the_exclusion_of_numbers_refuse_them(make_service, tmp_path):
    (tmp_path / "plans.toml").write_text("[features]\nsignals = false\nexcludeDnc = false\n")
    service = make_service(plans_file=str(tmp_path / "plans.toml"))
    answers = [
        service.get("/v2/person?email=ann@acme.example.com&signals=promotion"),
        service.post(COMPANY, {"companies": [ACME], "signals": ["riskNews"]}),
        service.post(SEARCH, included(signals={"names": ["promotion"]})),
        service.post(SEARCH, included(names=["A"]) | {"excludeDnc": True}),
    ]
    assert [answer.status_code for answer in answers] == [403] * 4
