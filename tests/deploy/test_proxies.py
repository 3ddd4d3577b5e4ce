"""deploy/nginx.conf and deploy/Caddyfile in a real nginx and a real Caddy, in front of a real server."""

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

import database_fixtures
from command_fixtures import InProcess
from firmograph.settings import Settings
from server_fixtures import Server, free_port
from services.caddy_server import CaddyServer
from services.nginx_server import NginxServer
from services.proxy import DEPLOY

pytestmark = pytest.mark.any_database

PROXIES = {"nginx": NginxServer, "caddy": CaddyServer}
BODY = {"contacts": [{"email": "ann@example.com"}]}
SEARCH = "/v3/contacts/search"
TABLES = "/v3/contacts/tables"
OWNER = {"email": "dana@acme.example"}
NAMES = ("Bo", "Cy", "Di")


class RecordingNode(ThreadingHTTPServer):
    """A node that answers every request with 200 and keeps its headers; `hangs_up` makes it close instead."""

    daemon_threads = True

    def __init__(self, *, hangs_up: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hangs_up = hangs_up
        self.received: list[tuple[str, str, dict[str, str]]] = []
        """Method, path and headers by their lower-case name, of each request."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingNode

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.rfile.read(int(headers.get("content-length", 0)))
        self.server.received.append((self.command, self.path, headers))
        if self.server.hangs_up:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_GET

    def log_message(self, *ignored: Any) -> None:
        """Log nothing."""


@contextmanager
def recording_node(*, hangs_up: bool = False) -> Iterator[RecordingNode]:
    node = RecordingNode(hangs_up=hangs_up)
    thread = threading.Thread(target=node.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield node
    finally:
        node.shutdown()
        thread.join()
        node.server_close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Return one server for the module, and the key of an account on it."""
    folder = tmp_path_factory.mktemp("served")
    command = InProcess(folder, database_fixtures.fresh(folder))
    command.json("account", "create", "Acme", "--plan", "scale", "--credits", "100")
    command("account", "create", "Tables", "--credits", "100")
    command("user", "add", OWNER["email"], "--account", "Tables")
    (folder / "people.jsonl").write_text(
        "".join(
            json.dumps({"firstName": name, "lastName": "Ode", "emails": [{"email": f"{name}@example.com"}]})
            + "\n"
            for name in NAMES
        )
    )
    command("import", "contacts", "people.jsonl")
    server = Server(command, free_port())
    server.key = command.json("key", "create", "--account", "Acme")["apiKey"]
    server.unlimited_key = command.json("key", "create", "--account", "Tables")["apiKey"]
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(command.database_url)


@pytest.fixture
def before(tmp_path_factory):
    """Return a function that starts a proxy before nodes and returns a client that trusts its certificate."""
    with ExitStack() as ends:

        def start(proxy, *nodes, **changed):
            kind = PROXIES[proxy]
            if kind.binary() is None:
                pytest.skip(f"{proxy} is not installed: its package is called {kind.package}")
            running = kind(tmp_path_factory.mktemp(proxy), nodes, **changed)
            running.start()
            ends.callback(running.stop)
            client = httpx.Client(base_url=running.url, verify=running.certificate.trusted)
            client.trusted = running.certificate.trusted
            return ends.enter_context(client)

        yield start


@pytest.fixture
def node():
    """Return a function that makes nodes recording what a proxy forwards to them."""
    with ExitStack() as ends:
        yield lambda **how: ends.enter_context(recording_node(**how))


both = pytest.mark.parametrize("proxy", PROXIES)


def address(server):
    return f"127.0.0.1:{server.port}"


@both
def test_a_call_with_its_key_is_answered_as_by_the_server_itself(before, served, proxy):
    through = before(proxy, address(served)).post(SEARCH, json=BODY, headers={"api_key": served.key})
    direct = httpx.post(served.url + SEARCH, json=BODY, headers={"api_key": served.key})
    assert (through.status_code, direct.status_code) == (200, 200)
    assert through.headers["x-request-id"] == through.json()["requestId"]
    limits = {name for name in direct.headers if name.startswith(("x-", "ratelimit"))} - {"x-request-id"}
    assert len(limits) == 11
    assert limits <= set(through.headers)


def as_remote_client(proxy, scheme):
    """Return the changes by which the proxy reports a remote client that used `scheme`."""
    if proxy == "nginx":
        return {
            "X-Forwarded-For $remote_addr;": "X-Forwarded-For 203.0.113.9;",
            "X-Forwarded-Proto $scheme;": f"X-Forwarded-Proto {scheme};",
        }
    headers = f"header_up X-Forwarded-For 203.0.113.9\nheader_up X-Forwarded-Proto {scheme}\n"
    return {"header_up -Forwarded\n": headers}


@both
@pytest.mark.parametrize(("scheme", "status"), [("https", 200), ("http", 403)])
def test_the_service_trusts_the_proxys_report_about_its_client(before, served, proxy, scheme, status):
    client = before(proxy, address(served), changed=as_remote_client(proxy, scheme))
    answered = client.post(SEARCH, json=BODY, headers={"api_key": served.key})
    assert answered.status_code == status


def test_nginx_drops_the_key_without_its_line_about_underscores(before, served):
    client = before("nginx", address(served), changed={"    underscores_in_headers on;\n": ""})
    refused = client.post(SEARCH, json=BODY, headers={"api_key": served.key})
    assert refused.status_code == 401
    assert "api_key" in refused.json()["message"]


@both
def test_forwarding_headers_of_a_client_do_not_reach_the_service(before, node, proxy):
    recorder = node()
    forged = {
        "x-forwarded-proto": "http",
        "x-forwarded-for": "203.0.113.9",
        "forwarded": "for=203.0.113.9;proto=http",
    }
    assert before(proxy, recorder.address).post("/any", json=BODY, headers=forged).status_code == 200
    ((_, _, headers),) = recorder.received
    assert headers["x-forwarded-proto"] == "https"
    assert headers["x-forwarded-for"] == "127.0.0.1"
    assert "203.0.113.9" not in str(headers)


@both
def test_refusals_pass_through_unchanged(before, served, proxy):
    client = before(proxy, address(served))
    large = client.post(SEARCH, content=b" " * 1_500_000, headers={"api_key": served.key})
    assert (large.status_code, large.json()["statusCode"]) == (413, 413)
    assert "1048576 bytes" in large.json()["message"]
    wrong = client.post(SEARCH, json={"contacts": []}, headers={"api_key": served.key})
    assert (wrong.status_code, wrong.json()["statusCode"]) == (400, 400)
    assert wrong.json()["message"].startswith("contacts")
    assert {"x-request-id"} <= set(large.headers) & set(wrong.headers)


@both
@pytest.mark.parametrize("chunked", [False, True])
def test_a_much_too_large_body_is_refused_in_the_usual_form(before, served, proxy, chunked):
    client = before(proxy, address(served))
    chunks = [b" " * 65_536] * 60
    body = iter(chunks) if chunked else b"".join(chunks)
    refused = client.post(SEARCH, content=body, headers={"api_key": served.key})
    assert (refused.status_code, refused.json()["statusCode"]) == (413, 413)
    assert "send fewer items" in refused.json()["message"]


@both
@pytest.mark.parametrize("chunked", [False, True])
def test_rows_of_a_table_are_removed_by_a_delete_with_a_body(before, served, proxy, chunked):
    client = before(proxy, address(served))
    client.headers = {"api_key": served.unlimited_key}
    people = [{"email": f"{name}@example.com"} for name in NAMES]
    ids = [result["id"] for result in client.post(SEARCH, json={"contacts": people}).json()["results"]]
    table = {"name": f"By {proxy} {chunked}", "owner": OWNER, "ids": ids}
    path = f"{TABLES}/{client.post(TABLES, json=table).json()['data']['tableId']}"
    body = json.dumps({"entityIds": ids[:2], "owner": OWNER}).encode()
    content = iter([body[:10], body[10:]]) if chunked else body
    removed = client.request("DELETE", f"{path}/entities", content=content)
    assert (removed.status_code, removed.json()["data"]["removed"]) == (200, 2)
    assert client.get(path, params=OWNER).json()["data"]["entityCount"] == 1


@both
def test_a_node_that_is_down_is_skipped(before, served, proxy):
    client = before(proxy, f"127.0.0.1:{free_port()}", address(served))
    for _ in range(6):
        assert client.post(SEARCH, json=BODY, headers={"api_key": served.key}).status_code == 200


@both
def test_a_call_that_was_sent_to_a_node_is_never_repeated_on_another(before, node, proxy):
    nodes = [node(hangs_up=True), node(hangs_up=True)]
    client = before(proxy, *(each.address for each in nodes))
    failed = client.post("/v3/contacts/enrich", json=BODY, headers={"idempotency-key": "once"})
    assert (failed.status_code, failed.json()["statusCode"]) == (502, 502)
    assert failed.headers["retry-after"] == "1"
    assert sum(len(each.received) for each in nodes) == 1


@both
def test_without_any_node_the_answer_has_the_usual_form(before, proxy):
    sooner = {"lb_try_duration 3s": "lb_try_duration 200ms"} if proxy == "caddy" else {}
    client = before(proxy, f"127.0.0.1:{free_port()}", changed=sooner)
    failed = client.post(SEARCH, json=BODY)
    assert (failed.status_code, failed.json()["statusCode"]) == (502, 502)
    assert failed.headers["content-type"] == "application/json"


@both
@pytest.mark.parametrize("path", ["/metrics", "/metrics/", "//metrics", "/%6detrics", "/x/../metrics"])
def test_metrics_are_not_public(before, node, proxy, path):
    recorder = node()
    client = before(proxy, recorder.address)
    # sent raw, as httpx would normalise it
    plain = http.client.HTTPSConnection(client.base_url.netloc.decode(), context=client.trusted)
    plain.request("GET", path)
    assert plain.getresponse().status == 404
    plain.close()
    assert client.get("/health").status_code == 200
    assert [requested for _, requested, _ in recorder.received] == ["/health"]


@both
def test_a_long_answer_passes_through_completely(before, served, proxy):
    path = "/docs/swagger-ui-bundle.js"
    through = before(proxy, address(served)).get(path)
    assert len(through.content) > 1_000_000
    assert through.content == httpx.get(served.url + path).content


@pytest.mark.parametrize(
    ("name", "line"), [("nginx.conf", r"keepalive_timeout (\d+)s;"), ("Caddyfile", r"keepalive (\d+)s")]
)
def test_the_proxy_closes_an_idle_connection_before_the_server_does(name, line):
    (seconds,) = re.findall(line, (DEPLOY / name).read_text())
    assert int(seconds) < Settings().idle_seconds
