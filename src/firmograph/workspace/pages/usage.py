"""Usage and prices: by day, key or action, as a page and as CSV."""

import csv
import io
from typing import Final, cast

from firmograph.accounts.usage_report import OwnUsage, report_own
from firmograph.billing.types import UsageGroup
from firmograph.workspace.answers import Answer, Download, HtmlPage
from firmograph.workspace.charts import bars
from firmograph.workspace.pages.home import PERIODS, fill_days, last_days, read_days
from firmograph.workspace.visit import Visit

_GROUPS: Final = {"day": "day", "key": "key or user", "action": "action"}
"""Groups by their word on the page."""


def show_usage(visit: Visit) -> Answer:
    request, days, by = visit.request(), read_days(visit), _read_group(visit)
    rows = _read_rows(visit, by, days)
    values = {
        "rows": rows,
        "by": by,
        "groups": _GROUPS,
        "days": days,
        "periods": PERIODS,
        "bars": bars([(row.group, row.credits) for row in rows]) if by == "day" else None,
        "prices": sorted(request.caller.plan.prices.items()),
        "plan": request.caller.plan,
    }
    return HtmlPage("usage.html", values)


def download_usage(visit: Visit) -> Answer:
    days, by = read_days(visit), _read_group(visit)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([by, "requests", "errors", "credits"])
    writer.writerows(_read_rows(visit, by, days))
    return Download(f"usage-by-{by}.csv", "text/csv", text.getvalue().encode())


def _read_group(visit: Visit) -> UsageGroup:
    asked = visit.query.get("by", "")
    return cast(UsageGroup, asked if asked in _GROUPS else "day")


def _read_rows(visit: Visit, by: UsageGroup, days: int) -> list[OwnUsage]:
    with visit.installation.database.read() as session:
        rows = report_own(visit.own(session), last_days(visit.at, days), by)
    return fill_days(rows, visit.at, days) if by == "day" else rows
