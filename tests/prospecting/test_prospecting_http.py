from itertools import chain

import msgspec
import pytest
from people_fixtures import companies, contacts, found, load, wait

from firmograph.database.connection import RECORDS
from firmograph.indexing.follower import IndexFollower
from firmograph.prospecting import answers
from firmograph.security.record_ids import Entity, RecordIds
from installation_factory import make_suppression
from record_factory import contact, load_contacts
from statement_counts import record_statements
from stored_records import stored_companies

EVERYONE = contacts({"countries": ["DE", "US", "FR"]})
DIRECTORS = contacts({"seniorityIds": [6]})


def answer_of(service, path, body, **headers):
    answer = service.post(f"/v3/{path}/prospecting", body, **headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def suppress(service, keyring, email):
    suppression = make_suppression(service.database, keyring, service.clock)
    suppression.suppress(suppression.person(email=email))


def test_contacts_are_found_with_an_exact_total(unchanged):
    answer = answer_of(unchanged, "contacts", DIRECTORS)
    assert [result["lastName"] for result in answer["results"]] == ["Archer", "Baker"]
    assert answer["pagination"] == {"page": 0, "size": 25, "total": 2, "totalGuaranteed": True}
    assert answer["billing"] == {"creditsCharged": 0, "resultsReturned": 2}


def test_companies_are_found_by_their_own_filters_and_by_those_of_one_contact(unchanged):
    body = {
        "filters": {
            "companies": {"include": {"names": ["Acme", "Umbrella"]}},
            "contacts": {"include": {"jobTitles": ["engineer"], "locations": [{"state": "New York"}]}},
        }
    }
    answer = answer_of(unchanged, "companies", body)
    assert [result["name"] for result in answer["results"]] == ["Umbrella Labs"]
    assert answer["pagination"]["total"] == 1


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("contacts", EVERYONE, answers.ContactProspectingAnswer),
        ("companies", companies({"technologies": ["Kubernetes"]}), answers.CompanyProspectingAnswer),
    ],
)
def test_answers_conform_to_the_description(unchanged, path, body, kind):
    answer = unchanged.post(f"/v3/{path}/prospecting", body)
    decoded = msgspec.json.decode(answer.content, type=kind, strict=True)
    assert decoded.request_id == answer.headers["x-request-id"]
    assert msgspec.to_builtins(decoded) == answer.json()


@pytest.mark.parametrize("form", ["names", "priced"])
def test_previews_are_those_of_search(database, make_service, form):
    load(database)
    service = make_service(can_reveal=form, lookalikes=False)
    wait(service)
    ann = answer_of(service, "contacts", DIRECTORS)["results"][0]
    revealed = service.post("/v3/contacts/enrich", {"ids": [ann["id"]], "reveal": ["emails"]})
    assert revealed.json()["billing"]["creditsCharged"] == 1
    for path, body in (("contacts", EVERYONE), ("companies", companies({"names": ["Acme", "Umbrella"]}))):
        results = answer_of(service, path, body)["results"]
        searched = service.post(f"/v3/{path}/search", {path: [{"id": one["id"]} for one in results]})
        assert results == searched.json()["results"]
        assert len(results) > 1
    can_reveal = answer_of(service, "contacts", DIRECTORS)["results"][0]["canReveal"]
    priced = [{"field": "emails", "credits": 0}, {"field": "phones", "credits": 5}]
    assert can_reveal == (priced if form == "priced" else ["emails", "phones"])


def test_pages_follow_each_other_without_overlap_or_gap(people):
    company = "Plenty Ltd"
    many = [
        (f"p{n}", contact(f"Pat{n}", f"Plenty{n:02}", emails=[f"p{n}@plenty.example.com"], company=company))
        for n in range(23)
    ]
    load_contacts(people.database, "plenty", many)
    wait(people)
    body = companies({"names": [company]})
    whole = found(people, {**body, "pagination": {"size": 100}})
    pages = [found(people, {**body, "pagination": {"page": page, "size": 10}}) for page in range(4)]
    assert [len(page) for page in pages] == [10, 10, 3, 0]
    assert list(chain(*pages)) == whole
    assert len(set(whole)) == 23


