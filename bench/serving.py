"""Speed of the real server, compared with a bare handler of the same framework with the same answers.

Servers and client each have a core of their own. Measured as well: the cost of authentication, whether short reads
belong on the event loop or in a thread, and the processor time by function.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import mixes
from bench.client import ask, load, request
from bench.hotspots import Hotspots, record
from bench.mixes import Mix
from bench.rounds import Check, Compared, Contestant, compare
from bench.servers import Server, cores, free_port, on_core, serving
from bench.variant import GATED, OPEN
from bench.workspace import PLAN, Workspace
from firmograph.kit.clock import SystemClock

CREDITS = 100_000_000


class Effort(NamedTuple):
    """Duration and amount of the measurements."""

    rounds: int
    seconds: float
    profile_seconds: float
    sample: int
    """Rows examined to find people to look up."""
    singles: int
    """Requests in a pool of one item each."""
    batches: int
    """Requests in a pool of 100 items each."""


FULL = Effort(5, 3.0, 8.0, 60_000, 10_000, 400)
QUICK = Effort(3, 1.0, 4.0, 15_000, 2_000, 50)


class Profile(msgspec.Struct):
    title: str
    cpu_micros: float
    """Processor time for each request."""
    hotspots: Hotspots | None
    """None if sampling is not allowed."""


class ServingReport(msgspec.Struct):
    mixes: list[Compared]
    gate: Compared
    """A no-op with authentication, one without it, the bare handler."""
    threads: list[Compared]
    profiles: list[Profile]


def measure(workspace: Workspace, effort: Effort, started: Callable[[str], object]) -> ServingReport:
    """Measure everything about serving. `started` gets each measured part."""
    with on_core(cores()[1]):
        return _Bench(workspace, effort, started).measure()


class _Bench:
    def __init__(self, workspace: Workspace, effort: Effort, started: Callable[[str], object]) -> None:
        self._workspace = workspace
        self._effort = effort
        self._started = started
        account = f"bench-{SystemClock().seconds():.3f}"
        workspace.run("account", "create", account, "--plan", PLAN, "--credits", str(CREDITS))
        self._key: str = workspace.run("key", "create", "--account", account)["apiKey"]

    def measure(self) -> ServingReport:
        with self._real() as real:
            self._started("pools of requests")
            pools = self._pools(real)
            with self._bare(pools, real) as bare, self._variant("no-op") as nothing:
                compared = [self._against_bare(mix, real, bare) for mix in pools]
                gate = self._gate(pools[0], nothing, bare)
        threads, profiles = self._threads(pools)
        return ServingReport(
            compared,
            gate,
            threads,
            profiles,
        )

    # --- requests ---

    def _pools(self, real: Server) -> list[Mix]:
        effort = self._effort
        rows = mixes.sample(self._workspace.rows("contacts"), self._workspace.contacts, effort.sample)
        persons = mixes.people(rows, lambda path, bodies: self._post(real, path, bodies))
        pools = [
            mixes.search_mix(persons, 1, effort.singles),
            mixes.search_mix(persons, 100, effort.batches),
            mixes.enrich_mix(persons, 100, effort.batches),
        ]
        # paid in advance, so that nothing is charged while the clock runs
        self._post(real, pools[-1].path, pools[-1].bodies)
        return pools

    def _post(self, server: Server, path: str, bodies: Sequence[bytes]) -> list[bytes]:
        return ask(server.port, [request(path, body, self._key) for body in bodies])

    # --- contestants ---

    def _real(self) -> AbstractContextManager[Server]:
        port = free_port()
        return serving(
            "firmograph", self._workspace.command("serve", "--port", str(port)), port, self._log("serve")
        )

    def _variant(self, name: str, *options: str) -> AbstractContextManager[Server]:
        port = free_port()
        command = self._workspace.command("serve", "--port", str(port))[1:]
        python = self._workspace.python("bench.variant", *options, "--")
        return serving(name, [*python, *command], port, self._log(name))

    @contextmanager
    def _bare(self, pools: Sequence[Mix], real: Server) -> Iterator[Server]:
        """Return the bare handlers, with the real answers."""
        answers = []
        for mix in pools:
            bodies = self._post(real, mix.path, mix.bodies)
            mixes.check(mix, list(enumerate(bodies)))
            answers.append((mix.name, mix.path, bodies))
        path = self._workspace.folder / "answers.msgpack"
        path.write_bytes(msgspec.msgpack.encode(answers))
        port = free_port()
        command = self._workspace.python("bench.bare", "--port", str(port), str(path))
        with serving("bare handler", command, port, self._log("bare")) as server:
            path.unlink()
            yield server

    def _log(self, name: str) -> Path:
        return self._workspace.folder / f"{name.replace(' ', '-')}.log"

    # --- measurements ---

    def _compare(self, title: str, *contestants: Contestant) -> Compared:
        self._started(title)
        return compare(title, contestants, self._effort.rounds, self._effort.seconds)

    def _contestant(self, name: str, server: Server, mix: Mix) -> Contestant:
        check: Check = partial(mixes.check, mix)
        return Contestant(name, server, mix.requests(self._key), check)

    def _against_bare(self, mix: Mix, real: Server, bare: Server) -> Compared:
        other = Contestant(bare.name, bare, mix.requests(self._key, f"/{mix.name}"))
        return self._compare(mix.title, self._contestant("firmograph", real, mix), other)

    def _gate(self, mix: Mix, nothing: Server, bare: Server) -> Compared:
        """Send the same bodies to endpoints that do nothing, with and without authentication."""
        return self._compare(
            "authentication: key, account, limits and their headers",
            Contestant("no-op with authentication", nothing, mix.requests(self._key, GATED)),
            Contestant("no-op without it", nothing, mix.requests(self._key, OPEN)),
            Contestant("bare handler, 1 item", bare, mix.requests(self._key, f"/{mix.name}")),
        )

    def _threads(self, pools: Sequence[Mix]) -> tuple[list[Compared], list[Profile]]:
        """Measure both ways to run the calls, and profile the simpler one, free of thread switches."""
        names = ("search_contacts", "enrich_contacts")
        on_loop = (option for name in names for option in ("--on-loop", name))
        in_thread = (option for name in names for option in ("--in-thread", name))
        with self._variant("loop", *on_loop) as loop, self._variant("thread", *in_thread) as thread:
            compared = [
                self._compare(
                    f"{mix.title}: loop or thread",
                    self._contestant("in a worker thread", thread, mix),
                    self._contestant("on the event loop", loop, mix),
                )
                for mix in pools
            ]
            micros = [one.speeds[-1].cpu_micros for one in compared]
            profiles = [self._profile(mix, loop, used) for mix, used in zip(pools, micros, strict=True)]
        return compared, profiles

    def _profile(self, mix: Mix, server: Server, cpu_micros: float) -> Profile:
        self._started(f"{mix.title}: profile")
        seconds = self._effort.profile_seconds
        requests = mix.requests(self._key)
        hotspots = record(server.pid, seconds, lambda: load([server.port], requests, seconds + 2))
        return Profile(mix.title, cpu_micros, hotspots)
