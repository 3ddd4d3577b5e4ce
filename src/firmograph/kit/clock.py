"""Clock of the service, which tests replace."""

import time
from datetime import UTC, date, datetime
from typing import Final, Protocol

DAY_SECONDS: Final = 86_400


class Clock(Protocol):
    def seconds(self) -> float:
        """Return the seconds since the Unix epoch, UTC."""
        ...


class SystemClock:
    def seconds(self) -> float:
        return time.time()


class SetClock:
    """Clock that stands still until a test advances it."""

    def __init__(self, at: float = 1_790_000_000.0) -> None:
        self._at = at

    def seconds(self) -> float:
        return self._at

    def advance(self, seconds: float) -> None:
        self._at += seconds


def moment(clock: Clock) -> datetime:
    return moment_of(clock.seconds())


def moment_of(seconds: float) -> datetime:
    """Return the UTC time of seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC)


def today(clock: Clock) -> date:
    """Return the current UTC day (docs/reference/requests.md#dates-and-times)."""
    return moment(clock).date()


def day_of(seconds: float) -> date:
    """Return the UTC day of a time in seconds since the epoch."""
    return moment_of(seconds).date()


def day_number(seconds: float) -> int:
    """Return the UTC day of a time in days since the epoch."""
    return int(seconds // DAY_SECONDS)


def day_start(number: int) -> float:
    """Return the start of a UTC day, both counted from the epoch."""
    return float(number * DAY_SECONDS)


def midnight(day: str) -> float:
    """Return the start of a UTC day (`YYYY-MM-DD`) in seconds since the epoch."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def iso(seconds: float) -> str:
    """Format a time as ISO 8601 in UTC, with milliseconds and `Z`."""
    return moment_of(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")