def test_the_last_allowed_page_is_page_1000(unchanged):
    answer = answer_of(unchanged, "contacts", {**EVERYONE, "pagination": {"page": 1000, "size": 100}})
    assert answer["results"] == []
    assert answer["pagination"] == {"page": 1000, "size": 100, "total": 6, "totalGuaranteed": True}


def test_the_cap_counts_per_company_and_is_reported(unchanged):
    answer = answer_of(unchanged, "contacts", {**EVERYONE, "options": {"maxContactsPerCompany": 2}})
    assert len(answer["results"]) == answer["pagination"]["total"] == 5
    described = answer["pagination"]["totalDescription"]
    assert described == "Exact count of what is left with at most 2 contacts per company"
    one = answer_of(unchanged, "contacts", {**EVERYONE, "options": {"maxContactsPerCompany": 1}})[
        "pagination"
    ]
    assert (one["total"], one["totalDescription"][-26:]) == (3, "most 1 contact per company")


def test_partial_companies_are_left_out_unless_requested(unchanged):
    body = companies({"names": ["Vague"]})
    assert answer_of(unchanged, "companies", body)["pagination"]["total"] == 0
    with_partial = {**body, "options": {"includePartialProfiles": True}}
    assert [one["name"] for one in answer_of(unchanged, "companies", with_partial)["results"]] == [
        "Vague Holdings"
    ]


# --- Records named in a filter ---


def test_contacts_are_named_by_id_email_or_linkedin_url(people, keyring):
    load_contacts(people.database, "test", [("Li", contact("Li", "Lu", linkedin="linkedin.com/in/li-lu"))])
    wait(people)
    (ann,) = answer_of(people, "contacts", contacts({"names": ["Ann Archer"]}))["results"]
    number = RecordIds(keyring).open(Entity.CONTACT, ann["id"])
    legacy = str(RecordIds(keyring).legacy(Entity.CONTACT, number))
    assert found(people, contacts({"ids": [ann["id"], "v1.unknown", "77"]})) == ["Archer"]
    assert found(people, contacts({"ids": [legacy]})) == ["Archer"]
    assert found(people, contacts({"emails": ["BEN@people.example.com", "no@example.com"]})) == ["Baker"]
    assert found(people, contacts({"linkedinUrls": ["https://de.linkedin.com/in/Li-Lu/"]})) == ["Lu"]


def test_companies_are_named_by_id_domain_or_linkedin_url(unchanged):
    def named(**include):
        results = answer_of(unchanged, "companies", companies(include))["results"]
        return [result["name"] for result in results]

    (acme,) = answer_of(unchanged, "companies", companies({"names": ["Acme"]}))["results"]
    assert named(ids=[acme["id"]]) == ["Acme Instruments"]
    assert named(domains=["https://www.umbrella.example.com/about"]) == ["Umbrella Labs"]
    assert named(domains=["acme.example.org"]) == ["Acme Instruments"], "another domain of it"
    assert named(linkedinUrls=["linkedin.com/company/acme-instruments"]) == ["Acme Instruments"]
    assert found(unchanged, companies({"domains": ["umbrella.example.com"]})) == ["Dyer", "Ember"]


# --- Refusals ---


WRONG = [
    ("contacts", {**EVERYONE, "pagination": {"page": 1001}}, "pagination.page must be at most 1000"),
    ("contacts", {**EVERYONE, "pagination": {"size": 9}}, "pagination.size must be at least 10"),
    ("companies", {"pagination": {"size": 101}}, "pagination.size must be at most 100"),
    (
        "contacts",
        {**EVERYONE, "options": {"maxContactsPerCompany": 21}},
        "options.maxContactsPerCompany must be at most 20",
    ),
    (
        "contacts",
        contacts({"jobTitle": ["x"]}),
        "filters.contacts.include.property jobTitle should not exist",
    ),
    ("contacts", contacts({"countries": ["Germany"]}), "filters.contacts.include.countries.0 must"),
    ("contacts", contacts({"emails": ["nobody"]}), "filters.contacts.include.emails.0 must"),
    ("contacts", contacts({"ids": ["x y"]}), "filters.contacts.include.ids.0 must"),
    ("companies", companies({"domains": ["no domain"]}), "filters.companies.include.domains.0 must"),
    ("companies", companies({"companyType": ["Cult"]}), "filters.companies.include.companyType.0 must"),
]


