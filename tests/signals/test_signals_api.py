"""The signals calls over HTTP: what they answer and what they refuse."""

import msgspec
import pytest
import signal_world as world
from signal_world import TODAY, headcount, move, news, post, put

from firmograph.kit.tokens import Entity, Tokens
from firmograph.signals import answers
from firmograph.wire.envelope import ItemError
from rows import KEYRING

CONTACTS, COMPANIES = "/v3/contacts/signals", "/v3/companies/signals"
TOKENS = Tokens(KEYRING)


def ask(service, path, ids, types=("allSignals",), **more):
    answer = service.post(path, {"ids": ids, "signalTypes": list(types), **more})
    assert answer.status_code == 200, answer.text
    _described(path, answer.content)
    return answer.json()


def _described(path, content):
    """Every answer is as the OpenAPI document says, with nothing more."""
    whole = answers.ContactSignalsAnswer if path == CONTACTS else answers.CompanySignalsAnswer
    record = answers.SignalsOfContact if path == CONTACTS else answers.SignalsOfCompany
    body = msgspec.json.decode(content)
    assert set(body) == {field.encode_name for field in msgspec.structs.fields(whole)}
    for result in body["results"]:
        kind = ItemError if "error" in result else record
        strict = msgspec.defstruct(
            "Strict", [], bases=(kind,), forbid_unknown_fields=True, kw_only=True, rename="camel"
        )
        msgspec.convert(result, strict)


def refused(service, path, body):
    answer = service.post(path, body)
    assert answer.status_code == 400, answer.text
    return answer.json()["message"]


def test_contacts_have_a_list_for_each_type_that_was_asked_for(service):
    world.companies(service, 2)
    ids = world.people(service, 1)
    put(service.database, [move(1, "2026-05-01")])
    answer = ask(service, CONTACTS, ids)
    number = str(TOKENS.legacy(Entity.CONTACT, 1))
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
    assert "companyChange" not in ask(service, CONTACTS, ids, ["promotion"])["results"][0]


def test_companies_leave_out_the_types_that_they_have_nothing_of(service):
    ids = world.companies(service, 1)
    held = headcount(1, "2026-05-01")
    put(service.database, [held])
    assert ask(service, COMPANIES, ids)["results"] == [
        {
            "id": ids[0],
            "companyName": "Company 0",
            "domain": "c0.example.com",
            "headcountIncrease3m": [
                {
                    "companyId": str(TOKENS.legacy(Entity.COMPANY, 1)),
                    "signalId": world.signal_id(held),
                    "signalDate": "2026-05-01",
                    "baselineEmployeesCount": 100,
                    "newEmployeesCount": 120,
                    "changeRatePercent": 20,
                    "companyName": "Company 0",
                    "domain": "c0.example.com",
                }
            ],
        }
    ]
    assert ask(service, COMPANIES, ids, ["riskNews"])["results"][0].keys() == {"id", "companyName", "domain"}


def test_news_have_their_own_dates_and_no_signal_date(service):
    ids = world.companies(service, 1)
    held = news(1, "2026-05-01")
    put(service.database, [held])
    (event,) = ask(service, COMPANIES, ids)["results"][0]["commercialActivityNews"]
    assert event == {
        "companyId": str(TOKENS.legacy(Entity.COMPANY, 1)),
        "companyName": "Company 0",
        "domain": "c0.example.com",
        "signalId": world.signal_id(held),
        "eventType": "partnership",
        "eventSummary": "It happened.",
        "articlePublishedDate": "2026-05-01",
        "articleTitle": "Title",
        "articleHighlight": "It happened.",
        "eventEffectiveDate": "2026-05-01",
        "articleUrl": "https://news.example.com/1/2026-05-01/Partnership",
    }


def test_posts_name_records_by_token_and_unresolved_ones_by_null(service):
    ids = world.companies(service, 2)
    (person,) = world.people(service, 1)
    put(service.database, [post(1, "2026-09-01", author=1, mentions=2)])
    (event,) = ask(service, COMPANIES, ids[:1])["results"][0]["linkedinActivityIntent"]
    assert event["companyId"] == TOKENS.legacy(Entity.COMPANY, 1)
    assert event["author"]["id"] == person
    assert [one["id"] for one in event["contactsMentioned"]] == [None]
    assert [one["id"] for one in event["companiesMentioned"]] == [ids[1]]
    assert event["activitySummary"] is None
    assert "signalDate" not in event


