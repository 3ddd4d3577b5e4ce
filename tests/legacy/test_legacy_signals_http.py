"""The answers of the legacy endpoints of signals."""

import pytest
from legacy_fixtures import (
    ACME,
    COMPANIES,
    CONTACTS,
    JANE,
    JOE,
    RIVAL,
    TOKENS,
    acme,
    answer_of,
    legacy,
    put,
    signal,
)

from firmograph.directory.records import Company
from firmograph.kit.clock import today
from firmograph.security.record_ids import Entity
from firmograph.signals.events import HiringSurge
from record_factory import load_companies

pytestmark = pytest.mark.any_database


def test_a_contact_is_under_its_id_with_an_array_for_each_requested_type(directory):
    jane, joe = legacy(Entity.CONTACT, JANE), legacy(Entity.CONTACT, JOE)
    answer = answer_of(directory, CONTACTS, {"contactIds": [jane, joe], "signals": ["companyChange"]})
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


def test_a_company_is_under_its_id_with_the_types_of_its_signals(directory):
    ids = [legacy(Entity.COMPANY, number) for number in (ACME, RIVAL)]
    body = {"companyIds": ids, "signals": ["headcountIncrease3m", "surgeInHiring"], "startDate": "2026-01-01"}
    answer = answer_of(directory, COMPANIES, body)
    company = answer["companies"][str(ids[0])]
    assert len(company["headcountIncrease3m"][0].pop("signalId")) == 32
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


def test_unknown_ids_are_left_out_and_repeated_ids_count_once(directory):
    jane = legacy(Entity.CONTACT, JANE)
    ids = [legacy(Entity.CONTACT, 99), jane, jane, 12345]
    answer = answer_of(directory, CONTACTS, {"contactIds": ids, "signals": ["allSignals"]})
    assert list(answer["contacts"]) == [str(jane)]
    assert answer["creditCharged"] == 2
    nobody = answer_of(directory, CONTACTS, {"contactIds": [12345], "signals": ["allSignals"]})
    day = today(directory.clock).isoformat()
    assert nobody == {"contacts": {}, "startDate": day, "endDate": day, "creditCharged": 0}


def test_searches_answer_by_the_callers_own_keys(directory):
    people = [
        {"id": "row 1", "email": "jane@acme.example"},
        {"id": "row 2", "full_name": "Joe Bloggs", "companies": [{"name": "Rival"}]},
        {"id": "row 3", "email": "nobody@acme.example"},
        {"id": "row 4", "full_name": "Jane Doe", "companies": [{"domain": "acme.example"}]},
    ]
    answer = answer_of(directory, CONTACTS + "/search", {"contacts": people, "signals": ["promotion"]})
    assert {key: len(contact["promotion"]) for key, contact in answer["contacts"].items()} == {
        "row 1": 2,
        "row 2": 0,
        "row 4": 2,
    }
    assert answer["creditCharged"] == 1
    own = TOKENS.seal(Entity.COMPANY, ACME)
    companies = [{"id": own}, {"id": '"', "name": "Rival"}, {"id": "9", "domain": "nowhere.example"}]
    answer = answer_of(directory, COMPANIES + "/search", {"companies": companies, "signals": ["riskNews"]})
    assert {key: company["companyName"] for key, company in answer["companies"].items()} == {
        own: "Acme",
        '"': "Rival",
    }


def test_all_signals_are_the_types_of_the_legacy_endpoints(directory):
    assert set(acme(directory, "allSignals")) == {
        "headcountIncrease3m",
        "surgeInHiringByDepartment",
        "surgeInHiringByLocation",
        "riskNews",
        "commercialActivityNews",
    }


def test_filters_narrow_their_own_types_only_and_any_value_matches(directory):
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


def test_start_date_and_limit_bound_the_results_newest_first(directory):
    jane = legacy(Entity.CONTACT, JANE)

    def days(**more):
        body = {"contactIds": [jane], "signals": ["promotion"], **more}
        return [
            one["signalDate"]
            for one in answer_of(directory, CONTACTS, body)["contacts"][str(jane)]["promotion"]
        ]

    assert days() == ["2026-04-01", "2026-03-01"]
    assert days(startDate="2026-03-02") == ["2026-04-01"]
    assert days(maxResultsPerSignal=1) == ["2026-04-01"]
    assert days(maxResultsPerSignal=5_000) == ["2026-04-01", "2026-03-01"]


def test_more_than_a_thousand_of_a_type_are_truncated_and_marked_so(directory):
    load_companies(directory.database, "a", [Company(name="Busy", domain="busy.example")])
    found = directory.post("/v3/companies/search", {"companies": [{"domain": "busy.example"}]}).json()
    busy = TOKENS.open(Entity.COMPANY, found["results"][0]["id"])
    put(
        directory,
        *(signal(busy, "surgeInHiring", "2025-06-01", HiringSurge(n, 1, n), str(n)) for n in range(1_001)),
    )
    id = legacy(Entity.COMPANY, busy)
    body = {"companyIds": [id], "signals": ["surgeInHiring"], "maxResultsPerSignal": 1_000_000}
    company = answer_of(directory, COMPANIES, body)["companies"][str(id)]
    assert (len(company["surgeInHiring"]), company["truncated"]) == (1_000, True)


def test_listing_types_and_filter_values_is_free(directory):
    assert directory.get("/api/signals/filters/contact").json() == {
        "signals": ["promotion", "companyChange", "allSignals"],
        "objectType": "contact",
    }
    answer = directory.get("/api/signals/filters/company").json()
    assert answer["objectType"] == "company"
    assert (len(answer["signals"]), answer["signals"][0]) == (23, "allSignals")
    assert "linkedinActivityIntent" not in answer["signals"]
    assert {name: len(values) for name, values in answer["filterOptions"].items()} == {
        "newsEventTypes": 26,
        "hiringByDepartments": 16,
    }
    assert directory.get("/api/signals/filters/people").status_code == 404
