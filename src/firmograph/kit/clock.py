"""The one clock of the service; tests set it."""

import time
from datetime import UTC, date, datetime
from typing import Protocol


class Clock(Protocol):
    def seconds(self) -> float:
        """Seconds since the Unix epoch, UTC."""
        ...


class SystemClock:
    def seconds(self) -> float:
        return time.time()


class SetClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, at: float = 1_790_000_000.0) -> None:
        self._at = at

    def seconds(self) -> float:
        return self._at

    def advance(self, seconds: float) -> None:
        self._at += seconds


def moment(clock: Clock) -> datetime:
    return datetime.fromtimestamp(clock.seconds(), UTC)


def today(clock: Clock) -> date:
    """The day in UTC (docs/reference/requests.md#dates-and-times)."""
    return moment(clock).date()


def day_of(seconds: float) -> date:
    """The day in UTC of a moment since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).date()


def midnight(day: str) -> float:
    """Compute the moment at which a day (`YYYY-MM-DD`) begins in UTC."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def iso(seconds: float) -> str:
    """ISO 8601 with milliseconds and `Z`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
