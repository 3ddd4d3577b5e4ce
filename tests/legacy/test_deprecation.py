"""Headers that announce the end of the legacy generation, and those of answers with people."""

import pytest

from firmograph.api.metrics import Metrics
from firmograph.bootstrap.application import _endpoints
from firmograph.kit.errors import Refused
from firmograph.settings import Settings, load_settings

pytestmark = pytest.mark.any_database

LEGACY = {
    "/v2/person?email=nobody@acme.example.com": "/v3/contacts/search-and-enrich",
    "/v2/company?domain=nobody.example.com": "/v3/companies/search-and-enrich",
    "/prospecting/filters/contacts/departments": "/v3/contacts/prospecting/filters/departments",
    "/prospecting/filters/contacts/all_countries": "/v3/contacts/prospecting/filters/countries",
    "/api/signals/filters/company": "/v3/companies/signals/filters",
    "/account/usage": "/v3/account/usage",
}
BOTH = {"legacy_deprecated_since": "2026-01-01", "legacy_sunset": "2026-11-18"}


def settings(**texts):
    """Return settings as the environment gives them."""
    given = load_settings({f"FIRMOGRAPH_{name.upper()}": text for name, text in texts.items()})
    return {name: getattr(given, name) for name in texts}


@pytest.fixture(scope="module")
def announcing(make_shared_service):
    """Return an application that announces both dates."""
    return make_shared_service(**settings(**BOTH))


@pytest.fixture
def announced(announcing):
    return announcing.with_account()


@pytest.mark.parametrize("path", LEGACY)
def test_a_legacy_answer_names_its_successor_and_its_dates(announced, path):
    answer = announced.get(path)
    assert answer.headers["deprecation"] == "@1767225600"
    assert answer.headers["link"] == f'<{LEGACY[path]}>; rel="successor-version"'
    assert answer.headers["sunset"] == "Wed, 18 Nov 2026 00:00:00 GMT"


def test_errors_of_legacy_calls_have_the_headers_too(announced):
    for answer in (announced.client.get("/v2/person"), announced.post("/v2/person", {"x": 1})):
        assert answer.status_code in (400, 401)
        assert answer.headers["deprecation"] == "@1767225600"


@pytest.mark.parametrize("method", ["PUT", "HEAD", "PROPFIND", "OPTIONS"])
@pytest.mark.parametrize(
    "path", ["/v2/person", "/prospecting/contact/search", "/api/signals/filters/company"]
)
def test_answers_without_an_endpoint_have_the_headers_too(announced, method, path):
    answer = announced.client.request(method, path)
    assert answer.status_code == (204 if method == "OPTIONS" else 405)
    assert {"deprecation", "sunset", "link"} <= answer.headers.keys()
    assert "OPTIONS" in answer.headers["allow"]
    assert "PUT" not in answer.headers["allow"]
    assert answer.headers.get_list("cache-control") in ([], ["no-store"])


def test_a_path_below_a_legacy_one_has_none(announced):
    answer = announced.get("/v2/person/1")
    assert answer.status_code == 404
    assert "deprecation" not in answer.headers


def test_other_answers_have_none(announced):
    for answer in (
        announced.get("/v3/account/usage"),
        announced.get("/api/audit-logs"),
        announced.get("/api/subscriptions"),
        announced.client.get("/health"),
    ):
        assert not {"deprecation", "sunset", "link"} & answer.headers.keys()


def test_without_the_settings_there_are_no_headers(service):
    answer = service.get("/v2/person?email=nobody@acme.example.com")
    assert not {"deprecation", "sunset", "link"} & answer.headers.keys()


def test_each_setting_stands_alone(make_service):
    one = make_service(**settings(legacy_deprecated_since="2026-01-01", legacy_sunset=""))
    assert "sunset" not in one.get("/account/usage").headers


@pytest.mark.parametrize("text", ["soon", "2026-02-30", "01.02.2026"])
def test_a_setting_that_is_no_date_is_refused_by_its_name(text):
    with pytest.raises(Refused, match="FIRMOGRAPH_LEGACY_SUNSET: must be a date, YYYY-MM-DD, or empty"):
        load_settings({"FIRMOGRAPH_LEGACY_SUNSET": text})
    assert load_settings({"FIRMOGRAPH_LEGACY_SUNSET": ""}) == Settings()


def test_an_end_before_the_deprecation_is_refused():
    dates = {"FIRMOGRAPH_LEGACY_DEPRECATED_SINCE": "2026-05-01", "FIRMOGRAPH_LEGACY_SUNSET": "2026-04-30"}
    with pytest.raises(Refused, match="LEGACY_SUNSET: must not be before FIRMOGRAPH_LEGACY_DEPRECATED_SINCE"):
        load_settings(dates)
    assert load_settings(dates | {"FIRMOGRAPH_LEGACY_SUNSET": "2026-05-01"}).legacy_sunset


@pytest.mark.parametrize("path", ["/v2/person?email=nobody@acme.example.com", "/person", "/v2/company?x=1"])
def test_answers_to_get_are_not_stored_by_caches(announced, path):
    assert announced.get(path).headers["cache-control"] == "no-store"


def test_every_legacy_path_names_a_path_that_exists(announcing):
    paths = announcing.client.get("/openapi.json").json()["paths"]
    endpoints = _endpoints(announcing.installation, Metrics("test"))
    legacy = [each for each in endpoints if each.successor]
    assert len(legacy) > 30
    assert {each.successor for each in legacy} <= paths.keys()
    unnamed = {
        each.path
        for each in endpoints
        if each.path.startswith(("/v2", "/bulk", "/person", "/company", "/prospecting", "/api/signals"))
        and not each.successor
    }
    assert unnamed == set()


def test_every_call_with_a_key_forbids_caches_to_store_it(announcing):
    endpoints = _endpoints(announcing.installation, Metrics("test"))
    not_stored = {each.name for each in endpoints if (b"cache-control", b"no-store") in each.all_headers}
    assert not_stored == {each.name for each in endpoints if not each.public}
    assert {"get_person_legacy", "get_company_legacy", "enrich_contacts"} <= not_stored
