from datetime import timedelta

import pytest

from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyRef
from firmograph.kit.clock import today
from firmograph.kit.database import RECORDS
from firmograph.kit.tokens import Entity, Tokens
from firmograph.signals import store
from firmograph.signals.events import (
    DepartmentSurge,
    Detected,
    HeadcountChange,
    HiringSurge,
    JobMove,
    LocationSurge,
    NewsEvent,
    Person,
    Post,
)
from rows import KEYRING, contact, load_companies, load_contacts

TOKENS = Tokens(KEYRING)
CONTACTS, COMPANIES = "/api/signals/contacts", "/api/signals/companies"
ACME, RIVAL = 1, 2
JANE, JOE = 1, 2


@pytest.fixture
def directory(service):
    """Two companies and two people; Acme has signals of all sorts, Jane a job change and a promotion."""
    refs = [CompanyRef(name="Acme", domain="acme.example"), CompanyRef(name="Rival")]
    load_companies(service.database, "a", [Company(name=one.name, domain=one.domain) for one in refs])
    load_contacts(
        service.database,
        "a",
        [
            contact("Jane", "Doe", emails=["jane@acme.example"], company=refs[0], title="CTO"),
            contact("Joe", "Bloggs", emails=["joe@rival.example"], company=refs[1]),
        ],
    )
    put(
        service,
        signal(JANE, "companyChange", "2026-02-01", MOVE),
        signal(JANE, "promotion", "2026-03-01", MOVE),
        signal(JANE, "promotion", "2026-04-01", MOVE),
        signal(ACME, "headcountIncrease3m", "2026-01-31", HeadcountChange(100, 125, 25)),
        signal(
            ACME, "surgeInHiringByDepartment", "2026-01-11", DepartmentSurge("Sales", 9, 4.5, 100), "Sales"
        ),
        signal(ACME, "surgeInHiringByDepartment", "2026-01-11", DepartmentSurge("Legal", 8, 4, 100), "Legal"),
        signal(
            ACME, "surgeInHiringByLocation", "2026-01-11", LocationSurge("Germany", None, 8, 4, 100), "DE"
        ),
        signal(
            ACME,
            "surgeInHiringByLocation",
            "2026-01-11",
            LocationSurge("United States", "California", 8, 4, 100),
            "US|CA",
        ),
        signal(ACME, "commercialActivityNews", "2026-02-02", news("partnership"), "partnership"),
        signal(ACME, "commercialActivityNews", "2026-02-03", news("new customer"), "new customer"),
        signal(ACME, "riskNews", "2026-02-03", news("lawsuit faced"), "lawsuit faced"),
        signal(ACME, "linkedinActivityIntent", days_ago(service, 3), POST, "|Business|"),
    )
    return service


MOVE = JobMove(ACME, "Acme", "acme.example", "CTO", "Product", "C-Suite", RIVAL, "Rival", "", "VP")
POST = Post(
    "2026-01-01",
    "technology",
    [],
    Person(None, "A", ""),
    [],
    [],
    "https://l.example/1",
    None,
    1,
    2,
    3,
    "post",
)


def news(event):
    return NewsEvent(
        event, "Acme did.", "2026-02-03", "Title", "Highlight", "2026-02-03", "https://n.example/1"
    )


def signal(number, type, day, event, detail=""):
    entity = Entity.CONTACT if isinstance(event, JobMove) else Entity.COMPANY
    return Detected(entity, number, type, f"{day} {detail}", day, event, detail)


def put(service, *found):
    with service.database.write(RECORDS) as session:
        assert store.put(session, Digests(KEYRING), found, 0.0) == len(found)


def days_ago(service, days):
    return (today(service.clock) - timedelta(days=days)).isoformat()


def legacy(entity, number):
    return TOKENS.legacy(entity, number)


def asked(service, path, body, **options):
    answer = service.post(path, body, **options)
    assert answer.status_code == 200, answer.text
    return answer.json()


def acme(service, *signals, **more):
    """What Acme shows of these types: each with what tells its events apart."""
    body = {"companyIds": [legacy(Entity.COMPANY, ACME)], "signals": list(signals), **more}
    (shown,) = asked(service, COMPANIES, body)["companies"].values()
    return {
        type: [
            one.get("department") or one.get("state") or one.get("eventType") or one.get("country")
            for one in events
        ]
        for type, events in shown.items()
        if isinstance(events, list)
    }


