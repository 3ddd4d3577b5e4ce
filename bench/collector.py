"""Page views a second that a server process takes from browsers, and how many of them are lost.

Each page view is of an address and page of its own, on one of many sites, so that no limit of the collector is reached
and each is one row's. All that were answered must be stored in the end, as the server's metrics count them.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.request import urlopen

from bench.client import load
from bench.collector_report import CollectorReport
from bench.servers import Server, cores, free_port, on_core, serving
from bench.workspace import PLAN, Workspace
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.settings import Settings
from firmograph.visits.sites import Sites

SITES: Final = 50
SECONDS, QUICK_SECONDS = 20.0, 4.0
_PER_SECOND: Final = 10_000
"""Page views prepared for each second, more than a process takes."""
_PATIENCE_SECONDS: Final = 60.0
_AGENT: Final = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)

Reporter = Callable[[str], object]


def measure(quick: bool, report: Reporter) -> CollectorReport:
    seconds = QUICK_SECONDS if quick else SECONDS
    with TemporaryDirectory(prefix="firmograph-collector-") as folder:
        workspace = Workspace(0, Path(folder))
        workspace.run("account", "create", "bench", "--plan", PLAN)
        _track(workspace)
        requests = [_request(number) for number in range(int(seconds * _PER_SECOND))]
        port = free_port()
        command = workspace.command("serve", "--port", str(port), "--no-worker")
        log, proxies = workspace.folder / "serve.log", {"trusted_proxies": "127.0.0.1"}
        with on_core(cores()[1]), serving("firmograph", command, port, log, settings=proxies) as server:
            server.wait_for_search()
            report("page views")
            used = server.cpu_seconds()
            done = load([port], requests, seconds)
            ended = time.monotonic()
            # those that were answered after the end of the measurement are stored as well
            sent = _shown(server, 'firmograph_requests_total{endpoint="collect_page_view",status="204"}')
            stored = _wait_for(server, sent)
            behind = time.monotonic() - ended
            cpu = (server.cpu_seconds() - used) / sent * 1e6
            waits = sorted(done.waits)
            return CollectorReport(
                SITES, sent, done.per_second, _at(waits, 0.5), _at(waits, 0.99), cpu, stored, behind
            )


def _track(workspace: Workspace) -> None:
    database = Database(workspace.url)
    installation = make_installation(Settings(database_url=workspace.url), database)
    account = installation.get(Accounts).find("bench").id
    for number in range(SITES):
        installation.get(Sites).track(account, _domain(number))
    database.close()


def _domain(number: int) -> str:
    return f"site{number}.example.com"


def _request(number: int) -> bytes:
    origin = f"https://{_domain(number % SITES)}"
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    body = f'{{"url":"{origin}/page/{number}"}}'
    return (
        f"POST /collect/v HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain;charset=UTF-8\r\n"
        f"origin: {origin}\r\nuser-agent: {_AGENT}\r\nx-forwarded-for: {address}\r\nx-forwarded-proto: https\r\n"
        f"content-length: {len(body)}\r\n\r\n{body}"
    ).encode()


def _wait_for(server: Server, sent: int) -> int:
    """Return how many page views are stored, once all are, or nothing changes any more."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while (stored := _shown(server, "firmograph_page_views_taken_total")) < sent and time.monotonic() < until:
        time.sleep(0.1)
    return stored


def _shown(server: Server, name: str) -> int:
    """Return a counter of the server's metrics."""
    with urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return next((int(float(line.rpartition(" ")[2])) for line in lines if line.startswith(f"{name} ")), 0)


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
