"""Answers of the signals endpoints."""

import pytest
import signal_fixtures as world
from msgspec import structs
from signal_calls import COMPANIES, CONTACTS, TOKENS, request_signals
from signal_fixtures import company_number, headcount, insert_signals, move, news, person_number, post

from firmograph.security.record_ids import Entity
from firmograph.signals.events import PersonReference

pytestmark = pytest.mark.any_database


@pytest.fixture
def service(shared_service):
    """Return a new account of the module's application; each test has records of its own."""
    return shared_service.with_account()


def test_contacts_have_a_list_for_each_requested_type(service):
    ids = world.people(service, 1)
    insert_signals(service.database, [move(ids[0], "2026-05-01")])
    answer = request_signals(service, CONTACTS, ids)
    number = str(TOKENS.legacy(Entity.CONTACT, person_number(ids[0])))
    assert answer["results"] == [
        {
            "id": ids[0],
            "promotion": [],
            "companyChange": [
                {
                    "id": ids[0],
                    "personId": number,
                    "currentCompanyId": TOKENS.legacy(Entity.COMPANY, 2),
                    "currentCompanyName": "New Ltd",
                    "currentDomain": "new.example.com",
                    "currentTitle": "Head of Sales",
                    "currentDepartments": "Sales",
                    "currentSeniorityLabel": "Director",
                    "previousCompanyName": "Old Ltd",
                    "previousDomain": "old.example.com",
                    "previousCompany": "Old Ltd",
                    "newCompany": "New Ltd",
                    "signalDate": "2026-05-01",
                }
            ],
        }
    ]
    assert "companyChange" not in request_signals(service, CONTACTS, ids, ["promotion"])["results"][0]


def test_companies_omit_types_without_signals(service):
    (company,) = world.store_companies(service, 1)
    named = {"companyName": company.name, "domain": company.domain}
    stored = headcount(company.id, "2026-05-01")
    insert_signals(service.database, [stored])
    assert request_signals(service, COMPANIES, [company.id])["results"] == [
        {
            "id": company.id,
            **named,
            "headcountIncrease3m": [
                {
                    "companyId": str(TOKENS.legacy(Entity.COMPANY, company_number(company.id))),
                    "signalId": world.signal_id(stored),
                    "signalDate": "2026-05-01",
                    "baselineEmployeesCount": 100,
                    "newEmployeesCount": 120,
                    "changeRatePercent": 20,
                    **named,
                }
            ],
        }
    ]
    others = request_signals(service, COMPANIES, [company.id], ["riskNews"])
    assert others["results"][0].keys() == {"id", *named}


def test_news_have_their_own_dates_and_no_signal_date(service):
    (company,) = world.store_companies(service, 1)
    number = company_number(company.id)
    stored = news(company.id, "2026-05-01")
    insert_signals(service.database, [stored])
    (event,) = request_signals(service, COMPANIES, [company.id])["results"][0]["commercialActivityNews"]
    assert event == {
        "companyId": str(TOKENS.legacy(Entity.COMPANY, number)),
        "companyName": company.name,
        "domain": company.domain,
        "signalId": world.signal_id(stored),
        "eventType": "partnership",
        "eventSummary": "It happened.",
        "articlePublishedDate": "2026-05-01",
        "articleTitle": "Title",
        "articleHighlight": "It happened.",
        "eventEffectiveDate": "2026-05-01",
        "articleUrl": f"https://news.example.com/{number}/2026-05-01/Partnership",
    }


def test_posts_identify_records_by_token_and_unknown_ones_by_null(service):
    ids = world.companies(service, 2)
    (person,) = world.people(service, 1)
    insert_signals(service.database, [post(ids[0], "2026-09-01", author=person, mentions=ids[1])])
    (event,) = request_signals(service, COMPANIES, ids[:1])["results"][0]["linkedinActivityIntent"]
    assert event["companyId"] == TOKENS.legacy(Entity.COMPANY, company_number(ids[0]))
    assert event["author"]["id"] == person
    assert [one["id"] for one in event["contactsMentioned"]] == [None]
    assert [one["id"] for one in event["companiesMentioned"]] == [ids[1]]
    assert event["activitySummary"] is None
    assert "signalDate" not in event


