"""What may be asked for: types, filters and their values, and a plan without signals."""

import pytest
import signal_fixtures as world

from firmograph.database.connection import RECORDS
from firmograph.signals import types
from firmograph.signals.hiring_store import Posting, put_postings
from firmograph.signals.topics import load_topics

FILTERS = "/v3/companies/signals/filters"


def values(reading, name, query=""):
    answer = reading.get(f"{FILTERS}/{name}{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["values"]


def test_the_types_of_contacts_and_companies_are_listed_in_documented_order(reading):
    assert reading.get("/v3/contacts/signals/types").json() == {
        "signalTypes": ["allSignals", "promotion", "companyChange"]
    }
    listed = reading.get("/v3/companies/signals/types").json()["signalTypes"]
    assert len(listed) == 24
    assert listed[:3] == ["allSignals", "linkedinActivityIntent", "websiteTrafficDecrease"]


def test_the_filters_are_listed_and_say_which_needs_a_query(reading):
    assert reading.get(FILTERS).json() == {
        "availableFilters": [
            {"filterType": "newsEventTypes", "requiresQuery": False},
            {"filterType": "hiringByDepartments", "requiresQuery": False},
            {"filterType": "hiringByLocations", "requiresQuery": True},
            {"filterType": "intentCategories", "requiresQuery": False},
        ]
    }


def test_events_departments_and_categories_are_listed_whole(reading):
    assert values(reading, "newsEventTypes") == list(types.NEWS_EVENT_TYPES)
    assert len(values(reading, "newsEventTypes")) == 26
    assert len(values(reading, "hiringByDepartments")) == 16
    assert values(reading, "intentCategories") == load_topics().categories


@pytest.mark.parametrize("name", ["newsEventTypes", "hiringByDepartments"])
def test_a_superfluous_query_is_ignored(reading, name):
    assert values(reading, name, "?query=x") == values(reading, name)


@pytest.mark.parametrize("query", ["?query=", "?query"])
def test_an_empty_query_on_categories_counts_as_absent(reading, query):
    assert values(reading, "intentCategories", query) == values(reading, "intentCategories")


@pytest.mark.parametrize("query", ["?query=tech", "?a=1&query=x", "?%71uery=x", "?query=%ff"])
def test_any_query_on_categories_is_refused(reading, query):
    answer = reading.get(f"{FILTERS}/intentCategories{query}")
    assert answer.status_code == 400
    assert answer.json()["message"] == "query should not exist: intentCategories are always listed whole"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "query is required"),
        ("?query=u", "query must have at least 2 characters"),
        ("?query=" + "u" * 257, "query must have at most 256 characters"),
    ],
)
def test_places_are_asked_for_by_a_query(reading, query, problem):
    answer = reading.get(f"{FILTERS}/hiringByLocations{query}")
    assert answer.status_code == 400
    assert answer.json()["message"] == problem


def test_an_unknown_filter_is_no_path(reading):
    assert reading.get(f"{FILTERS}/colours").status_code == 404
    assert reading.get("/v3/contacts/signals/filters").status_code == 404


def post_job(service, company, place):
    posting = Posting(str(place), "Sales", None, *place, "2026-01-01", None, "2026-01-01")
    with service.database.write(RECORDS) as session:
        put_postings(session, 1, [(company, posting)])


@pytest.fixture(scope="module")
def hiring(reading):
    """Surges and postings at a few places."""
    world.companies(reading, 1)
    world.put(
        reading.database,
        [
            world.surge(1, "2026-05-01", "United States", "California", "US|CA"),
            world.surge(1, "2026-05-02", "United States", None, "US"),
            world.surge(1, "2026-05-03", "Germany", "Bavaria", "DE|BY"),
        ],
    )
    post_job(reading, 1, ("US", "CA", "United States", "California"))
    post_job(reading, 1, ("DE", "BY", "Germany", "Bavaria"))
    post_job(reading, 1, ("GB", None, "United Kingdom", "Nether Wallop"))
    post_job(reading, 1, (None, None, None, None))
    return reading


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (
            "united",
            [
                {"country": "United Kingdom"},
                {"country": "United States"},
                {"country": "United Kingdom", "state": "Nether Wallop"},
                {"country": "United States", "state": "California"},
            ],
        ),
        ("CALI", [{"country": "United States", "state": "California"}]),
        ("wall", [{"country": "United Kingdom", "state": "Nether Wallop"}]),
        ("de", [{"country": "Germany"}]),
        ("by", [{"country": "Germany", "state": "Bavaria"}]),
        ("france", []),
        ("%20%20", []),
    ],
)
def test_places_are_those_of_postings(hiring, query, found):
    assert values(hiring, "hiringByLocations", f"?query={query}") == found


def test_a_place_that_was_found_narrows_as_it_is(hiring):
    place = values(hiring, "hiringByLocations", "?query=cali")[0]
    body = {
        "ids": world.ids(hiring, "companies", [{"domain": "c0.example.com"}]),
        "signalTypes": ["surgeInHiringByLocation"],
        "filters": {"include": {"hiringByLocations": [place]}},
    }
    (result,) = hiring.post("/v3/companies/signals", body).json()["results"]
    assert [one["state"] for one in result["surgeInHiringByLocation"]] == ["California"]


@pytest.fixture(scope="module")
def without_signals(make_reading, tmp_path_factory):
    plans = tmp_path_factory.mktemp("plans") / "plans.toml"
    plans.write_text("[plans.free.features]\nsignals = false\n")
    service = make_reading(plans_file=str(plans))
    return service, service.new_key("Small", plan="free", credits=5)


@pytest.mark.parametrize(
    "path",
    [
        "/v3/contacts/signals/types",
        "/v3/companies/signals/types",
        FILTERS,
        f"{FILTERS}/newsEventTypes",
        f"{FILTERS}/hiringByLocations",
        f"{FILTERS}/intentCategories?query=x",
    ],
)
def test_a_plan_without_signals_is_told_so(without_signals, path):
    service, key = without_signals
    answer = service.get(path, key=key)
    assert answer.status_code == 403
    assert answer.json()["errors"] == ["signals"]
    assert "signals is not part of the account's plan" in answer.json()["message"]
    assert service.get(path.partition("?")[0] + "?query=xx").status_code != 403


@pytest.mark.parametrize("path", ["/v3/contacts/signals", "/v3/companies/signals"])
def test_a_plan_without_signals_is_refused_before_the_body_is_looked_at(without_signals, path):
    service, key = without_signals
    for body in ({"ids": ["1"], "signalTypes": ["allSignals"]}, b"{", {"nothing": 1}):
        assert service.post(path, body, key=key).status_code == 403