def test_a_contact_stands_under_its_id_with_an_array_for_each_type_asked(directory):
    jane, joe = legacy(Entity.CONTACT, JANE), legacy(Entity.CONTACT, JOE)
    answer = asked(directory, CONTACTS, {"contactIds": [jane, joe], "signals": ["companyChange"]})
    assert answer == {
        "contacts": {
            str(jane): {
                "personId": str(jane),
                "companyChange": [
                    {
                        "personId": str(jane),
                        "currentCompanyId": legacy(Entity.COMPANY, ACME),
                        "currentCompanyName": "Acme",
                        "currentDomain": "acme.example",
                        "currentTitle": "CTO",
                        "currentDepartments": "Product",
                        "currentSeniorityLabel": "C-Suite",
                        "previousCompanyName": "Rival",
                        "previousDomain": "",
                        "signalDate": "2026-02-01",
                    }
                ],
            },
            str(joe): {"personId": str(joe), "companyChange": []},
        },
        "startDate": "2026-02-01",
        "endDate": today(directory.clock).isoformat(),
        "creditCharged": 1,
    }


def test_a_company_stands_under_its_id_with_the_types_that_it_has_signals_of(directory):
    ids = [legacy(Entity.COMPANY, number) for number in (ACME, RIVAL)]
    body = {"companyIds": ids, "signals": ["headcountIncrease3m", "surgeInHiring"], "startDate": "2026-01-01"}
    answer = asked(directory, COMPANIES, body)
    shown = answer["companies"][str(ids[0])]
    assert len(shown["headcountIncrease3m"][0].pop("signalId")) == 32
    assert answer["companies"] == {
        str(ids[0]): {
            "companyId": str(ids[0]),
            "companyName": "Acme",
            "domain": "acme.example",
            "headcountIncrease3m": [
                {
                    "companyId": str(ids[0]),
                    "signalDate": "2026-01-31",
                    "baselineEmployeesCount": 100,
                    "newEmployeesCount": 125,
                    "changeRatePercent": 25,
                    "companyName": "Acme",
                    "domain": "acme.example",
                }
            ],
        },
        str(ids[1]): {"companyId": str(ids[1]), "companyName": "Rival", "domain": ""},
    }
    assert (answer["startDate"], answer["creditCharged"]) == ("2026-01-01", 1)


def test_ids_of_nobody_are_left_out_and_repeated_ids_count_once(directory):
    jane = legacy(Entity.CONTACT, JANE)
    ids = [legacy(Entity.CONTACT, 99), jane, jane, 12345]
    answer = asked(directory, CONTACTS, {"contactIds": ids, "signals": ["allSignals"]})
    assert list(answer["contacts"]) == [str(jane)]
    assert answer["creditCharged"] == 2
    nobody = asked(directory, CONTACTS, {"contactIds": [12345], "signals": ["allSignals"]})
    day = today(directory.clock).isoformat()
    assert nobody == {"contacts": {}, "startDate": day, "endDate": day, "creditCharged": 0}


def test_searches_answer_by_the_callers_own_keys(directory):
    people = [
        {"id": "row 1", "email": "jane@acme.example"},
        {"id": "row 2", "full_name": "Joe Bloggs", "companies": [{"name": "Rival"}]},
        {"id": "row 3", "email": "nobody@acme.example"},
        {"id": "row 4", "full_name": "Jane Doe", "companies": [{"domain": "acme.example"}]},
    ]
    answer = asked(directory, CONTACTS + "/search", {"contacts": people, "signals": ["promotion"]})
    assert {key: len(shown["promotion"]) for key, shown in answer["contacts"].items()} == {
        "row 1": 2,
        "row 2": 0,
        "row 4": 2,
    }
    assert answer["creditCharged"] == 1
    own = TOKENS.seal(Entity.COMPANY, ACME)
    companies = [{"id": own}, {"id": '"', "name": "Rival"}, {"id": "9", "domain": "nowhere.example"}]
    answer = asked(directory, COMPANIES + "/search", {"companies": companies, "signals": ["riskNews"]})
    assert {key: shown["companyName"] for key, shown in answer["companies"].items()} == {
        own: "Acme",
        '"': "Rival",
    }


def test_a_key_may_be_repeated_with_the_same_item_but_not_with_another(directory):
    one, other = {"id": "1", "name": "Acme"}, {"id": "1", "name": "Rival"}
    path, signals = COMPANIES + "/search", ["riskNews"]
    assert list(asked(directory, path, {"companies": [one, one], "signals": signals})["companies"]) == ["1"]
    refused = directory.post(path, {"companies": [one, other], "signals": signals})
    assert refused.status_code == 400
    assert refused.json()["message"] == "companies.1.id must not be the key of another item too"