@pytest.mark.parametrize(
    ("page", "known"),
    [("company/c0", True), ("showcase/c0-labs", True), ("in/c0", False)],
)
def test_a_post_by_a_company_page_has_the_company_as_its_author(service, page, known):
    ids = world.companies(service, 1)
    found = post(ids[0], "2026-09-01")
    # the stored form since the first release
    author = PersonReference(None, "Company", f"https://www.linkedin.com/{page}")
    insert_signals(
        service.database, [structs.replace(found, event=structs.replace(found.event, author=author))]
    )
    (event,) = request_signals(service, COMPANIES, ids)["results"][0]["linkedinActivityIntent"]
    assert event["author"]["id"] == (ids[0] if known else None)


def test_a_surge_in_a_whole_country_has_no_state(service):
    ids = world.companies(service, 1)
    insert_signals(
        service.database,
        [
            world.surge(ids[0], "2026-05-01", "Germany", None, "DE"),
            world.surge(ids[0], "2026-05-02", "Germany", "Bavaria", "DE|BY"),
        ],
    )
    in_state, in_country = request_signals(service, COMPANIES, ids)["results"][0]["surgeInHiringByLocation"]
    assert in_state["state"] == "Bavaria"
    assert "state" not in in_country


def test_results_follow_the_order_of_the_ids_with_duplicates(service):
    ids = world.companies(service, 3)
    insert_signals(service.database, [headcount(id, "2026-05-01") for id in ids])
    requested = [ids[2], ids[0], ids[2], ids[1]]
    answer = request_signals(service, COMPANIES, requested)
    assert [result["id"] for result in answer["results"]] == requested
    assert answer["results"][0] == answer["results"][2]
    assert answer["billing"] == {"creditsCharged": 3, "resultsReturned": 4}


def test_events_are_ordered_from_the_newest_and_then_by_signal_id(service):
    ids = world.companies(service, 1)
    stored = [
        news(ids[0], day, event)
        for day in ("2026-05-01", "2026-06-01")
        for event in ("Partnership", "New Customer")
    ]
    insert_signals(service.database, stored)
    events = request_signals(service, COMPANIES, ids)["results"][0]["commercialActivityNews"]
    expected = sorted(stored, key=world.signal_id)
    expected.sort(key=lambda one: one.day, reverse=True)
    assert [one["signalId"] for one in events] == [world.signal_id(one) for one in expected]


def test_legacy_ids_are_accepted_and_unknown_ids_are_errors_of_the_item(service):
    ids = world.companies(service, 1)
    (person,) = world.people(service, 1)
    legacy = str(TOKENS.legacy(Entity.COMPANY, company_number(ids[0])))
    unknown = TOKENS.seal(Entity.COMPANY, 999_999)
    answer = request_signals(service, COMPANIES, [legacy, person, unknown, "12"])
    assert answer["results"][0]["id"] == ids[0]
    assert answer["results"][1:] == [
        {"id": id, "error": {"code": "NOT_FOUND", "message": "Company not found"}}
        for id in (person, unknown, "12")
    ]
    assert answer["billing"]["resultsReturned"] == 1


def test_a_suppressed_contact_is_restricted(service):
    ids = world.people(service, 1)
    insert_signals(service.database, [move(ids[0], "2026-05-01")])
    world.suppress(service, ids[0])
    answer = request_signals(service, CONTACTS, ids)
    assert answer["results"] == [
        {
            "id": ids[0],
            "error": {
                "code": "COMPLIANCE_RESTRICTED",
                "message": "Contact data is restricted for compliance reasons",
            },
        }
    ]
    assert answer["billing"] == {"creditsCharged": 0, "resultsReturned": 0}
