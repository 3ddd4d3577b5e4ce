"""Webhooks: sustained deliveries of a worker, their delay, and the effect of receivers that never answer.

A real `firmograph worker` on each database, with receivers in a separate process. Signals are stored by the
function that imports use, and subscriptions are made through the API.
"""

import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from bench import services
from bench.bare_sender import Sent
from bench.deliveries_report import DeliveriesReport, FannedOut, OnSite, Paced, Sustained
from bench.deliveries_world import Made, Worker, World, working
from bench.receivers import Arrival, Receivers, receiving
from bench.servers import cores
from bench.serving import QUICK
from bench.serving import Effort as OfAll
from bench.sites import Site
from bench.workspace import Workspace, environment
from firmograph.bootstrap.packages import load_plans
from firmograph.kit.clock import SystemClock
from firmograph.webhooks.deliveries.fan_out import FanOut

ACCOUNTS, COMPANIES, ORIGINS = 10, 100, 100
"""Companies of each account: 1,000 subscriptions in all, ten to a receiver."""
_SILENT = 10
"""One receiver of each account in so many is silent."""
_TICK_SECONDS = 0.1
_WAIT_SECONDS = 120
_LOOKS = 1_000

Reporter = Callable[[str], object]


class Effort(NamedTuple):
    rounds: int
    backlog: int
    """Signals in a round."""
    seconds: float
    """Duration of a paced run; long enough for the timeouts of silent receivers."""


_FULL, _QUICK = Effort(3, 1_000, 45.0), Effort(1, 300, 12.0)


class _Data(msgspec.Struct, rename="camel"):
    signal_id: str


class _Payload(msgspec.Struct):
    id: str
    data: _Data


class _Round(NamedTuple):
    per_second: float
    cpu_micros: float
    bare_per_second: float
    bare_cpu_micros: float


_payload = msgspec.json.Decoder(_Payload).decode


def measure(effort: OfAll, report: Reporter) -> DeliveriesReport:
    chosen = _QUICK if effort == QUICK else _FULL
    cores()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="firmograph-deliveries-")))
        sites = [Site("SQLite", f"sqlite:///{folder / 'sqlite' / 'bench.db'}", folder / "sqlite")]
        if services.has_postgresql():
            server = stack.enter_context(services.running_postgresql())
            sites.append(Site("PostgreSQL", server.create("firmograph"), folder / "postgresql"))
        else:
            report(f"left out: {services.POSTGRESQL_MISSING}")
        measured = []
        for site in sites:
            with receiving(ORIGINS) as receivers:
                report(f"{site.name}: subscriptions")
                world = World(site, ACCOUNTS, COMPANIES, receivers)
                measured.append(_OnSite(world, chosen, report).measure())
        return DeliveriesReport(
            ACCOUNTS,
            ACCOUNTS * COMPANIES,
            ORIGINS,
            chosen.backlog * ACCOUNTS,
            chosen.seconds,
            measured,
        )


