"""JSON Lines of page views, in the form of docs/reference/visit-tracking.md#page-views."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from ipaddress import ip_address
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from firmograph.directory.normalise.domains import host_of
from firmograph.ingest.reading.json_rows import load_json_line
from firmograph.ingest.reading.lines import Lines
from firmograph.ingest.reading.unknown_keys import has_value
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.kit.clock import DAY_SECONDS
from firmograph.visits.bots import is_bot
from firmograph.visits.reading.page_rule import Found, LineCounts, is_asset, is_within
from firmograph.visits.types import RawPageView

_KEYS: Final = frozenset(
    "time url ip userAgent referrer visitor emailDomain emailHash customerId durationSeconds".split()
)
_SHA_256: Final = re.compile(r"[0-9a-fA-F]{64}")
_EPOCH_END: Final = 1e11
"""Seconds of no year that a log has; larger numbers are milliseconds."""
_LONGEST: Final = 4_000
"""Characters of a text, also of an address of a page."""
_NO_TIME: Final = "its time cannot be read; write it as 2026-03-31T14:00:00Z, or in seconds since 1970"

T = TypeVar("T")


class PageViewLines:
    """Reader of the page views of one site."""

    def __init__(self, domain: str, latest: float, counts: LineCounts, values: ColumnCounts) -> None:
        """Take the site's domain, and the time after which page views lie in the future."""
        self._domain = domain
        self._latest = latest
        self._counts = counts
        self._values = values

    def read(self, lines: Lines) -> Iterator[Found]:
        """Yield page views and unread lines, and count all other lines."""
        for line in lines:
            if not line.strip():
                if problem := lines.take_problem():
                    yield problem
                continue
            try:
                row = load_json_line(line)
            except (ValueError, RecursionError):
                row = None
            one = self._read(row, lines.number) if isinstance(row, dict) else "it is no JSON object"
            if one is not None:
                yield one

    def _read(self, row: Mapping[str, Any], number: int) -> Found | None:
        """Return a page view or why it cannot be read; count it and return None if it is none of the site."""
        unknown = row.keys() - _KEYS
        if unknown:
            self._values.add_unknown({key: 1 for key in unknown if has_value(row[key])})
        at = _read_time(row.get("time"))
        if isinstance(at, str):
            return at
        if at > self._latest:
            return "its time lies in the future"
        url = self._text(row, "url", number)
        if url is None:
            return "it has no url"
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return "its url cannot be read"
        if not host and not url.startswith("/"):
            return "its url is neither an address nor a path"
        if host and not is_within(host, self._domain):
            self._counts.other_sites += 1
            return None
        path = parts.path or "/"
        agent = self._text(row, "userAgent", number)
        if agent is not None and is_bot(agent):
            self._counts.bots += 1
            return None
        if is_asset(path.encode()):
            self._counts.assets += 1
            return None
        return RawPageView(
            at,
            f"{path}?{parts.query}" if parts.query else path,
            self._checked(row, "ip", _read_address, number),
            agent or "",
            self._text(row, "visitor", number),
            self._checked(row, "emailDomain", _read_domain, number),
            self._checked(row, "emailHash", _read_hash, number),
            self._text(row, "customerId", number),
            self._checked(row, "durationSeconds", _read_duration, number),
        )

    def _checked(
        self, row: Mapping[str, Any], key: str, read: Callable[[Any], T | None], number: int
    ) -> T | None:
        """Return a value; None without one, or if it cannot be read, which is counted."""
        given = row.get(key)
        if not has_value(given):
            return None
        value = read(given)
        if value is None:
            # addresses and hashes of people do not become samples
            self._values.add_unread({key: ()}, number)
        return value

    def _text(self, row: Mapping[str, Any], key: str, number: int) -> str | None:
        return self._checked(row, key, _read_text, number)


def _read_time(given: object) -> int | str:
    """Return a time in seconds since 1970-01-01 UTC, or why it cannot be read."""
    if not has_value(given):
        return "it has no time"
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given.strip())
        except ValueError:
            try:
                given = float(given)
            except ValueError:
                return _NO_TIME
        else:
            if moment.tzinfo is None:
                return "its time has no zone; write it as 2026-03-31T14:00:00Z"
            given = moment.timestamp()
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < float("inf"):
        return _NO_TIME
    return "its time is in milliseconds; give seconds" if given >= _EPOCH_END else int(given)


def _read_text(given: object) -> str | None:
    """Return a text on one line; the digits of a whole number."""
    if isinstance(given, str):
        return given.strip()[:_LONGEST]
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else None


def _read_address(given: object) -> str | None:
    """Return an IP address in its usual form; one in braces or with a port is none."""
    try:
        return str(ip_address(given.strip())) if isinstance(given, str) else None
    except ValueError:
        return None


def _read_domain(given: object) -> str | None:
    return host_of(given) if isinstance(given, str) else None


def _read_hash(given: object) -> str | None:
    return given.strip().lower() if isinstance(given, str) and _SHA_256.fullmatch(given.strip()) else None


def _read_duration(given: object) -> int | None:
    if isinstance(given, str) and given.strip().isdecimal():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return int(given) if 0 <= given <= DAY_SECONDS else None
