"""Rule of an ask: which provider comes next, when, and how the ask ends."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from firmograph.caller import Plan
from firmograph.waterfall.asks.contacts import AskedContact
from firmograph.waterfall.providers.types import DataPoint, Provider, Providers
from firmograph.waterfall.types import PLAN_PRICES, AskState, EnabledProvider, PaidValue, ProviderState, Trail

REST_AFTER: Final = 5
"""Attempts without an answer, in a row, after which a provider rests."""
REST_SECONDS: Final = 60.0
RETRY_SECONDS: Final = (2.0, 15.0, 60.0)
"""Delays of an ask after attempts without an answer; after the last attempt it does without this provider."""
MOST_ATTEMPTS: Final = len(RETRY_SECONDS)
SLOT_SECONDS: Final = 1.0
"""How far ahead a worker may claim an ask of a provider with a limited rate."""


class AskableProvider(NamedTuple):
    """Provider that may be asked, in the account's order."""

    provider: Provider
    enabled: EnabledProvider
    credits: int

    @property
    def name(self) -> str:
        return self.enabled.name


class Next(NamedTuple):
    """Provider to ask, or whose value is reused."""

    candidate: AskableProvider
    reused: PaidValue | None = None


class Postponed(NamedTuple):
    """Time at which a provider may be asked."""

    at: float


Choice = Next | Postponed | AskState


class Known(NamedTuple):
    """What is known of a contact's data point before a provider is asked."""

    missed: set[str]
    """Providers that lacked it within the last days."""
    found: dict[str, PaidValue]
    """Values that may be reused, by provider."""


def find_candidates(
    enabled: Sequence[EnabledProvider],
    providers: Providers,
    plan: Plan,
    contact: AskedContact,
    data_point: DataPoint,
) -> list[AskableProvider]:
    """Return the providers that may be asked for a contact: people in the EU only those of the EU."""
    candidates = []
    for one in enabled:
        provider = providers.get(one.name) if one.serves(data_point) else None
        if provider is None or (contact.in_eu and not provider.eu):
            continue
        if provider.can_ask(contact.person, data_point):
            stated = provider.prices.get(data_point)
            credits = plan.price(PLAN_PRICES[data_point]).total(1) if stated is None else stated
            candidates.append(AskableProvider(provider, one, credits))
    return candidates


def choose(
    candidates: Sequence[AskableProvider],
    trail: Trail,
    known: Known,
    states: Mapping[str, ProviderState],
    now: float,
) -> Choice:
    """Return the first provider that may be asked now, else when one may, else how the ask ends.

    A provider that rests, or did not answer a moment ago, is passed over and asked later if no other one matches.
    """
    later: float | None = None
    is_unpaid = is_halted = False
    for candidate in candidates:
        name = candidate.name
        if name in trail.unpaid:
            is_unpaid = True
        elif name in trail.missed or name in known.missed:
            continue
        elif name in known.found:
            return Next(candidate, known.found[name])
        else:
            attempts, not_before = trail.troubled.get(name, (0, 0.0))
            state = states.get(name, ProviderState())
            ready_at = max(not_before, state.rests_until)
            if attempts >= MOST_ATTEMPTS:
                is_halted = True
            elif ready_at > now:
                later = ready_at if later is None else min(later, ready_at)
            elif candidate.provider.rate_per_second and state.free_at > now + SLOT_SECONDS:
                return Postponed(state.free_at - SLOT_SECONDS / 2)
            else:
                return Next(candidate)
    if later is not None:
        return Postponed(later)
    return AskState.UNPAID if is_unpaid else AskState.HALTED if is_halted else AskState.NOT_FOUND


def take_slot(state: ProviderState, provider: Provider, now: float) -> tuple[ProviderState, float]:
    """Return the state after an ask that begins next, and when that may begin."""
    if not provider.rate_per_second:
        return state, now
    start = max(now, state.free_at)
    return state._replace(free_at=start + 1 / provider.rate_per_second), start


def note_trouble(trail: Trail, name: str, now: float, retry_after: float | None) -> None:
    """Note an attempt without an answer."""
    attempts, _ = trail.troubled.get(name, (0, 0.0))
    delay = max(RETRY_SECONDS[min(attempts, MOST_ATTEMPTS - 1)], min(retry_after or 0.0, REST_SECONDS))
    trail.troubled[name] = attempts + 1, now + delay


def after_trouble(state: ProviderState, now: float) -> ProviderState:
    """Return the state after an attempt that counts as a failure."""
    failures = state.failures + 1
    return state._replace(
        failures=failures,
        rests_until=now + REST_SECONDS if failures >= REST_AFTER else state.rests_until,
    )
