"""Health, metrics, and the page that describes the API, in the whole application."""

import asyncio
import re
from hashlib import sha256
from importlib.resources import files

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

pytestmark = pytest.mark.any_database

PAGES = ["/docs", "/docs/start.js", "/openapi.json"]


@pytest.fixture
def service(shared_service):
    """Return the application of the module: most tests read what is the same for everybody."""
    return shared_service


def test_health_needs_no_key_and_shows_the_positions_of_the_indexes(service):
    answer = service.client.get("/health")
    assert answer.status_code == 200
    health = answer.json()
    assert health.pop("similarity").keys() == {"state", "applied", "head"}
    search = {"state": "ready", "applied": 0, "head": 0}
    assert health == {"status": "ok", "version": "0.1.0", "search": search}


@pytest.mark.any_database
@pytest.mark.parametrize("path", PAGES)
def test_the_description_needs_no_key(service, path):
    assert service.client.get(path).status_code == 200


@pytest.mark.any_database
@pytest.mark.parametrize("path", ["/docs", "/docs/start.js", "/docs/swagger-ui.css"])
def test_the_page_requests_no_other_host(service, path):
    text = service.client.get(path).text
    assert not re.findall(r"""(?:src|href|url)\s*[=(:]\s*["']?(?:https?:)?//[^"')\s]*""", text)


@pytest.mark.any_database
def test_the_page_may_load_nothing_from_elsewhere(service):
    policy = service.client.get("/docs").headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == "'self'"
    assert "http" not in policy


@pytest.mark.any_database
def test_every_file_of_the_page_is_served(service):
    names = re.findall(r'(?:src|href)="([^"]+)"', service.client.get("/docs").text)
    assert len(names) == 4
    for name in names:
        assert service.client.get(name).status_code == 200


@pytest.mark.any_database
def test_the_files_of_swagger_ui_are_those_that_were_released():
    folder = files("firmograph.api") / "swagger_ui"
    lines = (folder / "SHA256SUMS.txt").read_text().splitlines()
    expected = {name: digest for digest, name in (line.split("  ") for line in lines)}
    own = {"SHA256SUMS.txt", "README.md"}
    kept = {one.name: sha256(one.read_bytes()).hexdigest() for one in folder.iterdir() if one.name not in own}
    assert kept == expected


@pytest.mark.any_database
def test_the_page_reads_the_version_of_openapi_that_is_served(service):
    assert 'url: "/openapi.json"' in service.client.get("/docs/start.js").text
    assert service.client.get("/openapi.json").json()["openapi"].startswith("3.1.")
    # Swagger UI reads OpenAPI 3.1 from its version 5 on
    (version,) = re.findall(
        r'PACKAGE_VERSION:"(\d+)\.', service.client.get("/docs/swagger-ui-bundle.js").text
    )
    assert int(version) >= 5


def meters(service):
    text = metrics(service).text
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def metrics(service, client=("127.0.0.1", 1), **headers):
    """Return a function that reads metrics from an address."""

    async def get():
        transport = httpx.ASGITransport(service.app, client=client)
        async with httpx.AsyncClient(transport=transport, base_url="https://firmograph.test") as caller:
            return await caller.get("/metrics", headers=headers)

    return asyncio.run(get())


def test_requests_are_counted_by_endpoint_and_status(make_service):
    service = make_service()
    service.post("/v3/contacts/search", {"contacts": [{"id": "1"}]})
    service.post("/v3/contacts/search", {})
    service.client.get("/nothing")
    counted = meters(service)
    name = "firmograph_requests_total"
    assert counted[name, ("endpoint", "search_contacts"), ("status", "200")] == 1
    assert counted[name, ("endpoint", "search_contacts"), ("status", "400")] == 1
    assert counted[name, ("endpoint", "none"), ("status", "404")] == 1
    assert counted["firmograph_request_seconds_count", ("endpoint", "search_contacts")] == 2


@pytest.mark.any_database
def test_metrics_name_no_account(service):
    service.new_key("Visible Name Ltd")
    assert "Visible" not in metrics(service).text


@pytest.mark.any_database
@pytest.mark.parametrize("client", [("127.0.0.1", 1), ("::1", 1), ("::ffff:127.0.0.1", 1)])
def test_metrics_are_shown_to_this_machine(service, client):
    assert metrics(service, client).status_code == 200


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("client", "headers"),
    [
        (("192.0.2.1", 1), {}),
        (("testclient", 1), {}),
        (("127.0.0.1", 1), {"x-forwarded-for": "192.0.2.1"}),
        (("127.0.0.1", 1), {"forwarded": "for=192.0.2.1"}),
    ],
)
def test_metrics_are_refused_to_other_machines(service, client, headers):
    assert metrics(service, client, **headers).status_code == 403


@pytest.mark.any_database
def test_only_a_token_opens_metrics_to_other_machines(make_service):
    service = make_service(metrics_token="t0ken")
    elsewhere = ("192.0.2.1", 1)
    assert metrics(service, elsewhere, authorization="Bearer t0ken").status_code == 200
    assert metrics(service, elsewhere, authorization="Bearer other").status_code == 401
    assert metrics(service).status_code == 401


def test_a_browser_is_led_from_the_root_to_the_page(service):
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = service.client.get("/", headers=browser, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/workspace")


@pytest.mark.parametrize("accepted", ["application/json", "*/*"])
def test_the_root_is_an_unknown_path_for_other_clients(service, accepted):
    answers = [service.client.get(path, headers={"accept": accepted}) for path in ("/", "/nowhere")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()


def test_the_page_filters_operations_and_says_how_to_give_a_key(service):
    assert "filter: true" in service.client.get("/docs/start.js").text
    about = service.client.get("/openapi.json").json()["info"]["description"]
    assert "firmograph key create --account NAME" in about
