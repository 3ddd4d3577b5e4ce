"""Signals: all of a hundred companies in one call, compared with the bare handler; and the cost of job moves.

Facts are imported by the real commands: figures and articles with some ten signals a company.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from bench import job_signals
from bench.client import ask, load, request
from bench.mixes import COMPANY_SIGNALS, Mix
from bench.rounds import Contestant, compare
from bench.servers import Server, cores, free_port, on_core, serving
from bench.serving import CREDITS, QUICK, Effort
from bench.signals_report import SignalsReport
from bench.workspace import PLAN, Workspace

CONTACTS, QUICK_CONTACTS = 20_000, 2_000
"""Number of articles, ten for each company."""
JOBS, QUICK_JOBS = 100_000, 10_000
_ARTICLES = (
    "Partnership",
    "Funding Round",
    "Executive Hire",
    "Product Launch",
    "New Customer",
    "Recognition",
)
_HEADCOUNTS = ((0, 1.0), (5, 1.0), (8, 1.2), (10, 1.4), (11, 1.7))
"""Months from the first, and figures in parts of the first one, which grow over every period."""
_BATCH = 100
_WAIT_SECONDS = 2.0

Reporter = Callable[[str], object]


def measure(effort: Effort, report: Reporter) -> SignalsReport:
    quick = effort == QUICK
    with TemporaryDirectory(prefix="firmograph-signals-") as folder:
        figures = _Calls(
            Workspace(QUICK_CONTACTS if quick else CONTACTS, Path(folder)), effort, report
        ).measure()
    for what, fields in (
        ("another employer and title", ["company", "jobTitle"]),
        ("another title", ["jobTitle"]),
    ):
        report(f"an import in which a tenth has {what}")
        with TemporaryDirectory(prefix="firmograph-job-signals-") as folder:
            made = job_signals.measure(QUICK_JOBS if quick else JOBS, fields, Path(folder))
        figures.detection.append((what, made))
    return figures


class _Calls:
    def __init__(self, workspace: Workspace, effort: Effort, report: Reporter) -> None:
        self._workspace = workspace
        self._effort = effort
        self._report = report
        self._key = ""

    def measure(self) -> SignalsReport:
        domains = self._load()
        workspace = self._workspace
        workspace.run("account", "create", "bench", "--plan", PLAN, "--credits", str(CREDITS))
        self._key = workspace.run("key", "create", "--account", "bench")["apiKey"]
        with on_core(cores()[1]), self._real() as real:
            mixes = self._mixes(ids_of(real, domains, self._key))
            # paid in advance, so that nothing is charged while the clock runs
            answers = [(mix.name, mix.path, self._ask(real, mix)) for mix in mixes]
            answers = [(mix.name, mix.path, self._ask(real, mix)) for mix in mixes]
            hundred = [msgspec.json.decode(body) for body in answers[-1][2]]
            with self._bare(answers) as bare:
                calls = [self._compared(mix, real, bare) for mix in mixes]
            waits = [_wait(real, mix.requests(self._key)) for mix in mixes]
        sizes = [len(body) for body in answers[-1][2]]
        return SignalsReport(len(domains), _events(hundred), sum(sizes) // len(sizes), calls, waits, [])

    def _load(self) -> list[str]:
        """Import companies with facts; return their domains."""
        workspace = self._workspace
        workspace.generate(lambda entity, made: None)
        self._report("loading companies and facts")
        workspace.run("import", "companies", str(workspace.rows("companies")))
        decode = msgspec.json.Decoder().decode
        rows = [decode(line) for line in workspace.rows("companies").read_bytes().splitlines()]
        domains = [row["domain"] for row in rows if row.get("domain")]
        for kind, facts in (("headcounts", headcounts(domains)), ("news", news(domains))):
            path = workspace.folder / f"{kind}.jsonl"
            path.write_bytes(b"\n".join(map(msgspec.json.encode, facts)))
            workspace.run("import", kind, str(path))
        return domains

    def _mixes(self, ids: Sequence[str]) -> list[Mix]:
        return [mix_of(ids, 1, self._effort.singles), mix_of(ids, _BATCH, self._effort.batches)]

    def _ask(self, real: Server, mix: Mix) -> list[bytes]:
        return ask(real.port, mix.requests(self._key))

    def _compared(self, mix: Mix, real: Server, bare: Server) -> Any:
        self._report(mix.title)
        ours = Contestant("firmograph", real, mix.requests(self._key), partial(_check, mix))
        other = Contestant(bare.name, bare, mix.requests(self._key, f"/{mix.name}"))
        return compare(mix.title, [ours, other], self._effort.rounds, self._effort.seconds)

    @contextmanager
    def _real(self) -> Iterator[Server]:
        port = free_port()
        command = self._workspace.command("serve", "--port", str(port))
        with serving("firmograph", command, port, self._workspace.folder / "serve.log") as server:
            yield server

    @contextmanager
    def _bare(self, answers: Sequence[tuple[str, str, list[bytes]]]) -> Iterator[Server]:
        path = self._workspace.folder / "answers.msgpack"
        path.write_bytes(msgspec.msgpack.encode(answers))
        port = free_port()
        command = self._workspace.python("bench.bare", "--port", str(port), str(path))
        with serving("bare handler", command, port, self._workspace.folder / "bare.log") as server:
            yield server


def ids_of(server: Server, domains: Sequence[str], key: str) -> list[str]:
    """Return the server's ids of the companies with these domains."""
    bodies = [
        msgspec.json.encode({"companies": [{"domain": domain} for domain in domains[start : start + _BATCH]]})
        for start in range(0, len(domains), _BATCH)
    ]
    requests = [request("/v3/companies/search", body, key) for body in bodies]
    found = [one for body in ask(server.port, requests) for one in msgspec.json.decode(body)["results"]]
    return [one["id"] for one in found if "id" in one]