def test_a_surge_in_a_whole_country_has_no_state(service):
    ids = world.companies(service, 1)
    put(
        service.database,
        [
            world.surge(1, "2026-05-01", "Germany", None, "DE"),
            world.surge(1, "2026-05-02", "Germany", "Bavaria", "DE|BY"),
        ],
    )
    in_state, in_country = ask(service, COMPANIES, ids)["results"][0]["surgeInHiringByLocation"]
    assert in_state["state"] == "Bavaria"
    assert "state" not in in_country


def test_results_come_in_the_order_of_the_ids_and_duplicates_at_each_place(service):
    ids = world.companies(service, 3)
    put(service.database, [headcount(n, "2026-05-01") for n in (1, 2, 3)])
    asked = [ids[2], ids[0], ids[2], ids[1]]
    answer = ask(service, COMPANIES, asked)
    assert [result["id"] for result in answer["results"]] == asked
    assert answer["results"][0] == answer["results"][2]
    assert answer["billing"] == {"creditsCharged": 3, "resultsReturned": 4}


def test_events_come_newest_first_and_then_by_signal_id(service):
    ids = world.companies(service, 1)
    held = [
        news(1, day, event)
        for day in ("2026-05-01", "2026-06-01")
        for event in ("Partnership", "New Customer")
    ]
    put(service.database, held)
    shown = ask(service, COMPANIES, ids)["results"][0]["commercialActivityNews"]
    expected = sorted(held, key=world.signal_id)
    expected.sort(key=lambda one: one.day, reverse=True)
    assert [one["signalId"] for one in shown] == [world.signal_id(one) for one in expected]


def test_legacy_ids_are_understood_and_ids_without_a_record_are_errors_of_the_item(service):
    ids = world.companies(service, 1)
    (person,) = world.people(service, 1)
    legacy = str(TOKENS.legacy(Entity.COMPANY, 1))
    unknown = TOKENS.seal(Entity.COMPANY, 999)
    answer = ask(service, COMPANIES, [legacy, person, unknown, "12"])
    assert answer["results"][0]["id"] == ids[0]
    assert answer["results"][1:] == [
        {"id": id, "error": {"code": "NOT_FOUND", "message": "Company not found"}}
        for id in (person, unknown, "12")
    ]
    assert answer["billing"]["resultsReturned"] == 1


def test_someone_suppressed_is_restricted(service):
    world.companies(service, 2)
    ids = world.people(service, 1)
    put(service.database, [move(1, "2026-05-01")])
    world.suppress(service, "ann0@c0.example.com")
    answer = ask(service, CONTACTS, ids)
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


# --- dates and bounds ---


def test_without_a_start_everything_is_shown_and_the_start_is_the_oldest_day(service):
    ids = world.companies(service, 2)
    put(service.database, [headcount(1, "1999-05-01"), headcount(1, "2026-05-01")])
    answer = ask(service, COMPANIES, ids)
    assert (answer["startDate"], answer["endDate"]) == ("1999-05-01", TODAY)
    nothing = ask(service, COMPANIES, ids[1:])
    assert (nothing["startDate"], nothing["endDate"]) == (TODAY, TODAY)


def test_a_start_is_the_first_day_that_is_shown(service):
    ids = world.companies(service, 1)
    put(service.database, [headcount(1, day) for day in ("2026-04-30", "2026-05-01")])
    answer = ask(service, COMPANIES, ids, startDate="2026-05-01")
    assert [one["signalDate"] for one in answer["results"][0]["headcountIncrease3m"]] == ["2026-05-01"]
    assert answer["startDate"] == "2026-05-01"


@pytest.mark.parametrize(
    ("day", "problem"),
    [
        ("2026-02-30", "startDate must be a date that exists, YYYY-MM-DD"),
        ("2026-5-1", "startDate must be a date that exists, YYYY-MM-DD"),
        ("2026-W10-1", "startDate must be a date that exists, YYYY-MM-DD"),
        ("20260501", "startDate must be a date that exists, YYYY-MM-DD"),
        ("٢٠٢٦-٠١-٠١", "startDate must be a date that exists, YYYY-MM-DD"),
        ("2026-09-22", "startDate must not be in the future; today is 2026-09-21 in UTC"),
    ],
)
def test_a_bad_or_future_start_is_refused(service, day, problem):
    for path in (CONTACTS, COMPANIES):
        body = {"ids": ["1"], "signalTypes": ["allSignals"], "startDate": day}
        assert refused(service, path, body) == problem