def test_all_signals_are_those_that_this_generation_knows(directory):
    assert set(acme(directory, "allSignals")) == {
        "headcountIncrease3m",
        "surgeInHiringByDepartment",
        "surgeInHiringByLocation",
        "riskNews",
        "commercialActivityNews",
    }


def test_posts_are_not_of_this_generation(directory):
    body = {"companyIds": [1], "signals": ["riskNews", "linkedinActivityIntent"]}
    answer = directory.post(COMPANIES, body)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("signals.1 must be a type of this generation")


def test_filters_narrow_their_own_types_only_and_any_value_suffices(directory):
    include = {
        "newsEventTypes": ["PARTNERSHIP", "m&a"],
        "hiringByDepartments": ["sales", "Marketing"],
        "hiringByLocations": [{"country": "us", "state": "california"}, {"country": "France"}],
    }
    assert acme(directory, "allSignals", filters={"include": include}) == {
        "headcountIncrease3m": [None],
        "surgeInHiringByDepartment": ["Sales"],
        "surgeInHiringByLocation": ["California"],
        "commercialActivityNews": ["partnership"],
    }
    whole = {"hiringByLocations": [{"country": "Germany"}, {"country": "United States", "state": "Texas"}]}
    assert acme(directory, "surgeInHiringByLocation", filters={"include": whole}) == {
        "surgeInHiringByLocation": ["Germany"]
    }


def test_start_date_and_most_results_bound_what_is_shown_newest_first(directory):
    jane = legacy(Entity.CONTACT, JANE)

    def days(**more):
        body = {"contactIds": [jane], "signals": ["promotion"], **more}
        return [
            one["signalDate"] for one in asked(directory, CONTACTS, body)["contacts"][str(jane)]["promotion"]
        ]

    assert days() == ["2026-04-01", "2026-03-01"]
    assert days(startDate="2026-03-02") == ["2026-04-01"]
    assert days(maxResultsPerSignal=1) == ["2026-04-01"]
    assert days(maxResultsPerSignal=5_000) == ["2026-04-01", "2026-03-01"]


def test_more_than_a_thousand_of_a_type_are_cut_and_said_to_be(directory):
    put(
        directory,
        *(signal(RIVAL, "surgeInHiring", "2025-06-01", HiringSurge(n, 1, n), str(n)) for n in range(1_001)),
    )
    id = legacy(Entity.COMPANY, RIVAL)
    body = {"companyIds": [id], "signals": ["surgeInHiring"], "maxResultsPerSignal": 1_000_000}
    shown = asked(directory, COMPANIES, body)["companies"][str(id)]
    assert (len(shown["surgeInHiring"]), shown["truncated"]) == (1_000, True)


def test_what_one_generation_paid_for_is_free_in_the_other(directory):
    token, id = TOKENS.seal(Entity.CONTACT, JANE), legacy(Entity.CONTACT, JANE)

    def current(*types):
        body = {"ids": [token], "signalTypes": types}
        return asked(directory, "/v3/contacts/signals", body)["billing"]["creditsCharged"]

    def old(*types):
        return asked(directory, CONTACTS, {"contactIds": [id], "signals": types})["creditCharged"]

    assert (old("promotion"), current("allSignals"), old("allSignals")) == (1, 1, 0)


def test_with_too_few_credits_nothing_is_shown_or_charged(directory):
    key = directory.new_key("Poor", credits=1)
    body = {"contactIds": [legacy(Entity.CONTACT, JANE)], "signals": ["allSignals"]}
    answer = directory.post(CONTACTS, body, key=key)
    assert answer.status_code == 402
    assert answer.json().keys() == {"statusCode", "message"}
    assert directory.get("/v3/account/usage", key=key).json()["credits"]["used"] == 0


