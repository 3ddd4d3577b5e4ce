"""Minutes of a steady load on one server: its longest stalls and their causes.

At a part of the peak each call has its due time, so that a brief standstill of the server is visible: in figures of a
server that is kept busy all the time such a moment is lost among the others.
"""

import os
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import msgspec

from bench import mixes, signals
from bench.changes import write_changes
from bench.client import request
from bench.latencies import part
from bench.servers import Server, cores, on_core
from bench.shapes import PATH, SHAPES
from bench.sites import Site
from bench.steady_episodes import Interval, episodes, longest_silence
from bench.steady_load import Calls, Client, Kind, Pending
from bench.steady_report import SteadyReport, Waits
from bench.steady_watch import Target, Watched, read_watched, watching
from bench.workspace import SUCCEEDED, Workspace, environment
from firmograph.kit.clock import SystemClock, moment

SHARE = 0.8
IMPORT_SECONDS = 120
_PEAK_SECONDS = 10.0
_SAMPLE = 15_000
_COMPANIES = 2_000
"""Number of companies with signals."""
_CHANGED = 50
"""Inverse share of the contacts in an import."""
_PROGRESS_SECONDS = 15.0
_GENTLY = 10
"""Priority of the import on its core, as `nice` counts."""

Progress = Callable[[str], object]


def measure(workspace: Workspace, seconds: float, progress: Progress) -> SteadyReport:
    """Load a database, find the peak, keep the rate for so many seconds."""
    folder = workspace.folder / "steady"
    shutil.rmtree(folder, ignore_errors=True)
    return _Steady(workspace, folder, seconds, progress).measure()