class _OnSite:
    def __init__(self, world: World, effort: Effort, report: Reporter) -> None:
        self._world = world
        self._effort = effort
        self._name = world.site.name
        self._report = report
        self._receivers: Receivers = world.receivers
        self._memory: list[int] = []
        """Of the worker, while all deliveries of a round or run had arrived."""

    def measure(self) -> OnSite:
        fanned_out = self._fan_out()
        with working(self._world.site) as worker:
            # the remaining deliveries of the fan-out come first, which warms both sides up
            self._receivers.wait_for(self._effort.backlog * ACCOUNTS, _WAIT_SECONDS, worker.lives)
            self._receivers.take_arrivals()
            sustained = [
                self._sustain(worker, "at once", 0.0),
                self._sustain(worker, "after 50 ms", 0.05),
            ]
            pace = min(one.per_second for one in sustained) / 2
            paced = [self._pace(worker, "all answer at once", pace, 0)]
            paced.append(self._pace(worker, "a tenth never answers", pace, _SILENT))
        self._world.database.close()
        return OnSite(self._name, sustained, paced, fanned_out, max(self._memory))

    # --- fan-out alone ---

    def _fan_out(self) -> FannedOut:
        self._report(f"{self._name}: fan-out")
        world, count = self._world, self._effort.backlog
        fan_out = FanOut(world.database, SystemClock(), load_plans(), world.digests, 30)
        while fan_out.step():
            pass
        speeds = []
        for subscribed in (False, True):
            world.detect(count, subscribed=subscribed)
            began = time.perf_counter()
            while fan_out.step():
                pass
            speeds.append(count / (time.perf_counter() - began))
        began = time.perf_counter()
        for _ in range(_LOOKS):
            fan_out.step()
        idle = (time.perf_counter() - began) / _LOOKS
        return FannedOut(speeds[1] * ACCOUNTS, speeds[1], speeds[0], idle * 1e6)

    # --- at full speed ---

    def _sustain(self, worker: Worker, title: str, delay: float) -> Sustained:
        self._report(f"{self._name}: receivers that answer {title}")
        self._receivers.behave(delay=delay)
        rounds = [self._round(worker) for _ in range(self._effort.rounds)]
        return Sustained(
            title,
            median(one.per_second for one in rounds),
            median(one.cpu_micros for one in rounds),
            median(one.bare_per_second for one in rounds),
            median(one.bare_cpu_micros for one in rounds),
            median(one.per_second / one.bare_per_second for one in rounds),
            median(one.bare_cpu_micros / one.cpu_micros for one in rounds),
        )

    def _round(self, worker: Worker) -> _Round:
        count = self._effort.backlog * ACCOUNTS
        used = worker.cpu_seconds()
        self._world.detect(self._effort.backlog)
        arrivals = self._received(worker, count)
        used = worker.cpu_seconds() - used
        bare = self._bare(arrivals)
        return _Round(
            (count - 1) / (arrivals[-1][0] - arrivals[0][0]),
            used / count * 1e6,
            count / bare.seconds,
            bare.cpu / count * 1e6,
        )

    def _received(self, worker: Worker, count: int) -> list[Arrival]:
        self._receivers.wait_for(count, _WAIT_SECONDS, worker.lives)
        self._memory.append(worker.memory())
        arrivals = self._receivers.take_arrivals()
        if len({_payload(body).id for _, body in arrivals}) != count:
            raise RuntimeError("Not every delivery arrived once")
        return arrivals

    def _bare(self, arrivals: Sequence[Arrival]) -> Sent:
        path = self._world.site.folder / "posts.msgpack"
        urls = self._receivers.urls
        posts = [(urls[place % len(urls)], body) for place, (_, body) in enumerate(arrivals)]
        path.write_bytes(msgspec.msgpack.encode(posts))
        done = subprocess.run(
            Workspace.python("bench.bare_sender", str(path)),
            env=environment(),
            check=True,
            capture_output=True,
        )
        self._receivers.take_arrivals()
        return msgspec.json.decode(done.stdout, type=Sent)

    # --- at an even rate ---

    def _pace(self, worker: Worker, title: str, pace: float, silent: int) -> Paced:
        self._report(f"{self._name}: {title}, {pace:,.0f} a second")
        self._receivers.behave(silent=silent)
        each = max(1, round(pace / ACCOUNTS * _TICK_SECONDS))
        detected: dict[str, Made] = {}
        began = time.monotonic()
        ticks = int(self._effort.seconds / _TICK_SECONDS)
        for tick in range(ticks):
            detected |= self._world.detect(each)
            time.sleep(max(0.0, began + (tick + 1) * _TICK_SECONDS - time.monotonic()))
        took = time.monotonic() - began
        healthy = [one for one in detected.values() if not (silent and one.receiver % silent == 0)]
        arrivals = self._received(worker, len(healthy) * ACCOUNTS)
        waits = sorted((at - detected[_payload(body).data.signal_id].at) * 1e3 for at, body in arrivals)
        return Paced(
            title,
            ticks * each * ACCOUNTS / took,
            len(waits),
            waits[len(waits) // 2],
            waits[len(waits) * 99 // 100],
            waits[-1],
        )
