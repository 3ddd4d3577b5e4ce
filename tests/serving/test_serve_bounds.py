"""Limits on the connections, headers and time that clients take of a real server while others are served."""

import json
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from threading import Event

import httpx
import psutil
import pytest
from connection_flood import is_closed, most_connections, silent
from worker_processes import ForkedWorkers

import database_fixtures
from effort import THOROUGH
from server_fixtures import Server, eventually, free_port
from services.proxy import Certificate

pytestmark = pytest.mark.any_database

SILENT = most_connections(4_096 if THOROUGH else 512)
BOUND = SILENT // 2
CALLERS = 100
LIMITS = {
    "FIRMOGRAPH_MAX_CONNECTIONS": str(BOUND),
    "FIRMOGRAPH_HEADER_SECONDS": "3",
    "FIRMOGRAPH_IDLE_SECONDS": "3",
}


class Bounded(Server):
    """A server with low limits, and its clients."""

    def __init__(self, command, trusted, *options):
        super().__init__(command, free_port(), *options, **LIMITS)
        self.trusted = trusted
        self.url = f"{'https' if trusted else 'http'}://127.0.0.1:{self.port}"

    def get(self, path):
        return httpx.get(self.url + path, headers={"api_key": self.key}, verify=self.trusted or True)

    def answers(self):
        try:
            return self.get("/health").status_code == 200
        except httpx.TransportError:
            return False

    def cuts(self, reason):
        """Return how many connections all workers closed for a reason."""
        found = re.search(
            rf'^firmograph_connections_closed_total{{reason="{reason}"}} (\S+)',
            self.get("/metrics").text,
            re.MULTILINE,
        )
        return float(found[1]) if found else 0

    @contextmanager
    def connected(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as plain:
            if not self.trusted:
                yield plain
                return
            with self.trusted.wrap_socket(plain, server_hostname="localhost") as encrypted:
                yield encrypted

    def send(self, *parts):
        """Send the parts until the server has answered; return status, fields and body of the answer."""
        with self.connected() as connection:
            # the answer may come earlier, and later bytes are not read forever
            with suppress(OSError):
                for part in parts:
                    connection.sendall(part)
            return answer(connection)


def answer(connection):
    """Return the first answer on a connection."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        part = connection.recv(65_536)
        assert part, raw
        raw += part
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").lower().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    while len(body) < int(fields["content-length"]):
        body += connection.recv(65_536)
    return int(first.split()[1]), fields, body


def ends(connection):
    """Read to the end of a connection, which must come."""
    with suppress(ssl.SSLEOFError):
        while connection.recv(65_536):
            pass
    return True


KINDS = [
    "plain",
    # other ways to the same limits
    pytest.param("certificate", marks=pytest.mark.slow("limits of connections", "serving")),
    pytest.param("workers", marks=pytest.mark.slow("limits of connections", "serving")),
]


@pytest.fixture(scope="module", params=KINDS)
def served(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bounded")
    command = ForkedWorkers(folder, database_fixtures.fresh(folder))
    for name in ("Acme", "Other"):
        command.json("account", "create", name)
    options, trusted = (), None
    if request.param == "certificate":
        certificate = Certificate(folder)
        options, trusted = ("--certificate", certificate.chain, "--key", certificate.key), certificate.trusted
    if request.param == "workers":
        options = ("--workers", "2")
    server = Bounded(command, trusted, *map(str, options))
    server.key = command.json("key", "create", "--account", "Acme")["apiKey"]
    try:
        eventually(server.answers, "the server does not answer")
        yield server
    finally:
        server.stop()
        database_fixtures.drop(command.database_url)


HEAD = b"GET /health HTTP/1.1\r\nhost: x\r\n"


@pytest.mark.slow("limits of connections", "serving")
def test_many_silent_connections_block_nobody(served):
    with silent(served.port, SILENT) as connections:
        assert served.get("/v3/account/usage").status_code == 200
        # each worker has its own limit, and accepts its share
        assert sum(map(is_closed, connections)) >= SILENT - 2 * BOUND
        assert served.answers()
        eventually(lambda: all(map(is_closed, connections)), "silent connections are not closed")
        assert served.cuts("bound") + served.cuts("no_header") >= SILENT
    assert served.answers()
    line = next(line for line in iter(served.process.stderr.readline, "") if "were closed" in line)
    assert {"connections were closed", "warning"} < set(json.loads(line).values())


@pytest.mark.parametrize(
    ("begins", "continues", "status"),
    [
        (b"GET /", b"a" * 65_536, 414),
        (HEAD + b"x: ", b"a" * 65_536, 431),
        (HEAD, b"x: y\r\n" * 10_000, 431),
        (b"\r\n", b"\r\n" * 30_000, 400),
    ],
)
def test_an_endless_request_is_refused_while_it_arrives(served, begins, continues, status):
    before = served.cuts("too_large")
    found, fields, body = served.send(begins, *[continues] * 1_024)
    assert (found, json.loads(body)["statusCode"]) == (status, status)
    assert fields["content-type"] == "application/json"
    assert fields["x-request-id"]
    assert served.cuts("too_large") == before + 1


def test_trailers_and_extensions_of_chunks_are_limited(served):
    head = (
        b"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\napi_key: %s\r\ntransfer-encoding: chunked\r\n\r\n"
        % served.key.encode()
    )
    for begins in (b"1;x=", b"1\r\n{\r\n0\r\nx: "):
        status, _, body = served.send(head, begins, *[b"a" * 65_536] * 64)
        assert (status, json.loads(body)["statusCode"]) == (400, 400)
        assert "65536 bytes" in json.loads(body)["message"]


def test_a_request_within_the_limits_is_answered(served):
    url = b"/" + b"a" * 16_383
    assert served.send(b"GET " + url + b" HTTP/1.1\r\nhost: x\r\n\r\n")[0] == 404
    assert served.send(b"GET " + url + b"a HTTP/1.1\r\nhost: x\r\n\r\n")[0] == 414
    assert served.send(HEAD + b"x: y\r\n" * 199 + b"\r\n")[0] == 200
    assert served.send(HEAD + b"x: y\r\n" * 200 + b"\r\n")[0] == 431
    room = 65_536 - len(HEAD) - len(b"x: \r\n\r\n")
    assert served.send(HEAD + b"x: " + b"a" * room + b"\r\n\r\n")[0] == 200
    assert served.send(HEAD + b"x: " + b"a" * (room + 1) + b"\r\n\r\n")[0] == 431


def test_the_framing_of_small_chunks_does_not_count_as_extensions(served):
    body = b'{"contacts":[{"email":"ann@example.com"}]}' + b" " * 30_000
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    head = (
        b"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\napi_key: %s\r\ntransfer-encoding: chunked\r\n\r\n"
        % served.key.encode()
    )
    assert served.send(head, chunks, b"0\r\nx: y\r\n\r\n")[0] == 200


def test_a_trailer_is_no_header(served):
    head = b"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    assert served.send(head + b"2\r\n{}\r\n0\r\napi_key: %s\r\n\r\n" % served.key.encode())[0] == 401


@pytest.mark.slow("slow header", "serving")
def test_a_slow_header_and_an_idle_connection_are_closed_after_a_while(served):
    with served.connected() as first, served.connected() as later, served.connected() as idle:
        for connection in (later, idle):
            connection.sendall(HEAD + b"\r\n")
            assert answer(connection)[0] == 200
        for connection in (first, later):
            connection.sendall(HEAD)
        assert [ends(connection) for connection in (first, later, idle)]
    assert served.cuts("no_header") >= 2
    assert served.cuts("idle") >= 1


def test_a_refusal_before_the_end_of_a_body_closes_the_connection(served):
    head = b"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\napi_key: wrong\r\ncontent-length: 900000\r\n\r\n"
    with served.connected() as connection:
        connection.sendall(head + b"{")
        status, fields, _ = answer(connection)
        assert (status, fields["connection"]) == (401, "close")
        assert ends(connection)


def test_requests_that_arrive_together_are_answered_in_order(served):
    paths = [b"/health", b"/nothing"] * 400
    with served.connected() as connection:
        connection.sendall(b"".join(b"GET %s HTTP/1.1\r\nhost: x\r\n\r\n" % path for path in paths))
        reader = connection.makefile("rb")
        found = []
        while len(found) < len(paths):
            found.append(int(reader.readline().split()[1]))
            fields = dict(line.split(b": ", 1) for line in iter(reader.readline, b"\r\n"))
            reader.read(int(fields[b"content-length"]))
    assert found == [200, 404] * 400


@pytest.mark.parametrize("served", ["plain"], indirect=True)
def test_half_sent_bodies_with_a_wrong_key_are_not_kept_in_memory(served):
    processes = [psutil.Process(served.process.pid), *psutil.Process(served.process.pid).children()]

    def memory():
        return sum(process.memory_info().rss for process in processes)

    before = memory()
    for length in (b"content-length: 1000000", b"transfer-encoding: chunked"):
        head = b"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\napi_key: wrong\r\n%s\r\n\r\n" % length
        with ExitStack() as ends:
            connections = [ends.enter_context(served.connected()) for _ in range(CALLERS)]
            for connection in connections:
                connection.sendall(head + b"%x\r\n" % 900_000)
            for connection in connections:
                # the server may have closed it already, some seconds after the answer
                with suppress(OSError):
                    connection.sendall(b" " * 800_000)
            assert served.answers()
            assert memory() - before < CALLERS * 400_000


@pytest.mark.parametrize("served", ["plain"], indirect=True)
def test_half_sent_bodies_of_an_account_are_kept_in_memory_up_to_a_bound(served):
    process = psutil.Process(served.process.pid)
    other = served.command.json("key", "create", "--account", "Other")["apiKey"]
    before = process.memory_info().rss
    head = b"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\napi_key: %s\r\ncontent-length: %d\r\n\r\n"
    body = b'{"contacts":[{"email":"ann@example.com"}]}'
    half, rest = body + b" " * 900_000, b" " * 100_000
    with ExitStack() as ends, ThreadPoolExecutor(CALLERS * 2) as pool:

        def send(connection):
            connection.sendall(half)
            all_begun.wait(60)
            connection.sendall(rest)
            return answer(connection)[0]

        all_begun = Event()
        connections = [ends.enter_context(served.connected()) for _ in range(CALLERS * 2)]
        for connection in connections:
            connection.sendall(head % (served.key.encode(), len(half) + len(rest)))
        # what comes later than its header is not read before its turn
        assert served.answers()
        answers = [pool.submit(send, connection) for connection in connections]
        eventually(lambda: process.memory_info().rss - before > 40_000_000, "no body is read")
        for key in (served.key, other):
            assert served.send(head % (key.encode(), len(body)), body)[0] == 200
        assert process.memory_info().rss - before < 110_000_000
        all_begun.set()
        assert [each.result() for each in answers] == [200] * CALLERS * 2
