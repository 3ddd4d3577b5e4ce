"""Asks, enabled providers, jobs and paid values."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

import msgspec

from firmograph.billing.types import Unit, UnitKind
from firmograph.kit.clock import DAY_SECONDS
from firmograph.waterfall.providers.types import DataPoint

FEATURE: Final = "waterfall"
"""Feature of plans."""
NEVER: Final = 1e18
"""Due time of what is not due any more."""
JOB_SECONDS: Final = DAY_SECONDS
"""How long asks stay open at most, and how long a job is kept after its end."""
VALUE_SECONDS: Final = 30 * DAY_SECONDS
"""How long other accounts reuse a value, at the price of its provider."""
MISS_SECONDS: Final = 7 * DAY_SECONDS
"""How long a provider is not asked again for what it lacked."""

DATA_POINT_NUMBERS: Final[Mapping[str, int]] = {"emails": 1, "phones": 2}
DATA_POINTS: Final[Mapping[int, DataPoint]] = {1: "emails", 2: "phones"}
ACTIONS: Final[Mapping[str, str]] = {"emails": "waterfallEmail", "phones": "waterfallPhone"}
"""Actions of ledger rows."""
PLAN_PRICES: Final[Mapping[str, str]] = {"emails": "revealEmail", "phones": "revealPhone"}
"""Price keys of the plan, for providers without a price."""
PROVIDER_SUBJECT: Final = "provider:{}"
"""Subject of ledger rows, and the name under which a provider's daily cap is counted."""


class AskState(IntEnum):
    """State of an ask, as stored."""

    OPEN = 0
    MATCHED = 1
    OWN = 2
    """Own data came since the call, or the data point was paid."""
    NOT_FOUND = 3
    UNPAID = 4
    """A provider was left whose price the credits or a cap do not cover."""
    HALTED = 5
    """A provider was left that did not answer."""


class Trail(msgspec.Struct, omit_defaults=True):
    """What an ask has tried so far, by names of providers."""

    missed: list[str] = []
    unpaid: list[str] = []
    troubled: dict[str, tuple[int, float]] = {}
    """Attempts without an answer, and when the next may be made."""


class EnabledProvider(NamedTuple):
    """Provider that the operator enabled for an account."""

    name: str
    place: int
    """Order in which it is asked."""
    emails: bool
    phones: bool
    contact_cap: int | None = None
    """Most credits for one contact."""
    day_cap: int | None = None
    """Most credits of a UTC day."""

    def serves(self, data_point: str) -> bool:
        return self.emails if data_point == "emails" else self.phones


class ProviderState(NamedTuple):
    """State of a provider over all processes."""

    failures: int = 0
    """Attempts without an answer, in a row."""
    rests_until: float = 0.0
    free_at: float = 0.0
    """Time at which the next ask may begin, where its rate is limited."""


class Ask(NamedTuple):
    """Row of an ask, without its lease."""

    id: int
    account_id: int
    contact_id: int
    data_point: int
    token: str
    """UUID, under which credits are held and providers are asked."""
    actor: str
    daily_credits: int | None
    """Cap of the key that called."""
    created_at: float
    state: int
    ended_at: float | None
    provider: str
    """Provider that is being asked, or that matched; empty before the first."""
    held: int
    """Credits held for it, or captured by a match."""
    held_at: float
    has_begun: int
    """1 once a provider could be paid."""
    trail: bytes

    @property
    def unit(self) -> Unit:
        return Unit(UnitKind.CONTACT_DATA, self.contact_id, DATA_POINTS[self.data_point])

    @property
    def is_open(self) -> bool:
        return self.state == AskState.OPEN

    @property
    def captured(self) -> int:
        """Credits that a match has cost."""
        return self.held if self.state == AskState.MATCHED else 0


class Job(NamedTuple):
    """What a call has left open."""

    id: int
    token: str
    """UUID."""
    created_at: float
    data_points: int
    """Sum of the numbers of the data points that the call asked for."""

    @property
    def reveal(self) -> frozenset[str]:
        return frozenset(name for name, number in DATA_POINT_NUMBERS.items() if self.data_points & number)


class PaidValue(NamedTuple):
    """Values of a data point that an account has paid for."""

    contact_id: int
    data_point: int
    provider: str
    contents: bytes
    """JSON as of the same data point of a record."""
    found_at: float
    paid_at: float
    credits: int


class ProviderCall(NamedTuple):
    """One ask of one provider, for the report."""

    account_id: int
    provider: str
    data_point: int
    outcome: str
    """`match`, `reused`, or the words of a miss or trouble."""
    matched: int
    milliseconds: int
    credits: int
    at: float
