"""The registry of a process's connections, which chooses the connection to close for another."""

import pytest

from firmograph.serving import connections as book
from firmograph.serving.bounds import make_bounds
from firmograph.serving.connections import Connections
from firmograph.settings import Settings

pytestmark = pytest.mark.no_database

PROXY = "10.0.0.1"


class Transport:
    """A transport that records how it ended."""

    def __init__(self):
        self.ended = None
        self.unread = 0

    def get_write_buffer_size(self):
        return self.unread

    def abort(self):
        self.ended = "aborted"

    def close(self):
        self.ended = self.ended or "closed"


class Book(Connections):
    """Eight connections, at most two of one address; `now` is the time."""

    def __init__(self, monkeypatch, **settings):
        self.counted, self.now = [], 100.0
        monkeypatch.setattr(book.time, "monotonic", lambda: self.now)
        bounds = make_bounds(Settings(max_connections=8, **settings))
        super().__init__(bounds, {PROXY, "127.0.0.1"}.__contains__, self.counted.append)

    def open(self, host):
        connection = self.admit(host)
        connection.transport = Transport()
        return connection

    def open_at_work(self, host):
        connection = self.open(host)
        connection.work()
        return connection


@pytest.fixture
def opened(monkeypatch):
    return lambda **settings: Book(monkeypatch, **settings)


def ended(connections):
    return [each.transport.ended for each in connections]


def hosts(count):
    return [f"192.0.2.{number}" for number in range(count)]


def test_at_the_limit_the_connection_idle_for_longest_is_closed_for_the_new_one(opened):
    connections = opened()
    first, second, third, *others = [connections.open(host) for host in hosts(8)]
    # the first has had a whole request since, and the second is at work
    first.work()
    first.wait()
    second.work()
    connections.open("198.51.100.1")
    assert ended([first, second, third, *others]) == [None, None, "aborted", *[None] * 5]
    assert connections.counted == ["bound"]
    assert len(connections) == 8


def test_a_connection_in_its_handshake_is_closed_too(opened):
    class Handshake:
        cancelled = False

        def cancel(self):
            self.cancelled = True

    connections = opened()
    first = connections.admit("192.0.2.100")
    first.opening = Handshake()
    for host in hosts(8):
        connections.open(host)
    assert first.opening.cancelled


def test_if_all_are_at_work_the_new_connection_is_only_answered(opened):
    connections = opened()
    working = [connections.open_at_work(host) for host in hosts(8)]
    turned_away = connections.open("198.51.100.1")
    assert turned_away.address is None
    assert ended(working) == [None] * 8
    assert (len(connections), connections.counted) == (8, ["full"])


def test_refused_connections_are_few_and_short(opened):
    connections = opened()
    for host in hosts(8):
        connections.open_at_work(host)
    turned_away = [connections.open("198.51.100.1") for _ in range(40)]
    assert ended(turned_away) == ["aborted"] * 8 + [None] * 32
    connections.now += book.LINGER_SECONDS
    connections.check()
    assert ended(turned_away) == ["aborted"] * 40


def test_one_address_has_at_most_its_share_and_closes_only_its_own(opened):
    connections = opened()
    other = connections.open("192.0.2.2")
    own = [connections.open("192.0.2.1") for _ in range(4)]
    assert ended([other, *own]) == [None, "aborted", "aborted", None, None]
    assert connections.counted == ["address", "address"]
    for each in own[2:]:
        each.work()
    assert connections.open("192.0.2.1").address is None
    assert connections.open("192.0.2.3").address is not None


@pytest.mark.parametrize(
    ("hosts", "counted"),
    [
        (["2001:db8::1", "2001:db8::2", "2001:db8::ffff:0:0:1"], ["address"]),
        (["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:2::1"], []),
        (["::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"], ["address"]),
        (["fe80::1%eth0", "fe80::2%eth0", "fe80::3%eth0"], ["address"]),
    ],
)
def test_an_ipv6_network_counts_as_one_address(opened, hosts, counted):
    connections = opened()
    for host in hosts:
        connections.open(host)
    assert connections.counted == counted


def test_this_machine_and_proxies_have_no_share_and_are_closed_last(opened):
    connections = opened()
    trusted = [connections.open(host) for host in [PROXY, "127.0.0.1"] * 3]
    others = [connections.open(host) for host in hosts(2)]
    for _ in range(2):
        connections.open(PROXY)
    assert ended([*trusted, *others]) == [None] * 6 + ["aborted"] * 2
    connections.open("192.0.2.9")
    assert trusted[0].transport.ended == "aborted"


def test_a_place_is_returned_once(opened):
    connections = opened()
    first = connections.open("192.0.2.1")
    connections.open("192.0.2.1")
    first.closed()
    first.closed()
    assert len(connections) == 1
    connections.open("192.0.2.1")
    assert connections.counted == []


def test_a_connection_without_a_whole_header_in_time_is_closed(opened):
    connections = opened(header_seconds=30)
    silent, working = connections.open("192.0.2.1"), connections.open_at_work("192.0.2.2")
    connections.now += 29
    connections.check()
    assert silent.transport.ended is None
    connections.now += 1
    connections.check()
    assert ended([silent, working]) == ["aborted", None]
    assert connections.counted == ["no_header"]


def test_an_idle_connection_is_closed_cleanly_and_aborted_if_its_client_stays(opened):
    connections = opened()
    idle = connections.open_at_work("192.0.2.1")
    idle.expect(book.IDLE, 75)
    idle.wait()
    connections.now += 75
    connections.check()
    assert idle.transport.ended == "closed"
    connections.now += book.LINGER_SECONDS
    connections.check()
    assert idle.transport.ended == "aborted"
    assert connections.counted == ["idle"]
    assert len(connections) == 0


def test_a_slowly_reading_client_is_kept_as_long_as_it_reads(opened):
    connections = opened()
    slow = connections.open_at_work("192.0.2.1")
    slow.expect(book.IDLE, 75)
    slow.wait()
    for unread in (3_000, 2_000, 1_000):
        slow.transport.unread = unread
        connections.now += 75
        connections.check()
        assert slow.transport.ended is None
    connections.now += 75
    connections.check()
    assert slow.transport.ended == "aborted"


def test_closed_connections_are_logged_once_a_minute_by_reason(opened, monkeypatch):
    logged = []

    class Log:
        def info(self, event, **values):
            logged.append(("info", values))

        def warning(self, event, **values):
            logged.append(("warning", values))

    monkeypatch.setattr(book, "log", Log())
    connections = opened()
    connections.check()
    connections.count("idle")
    connections.check()
    connections.count("no_header")
    connections.now += 59
    connections.check()
    connections.count("no_header")
    connections.now += 1
    connections.check()
    assert logged == [("info", {"open": 0, "idle": 1}), ("warning", {"open": 0, "no_header": 2})]


def test_the_limit_follows_from_the_limit_of_open_files(monkeypatch):
    def bound(files, **settings):
        monkeypatch.setattr("resource.getrlimit", lambda which: (files, files))
        return make_bounds(Settings(**settings)).connections

    assert bound(1_024) == 768
    assert bound(1_024, reserved_files=24) == 1_000
    assert bound(256) == 64
    assert bound(1_024, max_connections=100) == 100
    assert bound(1_024, max_connections=5_000) == 768
    assert bound(-1, max_connections=5_000) == 5_000