class _Steady:
    def __init__(self, workspace: Workspace, folder: Path, seconds: float, progress: Progress) -> None:
        self._workspace = workspace
        self._folder = folder
        self._seconds = seconds
        self._progress = progress
        self._database = folder / "steady.db"
        self._pauses = folder / "pauses.txt"
        self._site = Site("SQLite", f"sqlite:///{self._database}", folder)
        self._imports: list[Interval] = []

    def measure(self) -> SteadyReport:
        self._progress("import")
        self._site.load(self._workspace)
        domains, files = self._load_signals(), self._change_files()
        program = ["-m", "bench.steady_server", str(self._pauses), "--"]
        with on_core(cores()[1]), self._site.served({cores()[0]}, program=program) as server:
            self._progress("pools of requests")
            pending = Pending()
            client = Client(server.port, self._kinds(server, domains), pending)
            self._progress("the peak")
            client.peak(1.0)
            peak = client.peak(min(_PEAK_SECONDS, self._seconds))
            begun_at = moment(SystemClock()).strftime("%H:%M:%S")
            target, out = Target(server.pid, self._database), self._folder / "watched.msgpack"
            report = partial(self._report_progress, peak * SHARE)
            imports = partial(self._import, files)
            with watching(target, pending, out), _in_thread(imports), _in_thread(report):
                calls = client.paced(self._seconds, peak * SHARE)
        return self._report(calls, [kind.name for kind in client.kinds], peak, begun_at, read_watched(out))

    # --- requests ---

    def _load_signals(self) -> list[str]:
        decode = msgspec.json.Decoder().decode
        with self._workspace.rows("companies").open("rb") as lines:
            rows = [decode(line) for _, line in zip(range(_COMPANIES), lines, strict=False)]
        domains = [row["domain"] for row in rows]
        for kind, facts in (("headcounts", signals.headcounts(domains)), ("news", signals.news(domains))):
            path = self._folder / f"{kind}.jsonl"
            path.write_bytes(b"\n".join(map(msgspec.json.encode, facts)))
            self._site.run("import", kind, str(path))
        return domains

    def _kinds(self, server: Server, domains: Sequence[str]) -> list[Kind]:
        rows = mixes.sample(self._workspace.rows("contacts"), self._workspace.contacts, _SAMPLE)
        persons = self._site.people(rows, server)
        searched = mixes.search_mix(persons, 1, len(persons))
        paid = mixes.enrich_mix(persons, 1, len(persons))
        self._site.pay(mixes.enrich_mix(persons, 100, -(-len(persons) // 100)), server)
        ids = signals.ids_of(server, domains, self._site.key)
        company_signals = signals.mix_of(ids, 1, len(ids))
        self._site.pay(company_signals, server)
        shapes = [request(PATH, msgspec.json.encode(shape.body()), self._site.key) for shape in SHAPES]
        return [
            Kind("search", 8, self._site.pool(searched).requests),
            Kind("charged", 3, self._site.charging_pool(mixes.charging_mix(persons)).requests),
            Kind("enrich", 3, self._site.pool(paid).requests),
            Kind("prospecting", 3, shapes),
            Kind("signals", 3, company_signals.requests(self._site.key)),
        ]

    # --- concurrent work ---

    def _change_files(self) -> list[Path]:
        """Write a file for each import before the load begins, as that would slow the client down."""
        rows, stored, made = self._workspace.rows("contacts"), self._workspace.contacts, []
        for number in range(int(self._seconds // IMPORT_SECONDS)):
            path = self._folder / f"changes-{number}.jsonl"
            write_changes(rows, stored, stored // _CHANGED, path, f"2030-01-{number % 28 + 1:02}")
            made.append(path)
        return made

    def _import(self, files: Sequence[Path], ending: threading.Event) -> None:
        """Import one file after another, each in the middle of its time slot."""
        for number, path in enumerate(files):
            if ending.wait(IMPORT_SECONDS if number else IMPORT_SECONDS / 2):
                return
            began = time.monotonic()
            done = subprocess.run(
                self._site.command("import", "contacts", str(path), "--json"),
                env=environment(**self._site.settings),
                check=False,
                capture_output=True,
                preexec_fn=lambda: os.nice(_GENTLY),
            )
            if done.returncode not in SUCCEEDED:
                raise RuntimeError(f"The import of {path.name} failed: {done.stderr.decode()[-2000:]}")
            self._imports.append(Interval(began, time.monotonic()))

    def _report_progress(self, per_second: float, ending: threading.Event) -> None:
        began = time.monotonic()
        while not ending.wait(_PROGRESS_SECONDS):
            done = time.monotonic() - began
            self._progress(f"{per_second:,.0f} calls a second, {done:.0f} of {self._seconds:.0f} s")

    # --- figures ---

    def _report(
        self,
        calls: Calls,
        names: Sequence[str],
        peak: float,
        begun_at: str,
        watched: Watched,
    ) -> SteadyReport:
        pauses = _pauses(self._pauses, calls.begun)
        first, last = watched.ticks[0], watched.ticks[-1]
        flushes = sorted(probe.seconds for probe in watched.probes)
        moved = [tick.moved for tick in watched.ticks]
        return SteadyReport(
            contacts=self._workspace.contacts,
            seconds=self._seconds,
            share=SHARE,
            every=IMPORT_SECONDS,
            peak=peak,
            per_second=len(calls.due) / self._seconds,
            waits=_waits(calls, names),
            refused=dict(Counter(calls.refused)),
            silence=longest_silence(calls),
            episodes=episodes(calls, names, watched, pauses, self._imports),
            late=max(tick.late for tick in watched.ticks),
            flushes=[part(flushes, share) for share in (0.5, 0.99, 1.0)],
            pauses=[
                len(pauses),
                sum(one.seconds for one in pauses),
                max((one.seconds for one in pauses), default=0.0),
            ],
            frames=max(tick.frames for tick in watched.ticks),
            checkpoints=sum(after > before for before, after in pairwise(moved)),
            stolen=last.stolen - first.stolen,
            queued=last.queued - first.queued,
            faults=last.faults - first.faults,
            imports=len(self._imports),
            begun=begun_at,
        )


@contextmanager
def _in_thread(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run a function in a thread until the block ends, which sets the event. Raises its exception."""
    ending = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work, ending)
        try:
            yield
        finally:
            ending.set()
        working.result()


def _waits(calls: Calls, names: Sequence[str]) -> list[Waits]:
    waits = calls.waits()
    made = [_waits_of("all", waits)]
    for number, name in enumerate(names):
        made.append(
            _waits_of(name, [wait for wait, kind in zip(waits, calls.kinds, strict=True) if kind == number])
        )
    return made


def _waits_of(name: str, waits: Sequence[float]) -> Waits:
    ordered = sorted(waits)
    if not ordered:
        return Waits(name, 0, 0.0, 0.0, 0.0, 0.0)
    return Waits(
        name, len(ordered), part(ordered, 0.5), part(ordered, 0.99), part(ordered, 0.999), ordered[-1]
    )


def _pauses(path: Path, since: float) -> list[Interval]:
    """Return the server's recorded collections since a moment."""
    lines = (line.split() for line in path.read_text("ascii").splitlines())
    found = [Interval(float(end) - float(seconds), float(end)) for end, seconds in lines]
    return [one for one in found if one.begin >= since]
