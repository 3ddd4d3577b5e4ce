"""The bench of a steady load: its pace, its report of stalls, and its section in the document."""

from array import array
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

import pytest
from bench.client import request
from bench.steady_episodes import Interval, episodes
from bench.steady_load import CONNECTIONS, Calls, Client, Kind, Pending
from bench.steady_watch import Probe, Stacks, Tick, Watched
from bench.steady_watch import Thread as Seen

pytestmark = [pytest.mark.any_database, pytest.mark.folders("bench")]


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.server.lock:
            self.server.bodies.append(body)
            refused = len(self.server.bodies) == self.server.refuses
        status = b"503 Service Unavailable" if refused else b"200 OK"
        self.wfile.write(b"HTTP/1.1 %s\r\ncontent-length: 2\r\n\r\n{}" % status)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    made.request_queue_size = CONNECTIONS
    made.bodies, made.lock, made.refuses = [], Lock(), 0
    Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def client_of(server: ThreadingHTTPServer) -> Client:
    kinds = [Kind(name, share, [request("/", name.encode(), "key")]) for name, share in (("a", 3), ("b", 1))]
    return Client(server.server_port, kinds, Pending())


def test_calls_are_sent_at_their_rate_and_in_their_shares(server: ThreadingHTTPServer) -> None:
    calls = client_of(server).paced(0.5, 200)
    assert len(calls.due) == len(server.bodies) == 100
    assert [round((due - calls.begun) * 200) for due in sorted(calls.due)] == list(range(100))
    assert 15 <= server.bodies.count(b"b") <= 35


def test_an_answer_other_than_200_is_counted_and_ends_nothing(server: ThreadingHTTPServer) -> None:
    server.refuses = 10
    calls = client_of(server).paced(0.5, 100)
    assert len(calls.due) == 50
    assert calls.refused == ["HTTP/1.1 503 Service Unavailable"]


def tick(at: float, **figures: float) -> Tick:
    values = dict.fromkeys(Tick.__struct_fields__, 0) | {"at": at} | figures
    return Tick(**values)


def stalled(watched: Watched, pauses: tuple[Interval, ...] = ()) -> list[str]:
    """Return the causes found in ten seconds without answers from the fifth to the seventh."""
    due = [number / 50 for number in range(500)]
    answered = [7.0 if 5 <= at <= 7 else at + 0.01 for at in due]
    calls = Calls(0.0, array("d", due), array("d", sorted(answered)), array("B", [0] * 500), [])
    found = episodes(calls, ["search"], watched, pauses, [])
    assert [(one.silent, round(one.seconds)) for one in found] == [(True, 2)]
    return [one.cause for one in found]


def test_a_stall_of_the_machine_is_distinguished_from_one_of_the_server() -> None:
    ticks = [tick(0.0), tick(4.9), tick(7.1, late=2.0), tick(10.0)]
    assert stalled(Watched(ticks, [], [])) == ["machine: the watching process stood still too"]
    ticks = [tick(0.0), tick(4.9), tick(7.1, queued=2.0, server=0.1), tick(10.0)]
    assert stalled(Watched(ticks, [], [])) == ["machine: the server's core was taken"]
    ticks = [tick(0.0), tick(4.9), tick(7.1, own=1.9, server=1.9), tick(10.0)]
    assert stalled(Watched(ticks, [], [])) == ["server: the main thread was at work"]
    ticks = [tick(0.0), tick(4.9), tick(7.1), tick(10.0)]
    assert stalled(Watched(ticks, [], [])) == ["not explained"]
    assert stalled(Watched(ticks, [], []), (Interval(5.0, 6.9),)) == ["server: garbage collection"]
    assert stalled(Watched(ticks, [], [Probe(5.0, 2.0)])) == ["disk: a flush of 4 KiB took 2.00 s"]


def test_an_episode_says_where_the_threads_of_the_server_were() -> None:
    frames = ["firmograph/database/sqlite.py:1 _retry_while_locked", "firmograph/billing/ledger.py:2 charge"]
    threads = [
        Seen(True, False, "S ep_poll", ["asyncio/runners.py:118 run"]),
        Seen(False, True, "S hrtimer_nanosleep", frames),
        Seen(False, False, "S futex_wait", ["firmograph/api/thread_pool.py:70 _answer"]),
    ]
    due, answered = [0.05, 0.1, 0.15, 0.2, 0.1], [0.06, 0.11, 0.16, 0.21, 0.45]
    calls = Calls(0.0, array("d", due), array("d", answered), array("B", [0, 0, 0, 0, 1]), [])
    watched = Watched([tick(0.0), tick(1.0)], [Stacks(0.4, threads)], [])
    found = episodes(calls, ["a", "b"], watched, [], [])
    assert [one.kinds for one in found] == [[("b", 1)]]
    assert [place for place, _ in found[0].evidence.places] == [
        "main: the event loop",
        "firmograph/database/sqlite.py:1 _retry_while_locked of firmograph/billing/ledger.py:2 charge"
        " with the interpreter's lock",
    ]
