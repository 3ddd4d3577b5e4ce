"""Access logs in combined format, as Apache and nginx write them, also with the host before each line."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from firmograph.ingest.reading.lines import Lines
from firmograph.visits.bots import is_bot
from firmograph.visits.reading.page_rule import (
    ROBOTS_PATH,
    Found,
    LineCounts,
    is_asset,
    is_within,
)
from firmograph.visits.types import RawPageView

_USUAL: Final = re.compile(
    rb"([^ ]+) [^ ]+ [^ ]+ \[([^\]]{26})\]"
    rb' "(?:([A-Z]+) (/[^ "\\]*)[^"\\]*|[^"\\]*)" (\d\d\d) [^ ]+ "[^"\\]*" "([^"\\]*)"(.*)'
)
_QUOTED: Final = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
_UNUSUAL: Final = re.compile(
    # a host has a letter, and an address follows it
    rb"(?:([A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9.-]*)(?::\d+)? (?=[0-9a-fA-F]*[.:]))?"
    rb"([^ ]+) [^ ]+ .*? \[([^\]]*)\] " + _QUOTED + rb" (\d\d\d) [^ ]+ " + _QUOTED + b" " + _QUOTED + b"(.*)"
)
"""With escaped quotation marks, blanks in the user's name, or a host in front; takes longer."""
_COMMON: Final = re.compile(rb'[^ ]+ [^ ]+ .*?\[[^\]]*\] "[^"]*" \d\d\d [^ ]+\s*$')
_REQUEST: Final = re.compile(rb"([A-Z]+) (/[^ ]*)")
_HOUR: Final = re.compile(r"(\d\d)/(\w{3})/(\d{4}):(\d\d)([+-])(\d\d)(\d\d)", re.ASCII)
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_ROBOTS: Final = ROBOTS_PATH.encode()
_OK: Final = frozenset((b"200", b"304"))
_CACHED: Final = 16_384
"""Agents, and hours, that are kept in memory."""
NO_AGENTS: Final = "it names no user agent, as in common format"


class AccessLog:
    """Reader of the log of one site."""

    def __init__(self, domain: str, latest: float, counts: LineCounts) -> None:
        """Take the site's domain, and the time after which lines lie in the future."""
        self._domain = domain
        self._latest = latest
        self._counts = counts
        self._bots: dict[bytes, bool] = {}
        self._hours: dict[bytes, int | None] = {}

    def read(self, lines: Lines) -> Iterator[Found]:
        """Yield page views, readers of robots.txt and unread lines, and count all other lines."""
        match, judge = _USUAL.match, self._judge
        for line in lines:
            usual = match(line)
            one = judge(*usual.groups()) if usual else self._read_unusual(line, lines)
            if one is not None:
                yield one

    def _read_unusual(self, line: bytes, lines: Lines) -> Found | None:
        if not line.strip():
            return lines.take_problem() or None
        found = _UNUSUAL.match(line)
        if found is None:
            return NO_AGENTS if is_common(line) else "it is not in combined format"
        host, address, time, request, status, _, agent, rest = found.groups()
        if host and not is_within(host.decode("ascii"), self._domain):
            self._counts.other_sites += 1
            return None
        target = _REQUEST.match(request)
        method, path = target.groups() if target else (None, None)
        return self._judge(address, time, method, path, status, agent, rest)

    def _judge(
        self,
        address: bytes,
        time: bytes,
        method: bytes | None,
        target: bytes | None,
        status: bytes,
        agent: bytes,
        rest: bytes,
    ) -> Found | None:
        """Return what a line is, or why it cannot be read; count it and return None if it is no page view.

        Without method and target the request is none of HTTP; `rest` is what the operator's format has after the agent.
        """
        counts = self._counts
        is_bot = self._bots.get(agent)
        if is_bot is None:
            is_bot = self._ask(agent)
        if is_bot:
            counts.bots += 1
            return None
        if target is None:
            counts.other_requests += 1
            return None
        path = target.partition(b"?")[0]
        if path == _ROBOTS:
            counts.bots += 1
            target = path
        elif method != b"GET" or status not in _OK:
            counts.other_requests += 1
            return None
        elif is_asset(path):
            counts.assets += 1
            return None
        elif b"prefetch" in rest:
            # only where the operator logs the header Sec-Purpose, Purpose or X-Moz
            counts.prefetched += 1
            return None
        at = self._seconds(time)
        if isinstance(at, str):
            return at
        return RawPageView(
            at, target.decode("utf-8", "replace"), address.decode("latin-1"), agent.decode("latin-1")
        )

    def _ask(self, agent: bytes) -> bool:
        """Return whether an agent is a bot, and keep it."""
        if len(self._bots) >= _CACHED:
            self._bots.clear()
        self._bots[agent] = found = is_bot(agent.decode("latin-1"))
        return found

    def _seconds(self, time: bytes) -> int | str:
        """Return a time in seconds since 1970-01-01 UTC, or why it cannot be read."""
        hour = time[:14] + time[21:]
        begin = self._hours.get(hour, -1)
        if begin == -1:
            if len(self._hours) >= _CACHED:
                self._hours.clear()
            begin = self._hours[hour] = _read_hour(hour.decode("latin-1"))
        minute, second = time[15:17], time[18:20]
        if begin is None or not (minute.isdigit() and second.isdigit() and minute < b"60" and second < b"61"):
            return "its time cannot be read"
        at = begin + int(minute) * 60 + int(second)
        return at if at <= self._latest else "its time lies in the future"


def fits(line: bytes) -> bool:
    """Return whether a line is one of an access log in combined format."""
    return _UNUSUAL.match(line) is not None


def is_common(line: bytes) -> bool:
    """Return whether a line is one in common format, without referrer and user agent."""
    return _COMMON.match(line) is not None


def _read_hour(text: str) -> int | None:
    """Return the begin of an hour, `17/May/2015:10+0000`, in seconds; None if it is none."""
    found = _HOUR.fullmatch(text)
    if found is None or found[2] not in _MONTHS:
        return None
    day, month, year, hour, sign, hours, minutes = found.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes)) * (1 if sign == "+" else -1)
    try:
        begin = datetime(int(year), _MONTHS.index(month) + 1, int(day), int(hour), tzinfo=UTC) - offset
    except (ValueError, OverflowError):
        return None
    return int(begin.timestamp())
