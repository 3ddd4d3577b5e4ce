"""The bench of databases and servers: its requests and the report of its figures."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from bench import document
from bench.__main__ import DOCUMENT
from bench.client import load, request
from bench.collector_report import CollectorReport
from bench.latencies import Compared, Contestant, Pool, Round, compare
from bench.mixes import Person, charging_mix, check
from bench.nodes_report import QUICK, NodesReport, nodes_tables, spread_aim, written_aim
from bench.report import PARTS, Report
from bench.serving import QUICK as SERVING
from bench.sites import Site

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]

ANSWER = b'{"results":[],"billing":{"creditsCharged":0,"resultsReturned":0}}'


class _Answering(BaseHTTPRequestHandler):
    """Handler that sends everybody the same answer, and counts connections and bodies."""

    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(ANSWER), ANSWER))

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def servers() -> Iterator[list[ThreadingHTTPServer]]:
    made = []
    for _ in range(2):
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
        server.connections, server.bodies = 0, []
        Thread(target=server.serve_forever, daemon=True).start()
        made.append(server)
    yield made
    for server in made:
        server.shutdown()
        server.server_close()


def counted_requests(*bodies: bytes) -> list[bytes]:
    return [request("/", body, "key") for body in bodies]


def round_of(per_second: float = 100.0, cpu: float = 10.0, p50: float = 1.0) -> Round:
    return Round(per_second, p50, 2.0, cpu, 5.0)


def compared(first: list[Round], second: list[Round], title: str = "search of 1, by e-mail") -> Compared:
    return Compared(title, ["SQLite", "PostgreSQL"], [first, second])


def report_of(**figures: object) -> Report:
    measured = NodesReport(1_000, 100, 2, QUICK, **figures)
    return Report("2026-01-02", 1, 1, {"Processor": "one"}, 0.0, SERVING, nodes=measured)


def test_connections_are_spread_evenly_over_servers(servers: list[ThreadingHTTPServer]) -> None:
    done = load([server.server_port for server in servers], counted_requests(b"a", b"b"), 0.2, callers=6)
    assert [server.connections for server in servers] == [3, 3]
    assert done.answered == len(done.waits) > 0


def test_a_pool_is_sent_completely_before_a_request_is_repeated(servers: list[ThreadingHTTPServer]) -> None:
    bodies = [b"%06d" % number for number in range(100_000)]
    pool = Pool(counted_requests(*bodies), lambda answer: None)
    server = SimpleNamespace(port=servers[0].server_port, cpu_seconds=lambda: 0.0)
    compare("all", [Contestant("one", [server], pool)], 2, 0.1)
    assert max(Counter(servers[0].bodies).values()) == 1


def test_ratios_are_medians_of_the_ratios_within_rounds() -> None:
    first = [round_of(100), round_of(10), round_of(1_000)]
    second = [round_of(50), round_of(20), round_of(600)]
    assert compared(first, second).ratio("per_second") == pytest.approx(0.6)


def test_each_account_pays_once_for_each_person(tmp_path: Path) -> None:
    site = Site("one", "sqlite:///none", tmp_path)
    site.payers = ["a", "b", "c"]
    people = [
        Person({"emails": [f"person{number}@example.com"]}, f"v1.{number}", "v1.x") for number in range(7)
    ]
    assert len(set(site.charging_pool(charging_mix(people)).requests)) == 3 * 7


def test_an_uncharged_answer_that_should_be_charged_ends_the_run() -> None:
    mix = charging_mix([Person({"emails": ["one@example.com"]}, "v1.a", "v1.b")])
    answer = {"results": [{}], "billing": {"creditsCharged": 1, "resultsReturned": 1}}
    check_answers = partial(check, mix)
    check_answers([(0, json.dumps(answer).encode())])
    answer["billing"]["creditsCharged"] = 0
    with pytest.raises(RuntimeError):
        check_answers([(0, json.dumps(answer).encode())])


@pytest.mark.parametrize(("reached", "verdict"), [(60, "met"), (40, "missed")])
def test_the_table_states_which_figures_reached_their_aims(reached: float, verdict: str) -> None:
    one = compared([round_of(100)], [round_of(reached)])
    calls = nodes_tables(report_of(calls=[one], spread=[one]).nodes)[0]
    assert [row[-1] for row in calls.rows] == [verdict]


def test_the_processor_time_aim_is_an_upper_bound() -> None:
    assert spread_aim(compared([round_of(cpu=10)], [round_of(cpu=11)])).met
    assert not spread_aim(compared([round_of(cpu=10)], [round_of(cpu=12)])).met


def test_postgresql_must_be_faster_during_writes() -> None:
    assert not written_aim(compared([round_of(100)], [round_of(100)])).met
    assert written_aim(compared([round_of(100)], [round_of(101)])).met


def test_two_servers_have_no_throughput_without_enough_cores() -> None:
    one = Compared(
        "search of 1, by e-mail",
        ["one server", "on all cores", "two servers"],
        [[round_of()], [round_of(555)], [round_of(777)]],
    )
    cells = [
        cell for table in nodes_tables(report_of(spread=[one]).nodes) for row in table.rows for cell in row
    ]
    assert "not measurable on 2 cores" in cells
    assert "777" not in cells
    assert "555" in cells, "one server on all cores is slower, not faster, so its figure is shown"


def test_missing_parts_are_named_and_left_out() -> None:
    alone = Compared("search of 1, by e-mail", ["SQLite"], [[round_of()]])
    report = report_of(calls=[alone], left_out=["PostgreSQL is not installed"])
    page, _ = document.filled(report, "<!-- run: nodes -->\n<!-- /run -->\n")
    assert "without: PostgreSQL is not installed" in page
    assert [table.title for table in nodes_tables(report.nodes)] == [
        "Databases and servers",
        "Waiting and processor time",
    ]


def test_figures_take_the_place_of_older_ones_and_leave_the_rest_of_the_page() -> None:
    page = (
        "# Benchmarks\n<!-- run: nodes -->\nold\n<!-- /run -->\nText.\n"
        "<!-- table: Databases and servers -->\nold\n<!-- /table -->\n<!-- table: Signals -->\nkept\n<!-- /table -->\n"
    )
    one = compared([round_of()], [round_of()])
    first, _ = document.filled(report_of(calls=[one]), page)
    assert "Last run: 2026-01-02, with 1,000 generated contacts and 100 generated companies. On one." in first
    assert "| search of 1, by e-mail |" in first
    assert "\nText.\n" in first
    assert "\nkept\n" in first
    assert "old" not in first
    assert document.filled(report_of(calls=[one]), first)[0] == first


def test_an_empty_place_is_filled_once_and_the_text_after_it_stays() -> None:
    page = "<!-- run: nodes -->\n<!-- /run -->\nText.\n<!-- run: legacy -->\n<!-- /run -->\n"
    one = compared([round_of()], [round_of()])
    filled, _ = document.filled(report_of(calls=[one]), page)
    assert filled.count("Last run") == 1
    assert filled.endswith("<!-- /run -->\nText.\n<!-- run: legacy -->\n<!-- /run -->\n")


def test_a_part_with_a_size_of_its_own_is_described_by_it() -> None:
    report = report_of(calls=[])
    report.nodes = None
    report.collector = CollectorReport(50, 3_000, 100.0, 0.001, 0.01, 700.0, 3_000, 0.1)
    filled, _ = document.filled(report, "<!-- run: collector -->\n<!-- /run -->\n")
    assert "with 3,000 page views of 50 sites. On" in filled


def test_figures_without_a_place_in_the_page_are_named() -> None:
    one = compared([round_of()], [round_of()])
    page, unplaced = document.filled(report_of(calls=[one]), "# Benchmarks\n")
    assert page == "# Benchmarks\n"
    assert unplaced == ["run: nodes", "table: Databases and servers", "table: Waiting and processor time"]


def test_the_page_of_the_project_has_a_place_for_every_part() -> None:
    page = DOCUMENT.read_text()
    assert [name for name in PARTS if f"<!-- run: {name} -->" not in page] == []
