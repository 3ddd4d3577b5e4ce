"""Figures of buying groups, as tables."""

import msgspec

from bench.lookalikes_report import Waits
from bench.tables import Table, verdict

AIMS = (50.0, 150.0)
"""Milliseconds, p50 and p99."""


class GroupCalls(msgspec.Struct):
    """Calls for the first page of some companies."""

    waits: Waits
    fewest: int
    """Contacts on all pages, with the fewest of the requested roles."""
    most: int


class BuyingGroupsReport(msgspec.Struct):
    contacts: int
    companies: int
    calls: list[GroupCalls]


def buying_groups_tables(report: BuyingGroupsReport) -> list[Table]:
    rows = [
        (
            one.waits.title,
            f"{one.fewest:,} to {one.most:,}",
            f"{one.waits.p50:,.1f}",
            f"{one.waits.p99:,.1f}",
            f"{AIMS[0]:g} and {AIMS[1]:g}",
            verdict((one.waits.p50, AIMS[0]), (one.waits.p99, AIMS[1])),
        )
        for one in report.calls
    ]
    heads = ("companies", "contacts on all pages", "p50, ms", "p99, ms", "aims", "")
    return [Table("Speed of buying groups", heads, rows)]
