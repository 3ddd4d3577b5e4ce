"""Website visits: the query over HTTP, of a year of sessions of one account."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import cycle, islice
from typing import Any, Final

import msgspec

from bench.client import ask, request
from bench.generate import brands, company_rows, write_rows
from bench.lookalikes_calls import serve, waits
from bench.servers import Server, cores, cpu_seconds, on_core
from bench.visits_report import VisitsReport, WindowCalls
from bench.visits_rows import write_sessions
from bench.workspace import PLAN, ROOT, Workspace
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock, day_number, today
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.sites import Sites

PATH = "/v3/companies/website-visits"
SESSIONS, QUICK_SESSIONS = 1_000_000, 100_000
COMPANIES, QUICK_COMPANIES = 20_000, 2_000
CALLS, QUICK_CALLS = 300, 60
DOMAINS: Final = ("shop.test", "docs.test", "blog.test")
WINDOWS: Final = (("30 days", 30), ("3 months", 90))
_REQUESTS: Final[Sequence[dict[str, Any]]] = (
    {},
    {"filters": {"scoreBands": ["warm", "hot"]}, "sort": {"by": "totalSessions"}},
    {"filters": {"visitorCountries": {"include": ["DE", "FR"]}}, "pagination": {"page": 1, "size": 50}},
    {"sort": {"by": "uniqueVisitors"}, "pagination": {"limit": 150, "offset": 300}},
    {"domains": [DOMAINS[0]], "filters": {"daysSinceLastVisit": {"max": 7}}},
)
"""What differs between requests, in turn."""

Notify = Callable[[str], object]


def measure(quick: bool, notify: Notify) -> VisitsReport:
    sessions, companies = (QUICK_SESSIONS, QUICK_COMPANIES) if quick else (SESSIONS, COMPANIES)
    space = Workspace(companies * 10, ROOT / ".bench" / "visits")
    notify(f"{companies:,} companies and {sessions:,} sessions")
    key = _load(space, sessions)
    count = QUICK_CALLS if quick else CALLS
    queries = []
    for title, days in WINDOWS:
        # each on a server of its own, whose first call has nothing in memory
        with on_core(cores()[1]), serve(space, ("search",), lookalikes="false") as server:
            notify(title)
            queries.append(_measure(server, key, title, days, count))
    return VisitsReport(companies, sessions, queries)


def _load(space: Workspace, sessions: int) -> str:
    """Fill a fresh database; return the key of the account with the sessions."""
    space.clear_database()
    employers = brands(space.companies)
    write_rows(company_rows(employers), space.rows("companies"), lambda made: None)
    space.run("import", "companies", str(space.rows("companies")))
    database, clock = Database(space.url), SystemClock()
    accounts = Accounts(database, load_plans(), clock)
    account = accounts.create("bench", PLAN)
    tracked = Sites(database, clock, OperatorAudit())
    sites = [tracked.track(account.id, domain) for domain in DOMAINS]
    domains = [brand.domain for brand in employers]
    write_sessions(database, sites, domains, sessions, day_number(clock.seconds()))
    key = accounts.create_key("bench").api_key
    database.close()
    space.run("index")
    return key


def _measure(server: Server, key: str, title: str, days: int, count: int) -> WindowCalls:
    end = today(SystemClock())
    window = {"startDate": f"{end - timedelta(days - 1)}", "endDate": f"{end}"}
    requests = [request(PATH, msgspec.json.encode(window | body), key) for body in _REQUESTS]
    began = time.perf_counter()
    (answer,) = ask(server.port, requests[:1])
    first = time.perf_counter() - began
    used = cpu_seconds(server.pid)
    called = waits(title, server, list(islice(cycle(requests), count)), _check)
    used = cpu_seconds(server.pid) - used
    total = msgspec.json.decode(answer)["pagination"]["total"]
    return WindowCalls(called, total, first * 1e3, used / count * 1e3)


def _check(answer: bytes) -> None:
    if not msgspec.json.decode(answer)["results"]:
        raise RuntimeError("a page is empty")
