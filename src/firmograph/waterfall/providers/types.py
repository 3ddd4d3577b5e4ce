"""Persons asked for, what providers answer, and the interface of a provider."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

import msgspec

DataPoint = Literal["emails", "phones"]


class Person(msgspec.Struct, frozen=True):
    """Person that a provider is asked for."""

    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    domain: str | None = None
    linkedin_url: str | None = None


class Found(msgspec.Struct, frozen=True):
    """Match, as the raw texts that the provider said."""

    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    first_name: str | None = None
    last_name: str | None = None


class Miss(msgspec.Struct, frozen=True):
    """Answer without a value of use."""

    reason: str
    """Closed words for report and log, nothing of the provider's text."""


class Trouble(msgspec.Struct, frozen=True):
    """No answer; the provider is asked again later."""

    reason: str
    """Closed words, as of a miss."""
    retry_after_seconds: float | None = None
    counts: bool = True
    """Whether it counts towards the failures in a row that rest a provider."""


class Provider(Protocol):
    """Provider of the operator's file."""

    name: str
    kind: str
    eu: bool
    """Whether people in the European Union may be sent to it."""
    prices: Mapping[DataPoint, int]
    """Credits for a match; a data point without one costs the price of the plan."""
    rate_per_second: float | None

    def can_ask(self, person: Person, data_point: DataPoint) -> bool:
        """Return whether enough is known of a person to ask for them."""
        ...

    async def ask(self, person: Person, data_point: DataPoint, key: str) -> Found | Miss | Trouble:
        """Ask for a person, under the id of the ask (`Idempotency-Key`); never raises for what a provider does."""
        ...


@runtime_checkable
class Providers(Protocol):
    """Providers of the operator's file by name."""

    def get(self, name: str) -> Provider | None: ...

    def names(self) -> Sequence[str]: ...

    async def close(self) -> None:
        """Close the connections, in the event loop that asked."""
        ...
