"""SQLite and PostgreSQL under the same calls, one server and two, readers during writes, and limits in Redis.

Everything is measured in one run, on the same generated rows, by real `firmograph serve` processes that are called in
turn. Parts that need missing software are left out and named.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

from bench import nodes_pools, services
from bench.client import CONNECTIONS
from bench.latencies import Alongside, Compared, Contestant, compare
from bench.nodes_pools import BY_EMAIL, CHARGING, SINGLES, Pools
from bench.nodes_report import FULL, MANY_CORES, QUICK, Effort, Limits, NodesReport
from bench.servers import Server, bound_to, cores
from bench.sites import Site
from bench.workspace import Workspace
from bench.writers import Writer, change_files

__all__ = ["FULL", "QUICK", "measure"]

Started = Callable[[str], object]


def measure(workspace: Workspace, effort: Effort, started: Started) -> NodesReport:
    """Measure everything. `started` gets each measured part, and each part that is left out."""
    folder = workspace.folder / "nodes"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        return _Bench(workspace, folder, effort, started, stack).measure()


class _Bench:
    def __init__(
        self, workspace: Workspace, folder: Path, effort: Effort, started: Started, stack: ExitStack
    ) -> None:
        self._workspace = workspace
        self._folder = folder
        self._effort = effort
        self._started = started
        cores()
        self._cores = sorted(os.sched_getaffinity(0))
        self._sites = [Site("SQLite", f"sqlite:///{folder / 'sqlite' / 'nodes.db'}", folder / "sqlite")]
        self._postgresql = (
            stack.enter_context(services.running_postgresql()) if services.has_postgresql() else None
        )
        self._redis = stack.enter_context(services.running_redis()) if services.has_redis() else None
        if self._postgresql:
            url = self._postgresql.create("firmograph")
            other_processes = (self._postgresql.pid,)
            self._sites.append(Site("PostgreSQL", url, folder / "postgresql", other_processes))
        self._pools: dict[str, Pools] = {}
        """By site."""

    def measure(self) -> NodesReport:
        report = NodesReport(
            self._workspace.contacts, self._workspace.companies, len(self._cores), self._effort
        )
        report.releases = services.releases(self._postgresql, self._redis)
        report.left_out = self._left_out()
        for site in self._sites:
            self._started(f"import into {site.name}")
            site.load(self._workspace)
        if self._postgresql:
            # what it does by itself a minute after an import
            with self._postgresql.connect("firmograph") as connection:
                connection.execute("VACUUM (ANALYZE)")
        others = [server.pid for server in (self._postgresql, self._redis) if server]
        with bound_to(self._around(1), *others):
            report.calls = self._calls()
            report.limits = self._limits() if self._redis else []
        with bound_to(self._around(2), *others):
            report.spread = self._spread() if self._postgresql else []
        report.written = self._written() if self._postgresql else []
        return report

    def _left_out(self) -> list[str]:
        missing = [] if self._postgresql else [services.POSTGRESQL_MISSING]
        missing += [] if self._redis else [services.REDIS_MISSING]
        for line in missing:
            self._started(f"left out: {line}")
        return missing

    # --- where processes run ---

    def _own(self, number: int) -> set[int]:
        """Return the core of the first or second of two servers."""
        return {self._cores[number]}

    def _around(self, servers: int) -> set[int]:
        """Return the cores left for the load client, PostgreSQL and Redis; all cores if there are few."""
        few = servers > 1 and len(self._cores) < MANY_CORES
        return set(self._cores if few else self._cores[servers:])

    @contextmanager
    def _servers(self, places: set[int]) -> Iterator[list[Server]]:
        """Return one server on each site."""
        with ExitStack() as stack:
            yield [stack.enter_context(site.served(places)) for site in self._sites]

    # --- measurements ---

    def _calls(self) -> list[Compared]:
        with self._servers(self._own(0)) as servers:
            self._started("pools of requests")
            rows = nodes_pools.sample(self._workspace, self._effort)
            for site, server in zip(self._sites, servers, strict=True):
                self._pools[site.name] = nodes_pools.pools(site, server, rows, self._effort)
            return [self._by_site(name, servers) for name in self._pools[self._sites[0].name]]

    def _by_site(self, name: str, servers: Sequence[Server]) -> Compared:
        self._started(name)
        contestants = [
            self._contestant(site.name, site, [server], name)
            for site, server in zip(self._sites, servers, strict=True)
        ]
        return compare(name, contestants, self._effort.rounds, self._effort.seconds)

    def _spread(self) -> list[Compared]:
        """Measure one server, two, and one of two workers, all on PostgreSQL."""
        site = self._sites[-1]
        with ExitStack() as stack:
            one, other = (stack.enter_context(site.served(self._own(number))) for number in (0, 1))
            free = stack.enter_context(site.served(set(self._cores)))
            workers = stack.enter_context(site.served(self._own(0) | self._own(1), "--workers", "2"))
            setups = {
                "one server": ([one], CONNECTIONS),
                "one server that may use all cores": ([free], CONNECTIONS),
                "two servers, each as busy": ([one, other], 2 * CONNECTIONS),
                "two servers that share its callers": ([one, other], CONNECTIONS),
                "one server of two workers, each as busy": ([workers], 2 * CONNECTIONS),
            }
            found = []
            for name in (BY_EMAIL, CHARGING):
                self._started(f"{name}: one server and two")
                contestants = [
                    self._contestant(title, site, servers, name, callers=callers)
                    for title, (servers, callers) in setups.items()
                ]
                found.append(compare(name, contestants, self._effort.rounds, self._effort.seconds))
            return found

    def _limits(self) -> list[Limits]:
        """Measure on each site a server that counts limits by itself, and one that counts in Redis."""
        assert self._redis is not None
        settings, found = {"redis_url": self._redis.url}, []
        for site in self._sites:
            self._started(f"limits in Redis, on {site.name}")
            places, other_processes = self._own(0), (self._redis.pid,)
            with site.served(places) as alone, site.served(places, settings=settings) as shared:
                pool, effort = self._pools[site.name][BY_EMAIL], self._effort
                many, single = (
                    compare(
                        BY_EMAIL,
                        [
                            Contestant("by itself", [alone], pool, other_processes, callers),
                            Contestant("in Redis", [shared], pool, other_processes, callers),
                        ],
                        effort.rounds,
                        effort.seconds,
                    )
                    for callers in (CONNECTIONS, 1)
                )
                found.append(Limits(site.name, single, many))
        return found

    def _written(self) -> list[Compared]:
        """Measure on both sites while another process imports; nobody has cores of their own."""
        self._started("files of changed rows")
        files = change_files(self._workspace, self._folder)
        with self._servers(set(self._cores)) as servers, ExitStack() as stack:
            alongside = {}
            for site in self._sites:
                writer = Writer(site, files)
                stack.callback(writer.close)
                alongside[site.name] = writer.importing
            found = []
            for name in SINGLES:
                self._started(f"{name}, while another process imports")
                contestants = [
                    self._contestant(site.name, site, [server], name, alongside[site.name])
                    for site, server in zip(self._sites, servers, strict=True)
                ]
                found.append(
                    compare(name, contestants, self._effort.written_rounds, self._effort.written_seconds)
                )
            return found

    def _contestant(
        self,
        title: str,
        site: Site,
        servers: Sequence[Server],
        name: str,
        alongside: Alongside = nullcontext,
        callers: int = CONNECTIONS,
    ) -> Contestant:
        return Contestant(title, servers, self._pools[site.name][name], site.apart, callers, alongside)