def test_an_invalid_request_is_refused_with_its_path(unchanged):
    for path, body, problem in WRONG:
        answer = unchanged.post(f"/v3/{path}/prospecting", body)
        message = answer.json()["message"]
        assert (answer.status_code, message[: len(problem)]) == (400, problem)
        assert answer.json()["errors"][0] == message


def test_a_request_without_any_value_is_refused(unchanged):
    for body in ({}, {"filters": {}}, contacts({}), contacts({"names": []})):
        assert unchanged.post("/v3/contacts/prospecting", body).status_code == 400


def test_several_errors_are_reported_at_once(unchanged):
    body = contacts({"seniorityIds": [99], "countries": ["XX"]})
    errors = unchanged.post("/v3/contacts/prospecting", body).json()["errors"]
    assert [error.split()[0] for error in errors] == [
        "filters.contacts.include.seniorityIds.0",
        "filters.contacts.include.countries.0",
    ]


def test_while_the_index_is_built_prospecting_is_503_and_search_works(database, make_service, monkeypatch):
    monkeypatch.setattr(IndexFollower, "start", lambda self: None)
    service = make_service()
    for path, body in (("contacts", EVERYONE), ("companies", companies({"names": ["Acme"]}))):
        answer = service.post(f"/v3/{path}/prospecting", body)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    described = service.client.get("/openapi.json").json()["paths"]
    drawn = [path for path in described if "/prospecting/filters/" in path and "get" in described[path]]
    for path in drawn:
        answer = service.get(f"{path}?query=ab")
        is_described = "503" in described[path]["get"]["description"]
        assert (answer.status_code, path) == (503 if is_described else 200, path)
        assert is_described is ("A fixed list" not in described[path]["get"]["description"])
    assert service.get("/v3/companies/prospecting/filters/sizes").status_code == 200
    assert service.post("/v3/contacts/search", {"contacts": [{"email": "a@example.com"}]}).status_code == 200


# --- While the index lags ---


def test_a_suppressed_person_is_missing_at_the_next_request(lagging, keyring):
    assert found(lagging, DIRECTORS) == ["Archer", "Baker"]
    suppress(lagging, keyring, "ann@people.example.com")
    answer = answer_of(lagging, "contacts", DIRECTORS)
    assert [result["lastName"] for result in answer["results"]] == ["Baker"]
    assert answer["pagination"]["total"] == 1


def test_a_company_known_only_for_a_suppressed_person_is_not_found_by_them(lagging, keyring):
    body = {
        "filters": {
            "companies": {"include": {"names": ["Umbrella"]}},
            "contacts": {"include": {"jobTitles": ["executive"]}},
        }
    }
    assert answer_of(lagging, "companies", body)["pagination"]["total"] == 1
    suppress(lagging, keyring, "dan@people.example.com")
    assert answer_of(lagging, "companies", body)["pagination"]["total"] == 0


def test_a_deleted_record_is_left_out_of_the_page(lagging):
    names = {company.name: number for number, company in stored_companies(lagging.database).items()}
    with lagging.database.write(RECORDS) as session:
        session.raw.execute(f"DELETE FROM companies WHERE id = {names['Umbrella Labs']}")
    answer = answer_of(lagging, "companies", companies({"technologies": ["Kubernetes"]}))
    assert [result["name"] for result in answer["results"]] == ["Acme Instruments"]
    assert answer["billing"]["resultsReturned"] == 1


# --- Cost ---


def test_a_page_takes_three_statements_at_most(lagging, monkeypatch):
    calls = record_statements(monkeypatch)
    assert len(found(lagging, EVERYONE)) == 6
    assert len(calls) == 3, "the key, who was removed, the page"