def test_the_same_key_is_answered_again_for_nothing(directory):
    body = {"contacts": [{"id": "a", "email": "jane@acme.example"}, {"id": "b", "email": "x@y.example"}]}
    body |= {"signals": ["companyChange"]}
    first = asked(directory, CONTACTS + "/search", body, **{"idempotency-key": "k"})
    put(directory, signal(JANE, "companyChange", "2026-05-01", MOVE))
    again = asked(directory, CONTACTS + "/search", body, **{"idempotency-key": "k"})
    assert first == again
    assert directory.get("/v3/account/usage").json()["credits"]["used"] == 1


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        (CONTACTS, {"contactIds": [1]}, "signals is required"),
        (CONTACTS, {"contactIds": [], "signals": ["promotion"]}, "contactIds must have at least 1 element"),
        (CONTACTS, {"contactIds": [1] * 101, "signals": ["promotion"]}, "contactIds must have at most 100"),
        (CONTACTS, {"contactIds": ["1"], "signals": ["promotion"]}, "contactIds.0 must be an integer"),
        (CONTACTS, {"contactIds": [2**53], "signals": ["promotion"]}, "contactIds.0 must be at most"),
        (CONTACTS, {"contactIds": [1], "signals": []}, "signals must have at least 1 element"),
        (CONTACTS, {"contactIds": [1], "signals": ["riskNews"]}, "signals.0 must be one of: "),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "filters": {}},
            "property filters should not",
        ),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "startDate": "2026-02-30"},
            "startDate must be",
        ),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "startDate": "2999-01-01"},
            "startDate must not",
        ),
        (
            CONTACTS,
            {"contactIds": [1], "signals": ["promotion"], "maxResultsPerSignal": 0},
            "maxResultsPerSignal",
        ),
        (
            COMPANIES,
            {"companyIds": [1], "signals": ["riskNew"]},
            "signals.0 must be a known value; the nearest",
        ),
        (
            COMPANIES,
            {
                "companyIds": [1],
                "signals": ["allSignals"],
                "filters": {"include": {"hiringByLocations": [{"state": "Texas"}]}},
            },
            "filters.include.hiringByLocations.0.country is required",
        ),
        (
            COMPANIES,
            {
                "companyIds": [1],
                "signals": ["allSignals"],
                "filters": {"include": {"newsEventTypes": ["M&B"]}},
            },
            "filters.include.newsEventTypes.0 must be a known value",
        ),
        (
            COMPANIES,
            {
                "companyIds": [1],
                "signals": ["allSignals"],
                "filters": {"include": {"intentCategories": ["x"]}},
            },
            "filters.include.property intentCategories should not exist",
        ),
        (
            CONTACTS + "/search",
            {"contacts": [{"email": "a@b.example"}], "signals": ["promotion"]},
            "contacts.0.id",
        ),
        (CONTACTS + "/search", {"contacts": [{"id": "1"}], "signals": ["promotion"]}, "contacts.0 must have"),
        (
            COMPANIES + "/search",
            {"companies": [{"id": "x"}], "signals": ["riskNews"]},
            "companies.0.id must be",
        ),
        (COMPANIES + "/search", {"companies": [], "signals": ["riskNews"]}, "companies must have at least 1"),
    ],
)
def test_a_malformed_request_is_refused_with_its_path(service, path, body, problem):
    answer = service.post(path, body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["statusCode"] == 400
    assert answer.json()["message"].startswith(problem)


def test_a_full_name_that_is_none_is_412(service):
    item = {"id": "1", "full_name": "Jane", "companies": [{"name": "Acme"}]}
    answer = service.post(CONTACTS + "/search", {"contacts": [item], "signals": ["promotion"]})
    assert answer.status_code == 412
    assert answer.json()["message"] == "contacts.0.full_name must be a first and a last name"


def test_the_types_and_filter_values_are_listed_for_nothing(service):
    assert service.get("/api/signals/filters/contact").json() == {
        "signals": ["promotion", "companyChange", "allSignals"],
        "objectType": "contact",
    }
    answer = service.get("/api/signals/filters/company").json()
    assert answer["objectType"] == "company"
    assert (len(answer["signals"]), answer["signals"][0]) == (23, "allSignals")
    assert "linkedinActivityIntent" not in answer["signals"]
    assert {name: len(values) for name, values in answer["filterOptions"].items()} == {
        "newsEventTypes": 26,
        "hiringByDepartments": 16,
    }
    assert service.get("/api/signals/filters/people").status_code == 404


@pytest.mark.parametrize(
    "path",
    [CONTACTS, CONTACTS + "/search", COMPANIES, COMPANIES + "/search", "/api/signals/filters/contact"],
)
def test_a_plan_without_signals_is_refused_by_name(make_service, tmp_path, path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[plans.unlimited.features]\nsignals = false\n")
    closed = make_service(plans_file=str(plans))
    answer = closed.get(path) if "filters" in path else closed.post(path, {})
    assert answer.status_code == 403
    assert answer.json()["errors"] == ["signals"]