def test_today_is_no_future(service):
    ids = world.companies(service, 1)
    assert ask(service, COMPANIES, ids, startDate=TODAY)["startDate"] == TODAY


def test_at_most_so_many_of_each_type_and_record_are_shown(service):
    ids = world.companies(service, 2)
    days = [f"2026-05-{day:02}" for day in range(1, 10)]
    put(service.database, [kind(n, day) for n in (1, 2) for day in days for kind in (headcount, news)])
    for result in ask(service, COMPANIES, ids, maxResultsPerSignal=2)["results"]:
        assert [one["signalDate"] for one in result["headcountIncrease3m"]] == days[:-3:-1]
        assert len(result["commercialActivityNews"]) == 2
        assert "truncated" not in result


def test_of_more_than_a_thousand_the_newest_thousand_are_shown_and_it_says_so(service):
    ids = world.companies(service, 2)
    url = "https://news.example.com/{}"
    first = news(1, "2026-05-01")
    many = [
        msgspec.structs.replace(first, number=number, key=url.format(n), day=f"{2026 - n // 300}-05-01")
        for number, count in ((1, 1001), (2, 1000))
        for n in range(count)
    ]
    put(service.database, many)
    above, at = ask(service, COMPANIES, ids)["results"]
    assert above["truncated"] is True
    assert len(above["commercialActivityNews"]) == 1000
    assert "truncated" not in at
    assert len(at["commercialActivityNews"]) == 1000
    filters = {"include": {"newsEventTypes": ["Partnership"]}}
    assert ask(service, COMPANIES, ids, filters=filters)["results"] == [above, at]


def test_posts_are_those_of_ninety_days_and_fifty_of_a_company(service):
    ids = world.companies(service, 2)
    put(
        service.database,
        [
            post(1, "2026-06-23"),
            post(1, "2026-06-22", "2"),
            headcount(1, "2020-01-01"),
            *(post(2, "2026-09-01", str(n)) for n in range(51)),
        ],
    )
    for more in ({}, {"startDate": "2019-01-01", "maxResultsPerSignal": 100}):
        one, other = ask(service, COMPANIES, ids, **more)["results"]
        assert [each["activityPublicationDate"] for each in one["linkedinActivityIntent"]] == ["2026-06-23"]
        assert len(one["headcountIncrease3m"]) == 1
        assert len(other["linkedinActivityIntent"]) == 50
    fewer = ask(service, COMPANIES, ids, maxResultsPerSignal=3)["results"][1]
    assert len(fewer["linkedinActivityIntent"]) == 3


# --- bodies ---


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"ids": []}, "ids must have at least 1 element"),
        ({"ids": ["1"] * 101}, "ids must have at most 100 elements"),
        (
            {"ids": ["1", "x"]},
            "ids.1 must be a record id: `v` and a version, a point and opaque text, or digits",
        ),
        ({"ids": None}, "ids must be an array"),
        ({"signalTypes": []}, "signalTypes must have at least 1 element"),
        (
            {"signalTypes": ["allSignals", "riskyNews"]},
            "signalTypes.1 must be a known value; the nearest are: riskNews",
        ),
        ({"maxResultsPerSignal": 0}, "maxResultsPerSignal must be at least 1"),
        ({"maxResultsPerSignal": 101}, "maxResultsPerSignal must be at most 100"),
        ({"tableId": "t"}, "property tableId should not exist"),
        ({"filters": {"exclude": {}}}, "filters.property exclude should not exist"),
        (
            {"filters": {"include": {"newsEventTypes": ["Partnering"]}}},
            "filters.include.newsEventTypes.0 must be a known value; the nearest are: Partnership",
        ),
        (
            {"filters": {"include": {"hiringByDepartments": ["Sails"]}}},
            "filters.include.hiringByDepartments.0 must be a known value; the nearest are: Sales",
        ),
        (
            {"filters": {"include": {"hiringByLocations": [{"country": "US"}, {"state": "California"}]}}},
            "filters.include.hiringByLocations.1.country is required",
        ),
    ],
)
def test_a_body_that_does_not_fit_is_refused_with_its_path(service, change, problem):
    body = {"ids": ["1"], "signalTypes": ["allSignals"], **change}
    assert refused(service, COMPANIES, body).startswith(problem)


