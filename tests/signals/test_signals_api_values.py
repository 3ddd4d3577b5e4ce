"""Lists of types, filters and filter values, and plans without signals."""

import pytest
import signal_fixtures as world

from firmograph.database.connection import RECORDS
from firmograph.signals import types
from firmograph.signals.hiring.store import Posting, store_postings
from firmograph.signals.posts.topics import load_topics

FILTERS = "/v3/companies/signals/filters"


@pytest.fixture(scope="module")
def shared_service(make_shared_service, tmp_path_factory):
    """Return the application of the module, where one plan has no signals."""
    plans = tmp_path_factory.mktemp("plans") / "plans.toml"
    plans.write_text("[plans.free.features]\nsignals = false\n")
    return make_shared_service(plans_file=str(plans))


def values(shared_service, name, query=""):
    answer = shared_service.get(f"{FILTERS}/{name}{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["values"]


def test_types_are_listed_in_the_documented_order(shared_service):
    assert shared_service.get("/v3/contacts/signals/types").json() == {
        "signalTypes": ["allSignals", "promotion", "companyChange"]
    }
    listed = shared_service.get("/v3/companies/signals/types").json()["signalTypes"]
    assert len(listed) == 24
    assert listed[:3] == ["allSignals", "linkedinActivityIntent", "websiteTrafficDecrease"]


def test_the_list_of_filters_has_the_filters_that_require_a_query(shared_service):
    assert shared_service.get(FILTERS).json() == {
        "availableFilters": [
            {"filterType": "newsEventTypes", "requiresQuery": False},
            {"filterType": "hiringByDepartments", "requiresQuery": False},
            {"filterType": "hiringByLocations", "requiresQuery": True},
            {"filterType": "intentCategories", "requiresQuery": False},
        ]
    }


def test_events_departments_and_categories_are_listed_completely(shared_service):
    assert values(shared_service, "newsEventTypes") == list(types.NEWS_EVENT_TYPES)
    assert len(values(shared_service, "newsEventTypes")) == 26
    assert len(values(shared_service, "hiringByDepartments")) == 16
    assert values(shared_service, "intentCategories") == load_topics().categories


@pytest.mark.parametrize("name", ["newsEventTypes", "hiringByDepartments"])
def test_a_superfluous_query_is_ignored(shared_service, name):
    assert values(shared_service, name, "?query=x") == values(shared_service, name)


@pytest.mark.parametrize("query", ["?query=", "?query"])
def test_an_empty_query_on_categories_counts_as_absent(shared_service, query):
    assert values(shared_service, "intentCategories", query) == values(shared_service, "intentCategories")


@pytest.mark.parametrize("query", ["?query=tech", "?a=1&query=x", "?%71uery=x", "?query=%ff"])
def test_a_query_on_categories_is_refused(shared_service, query):
    answer = shared_service.get(f"{FILTERS}/intentCategories{query}")
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
def test_locations_require_a_query(shared_service, query, problem):
    answer = shared_service.get(f"{FILTERS}/hiringByLocations{query}")
    assert answer.status_code == 400
    assert answer.json()["message"] == problem


def test_an_unknown_filter_is_a_404(shared_service):
    assert shared_service.get(f"{FILTERS}/colours").status_code == 404
    assert shared_service.get("/v3/contacts/signals/filters").status_code == 404


def post_job(service, id, location):
    posting = Posting(str(location), "Sales", None, *location, "2026-01-01", None, "2026-01-01")
    with service.database.write(RECORDS) as session:
        store_postings(session, 1, [(world.company_number(id), posting)])


@pytest.fixture(scope="module")
def hiring(shared_service):
    """Create surges and postings at some locations."""
    (company,) = world.store_companies(shared_service, 1)
    world.insert_signals(
        shared_service.database,
        [
            world.surge(company.id, "2026-05-01", "United States", "California", "US|CA"),
            world.surge(company.id, "2026-05-02", "United States", None, "US"),
            world.surge(company.id, "2026-05-03", "Germany", "Bavaria", "DE|BY"),
        ],
    )
    post_job(shared_service, company.id, ("US", "CA", "United States", "California"))
    post_job(shared_service, company.id, ("DE", "BY", "Germany", "Bavaria"))
    post_job(shared_service, company.id, ("GB", None, "United Kingdom", "Nether Wallop"))
    post_job(shared_service, company.id, (None, None, None, None))
    return company


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
    ],
)
@pytest.mark.usefixtures("hiring")
def test_locations_come_from_postings(shared_service, query, found):
    assert values(shared_service, "hiringByLocations", f"?query={query}") == found


def test_a_listed_location_is_a_valid_filter_value(shared_service, hiring):
    location = values(shared_service, "hiringByLocations", "?query=cali")[0]
    body = {
        "ids": [hiring.id],
        "signalTypes": ["surgeInHiringByLocation"],
        "filters": {"include": {"hiringByLocations": [location]}},
    }
    (result,) = shared_service.post("/v3/companies/signals", body).json()["results"]
    assert [one["state"] for one in result["surgeInHiringByLocation"]] == ["California"]


@pytest.fixture
def without_signals(shared_service):
    """Return an account whose plan has no signals."""
    return shared_service.with_account(plan="free", credits=5)


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
def test_a_plan_without_signals_is_refused_the_lists(shared_service, without_signals, path):
    answer = without_signals.get(path)
    assert answer.status_code == 403
    assert answer.json()["errors"] == ["signals"]
    assert "signals is not part of the account's plan" in answer.json()["message"]
    assert shared_service.get(path.partition("?")[0] + "?query=xx").status_code != 403


@pytest.mark.parametrize("path", ["/v3/contacts/signals", "/v3/companies/signals"])
def test_a_plan_without_signals_is_refused_before_the_body_is_validated(without_signals, path):
    for body in ({"ids": ["1"], "signalTypes": ["allSignals"]}, b"{", {"nothing": 1}):
        assert without_signals.post(path, body).status_code == 403
