"""Usage of all accounts in a month: requests and errors by the counts of days, credits by the ledger."""

import re
from collections import defaultdict
from datetime import UTC, datetime
from typing import Final, NamedTuple

from firmograph.accounts import store, usage_store
from firmograph.accounts.lookup import find_account
from firmograph.billing import ledger
from firmograph.billing.types import UsageGroup
from firmograph.database.connection import AccountSession, Database
from firmograph.kit.clock import day_number, day_of, day_start
from firmograph.kit.errors import Refused

_MONTH: Final = re.compile(r"(\d{4})-(\d{2})", re.ASCII)


class Month(NamedTuple):
    """Calendar month in UTC, in days since the epoch."""

    first: int
    end: int
    """First day of the next month."""


class UsageRow(NamedTuple):
    """Usage of an account in a month, or a part of it."""

    account: str
    requests: int
    errors: int
    credits: int
    group: str
    """Prefix of the key or other actor, operation or price key, or day; empty for the whole account."""
    account_id: int


class UsageReports:
    """Reports of usage."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def report(self, month: Month, by: UsageGroup = "account", account: str | None = None) -> list[UsageRow]:
        """Return the usage of a month by account and group; without `account` of all accounts that have any.

        The credits are those of charges and captures in the ledger, by the month of their rows. Raises Refused for an
        unknown account.
        """
        sums: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        with self._database.read() as session:
            chosen = None if account is None else find_account(session, account).id
            names = {one.id: one.name for one in store.select_accounts(session)}
            for number, group, requests, errors in usage_store.select_requests(session, by, *month):
                sums[number, _text(group)][:2] = requests, errors
            since, until = day_start(month.first), day_start(month.end)
            for number, group, credits in ledger.charged(session, by, since, until):
                sums[number, _text(group)][2] = credits
        return [
            UsageRow(names[number], requests, errors, credits, group, number)
            for (number, group), (requests, errors, credits) in sorted(sums.items())
            if chosen in (None, number)
        ]


class OwnUsage(NamedTuple):
    """Usage of one account by a group."""

    group: str
    requests: int
    errors: int
    credits: int


def report_own(session: AccountSession, period: Month, by: UsageGroup) -> list[OwnUsage]:
    """Return the usage of an account in a period, by group in their order. Two statements."""
    sums: dict[str | int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for group, requests, errors in usage_store.select_own_requests(session, by, *period):
        sums[group][:2] = requests, errors
    for group, credits in ledger.own_charged(session, by, day_start(period.first), day_start(period.end)):
        sums[group][2] = credits
    return [OwnUsage(_text(group), *figures) for group, figures in sorted(sums.items())]


def read_month(text: str) -> Month:
    """Return the month of a text such as `2026-11`. Raises Refused."""
    found = _MONTH.fullmatch(text)
    try:
        year, month = map(int, found.groups() if found else ())
        first = datetime(year, month, 1, tzinfo=UTC)
        end = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    except ValueError:
        raise Refused(f"{text!r} is no month; write it as 2026-11") from None
    return Month(day_number(first.timestamp()), day_number(end.timestamp()))


def _text(group: str | int) -> str:
    return day_of(day_start(group)).isoformat() if isinstance(group, int) else group