def test_the_types_have_to_be_named(service):
    assert refused(service, COMPANIES, {"ids": ["1"]}) == "signalTypes is required"


def test_contacts_have_types_of_their_own_and_no_filters(service):
    body = {"ids": ["1"], "signalTypes": ["riskNews"]}
    assert (
        refused(service, CONTACTS, body)
        == "signalTypes.0 must be one of: allSignals, promotion, companyChange"
    )
    body = {"ids": ["1"], "signalTypes": ["promotion"], "filters": {}}
    assert refused(service, CONTACTS, body) == "property filters should not exist"


def test_several_problems_are_told_at_once(service):
    body = {"ids": ["1"], "signalTypes": ["a", "b"], "startDate": "never"}
    assert len(service.post(COMPANIES, body).json()["errors"]) == 3


# --- filters ---


def shown(service, ids, include, type):
    """The days of what is left of a type."""
    result = ask(service, COMPANIES, ids, filters={"include": include})["results"][0]
    return [
        one.get("signalDate") or one.get("articlePublishedDate") or one["activityPublicationDate"]
        for one in result.get(type, [])
    ]


@pytest.fixture
def narrowed(service):
    """A company with two of each type that a filter narrows, and another."""
    ids = world.companies(service, 1)
    put(
        service.database,
        [
            news(1, "2026-05-01", "Partnership"),
            news(1, "2026-05-02", "New Customer"),
            news(1, "2026-05-03", "Lawsuit Faced", "riskNews"),
            world.department(1, "2026-05-01", "Sales"),
            world.department(1, "2026-05-02", "Finance"),
            world.surge(1, "2026-05-01", "United States", None, "US"),
            world.surge(1, "2026-05-02", "United States", "California", "US|CA"),
            world.surge(1, "2026-05-03", "Germany", "Bavaria", "DE|BY"),
            post(1, "2026-09-01", "1", categories=("Technology", "Business")),
            post(1, "2026-09-02", "2", categories=("Business",)),
            headcount(1, "2026-05-01"),
        ],
    )
    return ids


@pytest.mark.parametrize(
    ("include", "type", "days"),
    [
        ({"newsEventTypes": ["new customer"]}, "commercialActivityNews", ["2026-05-02"]),
        (
            {"newsEventTypes": ["New Customer", "PARTNERSHIP"]},
            "commercialActivityNews",
            ["2026-05-02", "2026-05-01"],
        ),
        ({"newsEventTypes": ["New Customer"]}, "riskNews", []),
        ({"newsEventTypes": []}, "riskNews", ["2026-05-03"]),
        ({"hiringByDepartments": ["sales"]}, "surgeInHiringByDepartment", ["2026-05-01"]),
        (
            {"hiringByDepartments": ["Sales"]},
            "surgeInHiringByLocation",
            ["2026-05-03", "2026-05-02", "2026-05-01"],
        ),
        ({"hiringByLocations": [{"country": "us"}]}, "surgeInHiringByLocation", ["2026-05-02", "2026-05-01"]),
        (
            {"hiringByLocations": [{"country": "united states", "state": "california"}]},
            "surgeInHiringByLocation",
            ["2026-05-02"],
        ),
        (
            {"hiringByLocations": [{"country": "USA", "state": "CA"}]},
            "surgeInHiringByLocation",
            ["2026-05-02"],
        ),
        ({"hiringByLocations": [{"country": "US", "state": "BY"}]}, "surgeInHiringByLocation", []),
        (
            {"hiringByLocations": [{"country": "US", "state": "CA"}, {"country": "DE"}]},
            "surgeInHiringByLocation",
            ["2026-05-03", "2026-05-02"],
        ),
        ({"hiringByLocations": [{"country": "Nowhere"}]}, "surgeInHiringByLocation", []),
        ({"intentCategories": ["technology"]}, "linkedinActivityIntent", ["2026-09-01"]),
        ({"intentCategories": ["Business"]}, "linkedinActivityIntent", ["2026-09-02", "2026-09-01"]),
        ({"intentCategories": ["Gardening"]}, "linkedinActivityIntent", []),
        (
            {"intentCategories": ["Gardening"], "newsEventTypes": ["IPO"]},
            "headcountIncrease3m",
            ["2026-05-01"],
        ),
    ],
)
def test_a_filter_narrows_its_own_types_by_any_of_its_values(service, narrowed, include, type, days):
    assert shown(service, narrowed, include, type) == days
