"""Start page: credits, use by day, readiness of search, and the next steps."""

from typing import Any, Final, NamedTuple

from firmograph.accounts.key_changes import list_keys
from firmograph.accounts.usage import account_usage
from firmograph.accounts.usage_report import Month, OwnUsage, report_own
from firmograph.kit.clock import day_number, day_of, day_start
from firmograph.rate_limits.windows import RateLimiter
from firmograph.workspace import AT
from firmograph.workspace.answers import Answer, HtmlPage
from firmograph.workspace.charts import bars
from firmograph.workspace.route import RANKS
from firmograph.workspace.visit import Visit

PERIODS: Final = (30, 90, 365)
"""Days that a page can show."""


_UNLIMITED: Final = 1_000_000_000
"""Requests of a window that plans without a limit have."""


class Step(NamedTuple):
    """What somebody may do next."""

    path: str
    text: str


def show_home(visit: Visit) -> Answer:
    request, installation = visit.request(), visit.installation
    days = read_days(visit)
    with installation.database.read() as session:
        usage = account_usage(session, installation.get(RateLimiter), request.caller)
        by_day = fill_days(report_own(visit.own(session), last_days(visit.at, days), "day"), visit.at, days)
        keys = [key for key in list_keys(visit.own(session)) if key.revoked_at is None]
    values: dict[str, Any] = {
        "usage": usage,
        "unlimited": _UNLIMITED,
        "days": days,
        "periods": PERIODS,
        "by_day": by_day,
        "credit_bars": bars([(day.group, day.credits) for day in by_day]),
        "request_bars": bars([(day.group, day.requests) for day in by_day]),
        "indexes": installation.indexes,
        "steps": _next_steps(visit, bool(keys), usage.credits.remaining),
    }
    return HtmlPage("home.html", values)


def _next_steps(visit: Visit, has_key: bool, credits: int) -> list[Step]:
    steps = []
    if not has_key and RANKS[visit.membership.role] >= RANKS["manager"]:
        steps.append(Step(f"{AT}/keys", "Make a key, so that a program can call the API"))
    steps.append(Step(f"{AT}/search/contacts", "Search for contacts or companies"))
    if credits <= 0:
        steps.append(
            Step(f"{AT}/usage", "There are no credits left; ask the operator of this service for more")
        )
    if RANKS[visit.membership.role] >= RANKS["admin"]:
        steps.append(Step(f"{AT}/users", "Invite a colleague"))
    steps.append(Step("/docs", "Read the reference of the API, and try a call"))
    return steps


def read_days(visit: Visit) -> int:
    """Return the days to show: one of `PERIODS`, the first for anything else."""
    asked = visit.query.get("days", "")
    return int(asked) if asked in map(str, PERIODS) else PERIODS[0]


def last_days(at: float, days: int) -> Month:
    """Return the period of the last days, today's included."""
    today = day_number(at)
    return Month(today - days + 1, today + 1)


def fill_days(rows: list[OwnUsage], at: float, days: int) -> list[OwnUsage]:
    """Return one row for each day, also those without use."""
    known = {row.group: row for row in rows}
    period = last_days(at, days)
    names = [day_of(day_start(number)).isoformat() for number in range(period.first, period.end)]
    return [known.get(name, OwnUsage(name, 0, 0, 0)) for name in names]