def mix_of(ids: Sequence[str], items: int, count: int) -> Mix:
    """Return `count` calls for all signals of `items` companies each."""
    bodies = []
    for at in range(count):
        requested_ids = [ids[(at * items + place) % len(ids)] for place in range(items)]
        bodies.append(msgspec.json.encode({"ids": requested_ids, "signalTypes": ["allSignals"]}))
    title = f"signals of {items} compan{'y' if items == 1 else 'ies'}"
    return Mix(f"signals-{items}", title, COMPANY_SIGNALS, items, bodies, [items] * count)


def headcounts(domains: Sequence[str]) -> Iterator[dict[str, Any]]:
    for place, domain in enumerate(domains):
        for month, part in _HEADCOUNTS:
            yield {
                "company": domain,
                "date": f"2025-{month + 1:02}-28",
                "count": int((100 + place % 900) * part),
            }


def news(domains: Sequence[str]) -> Iterator[dict[str, Any]]:
    for place, domain in enumerate(domains):
        for event in _ARTICLES:
            yield {
                "url": f"https://news.example.com/{place}/{event.replace(' ', '-')}",
                "date": f"2026-0{1 + place % 6}-10",
                "title": f"{event}: what it means for {domain} and its customers",
                "companies": [domain],
                "eventTypes": [event],
            }


def _events(answers: Sequence[dict[str, Any]]) -> float:
    """Return the average number of events of a company."""
    results = [result for answer in answers for result in answer["results"]]
    return sum(len(value) for one in results for value in one.values() if isinstance(value, list)) / len(
        results
    )


def _check(mix: Mix, answers: Sequence[tuple[int, bytes]]) -> None:
    """Raise if an answer lacks a result, or was charged."""
    for place, body in answers:
        answer = msgspec.json.decode(body)
        if answer["billing"] != {"creditsCharged": 0, "resultsReturned": mix.items}:
            raise RuntimeError(f"{mix.name}: request {place}: {answer['billing']}")


def _wait(real: Server, requests: Sequence[bytes]) -> float:
    waits = sorted(load([real.port], requests, _WAIT_SECONDS, callers=1).waits)
    return waits[len(waits) // 2] * 1e3
