"""Credits of asks: caps, holds before a provider is asked, and their end."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from firmograph.billing import holds, ledger
from firmograph.billing.holds import Hold, Settlement
from firmograph.billing.types import MAX_CREDITS
from firmograph.caller import Spender
from firmograph.database.connection import AccountSession, Session
from firmograph.waterfall.asks import ask_store, value_store
from firmograph.waterfall.types import ACTIONS, DATA_POINTS, PROVIDER_SUBJECT, Ask, EnabledProvider


def hold_of(ask: Ask) -> Hold:
    """Return the hold of an ask for the provider that it names."""
    action, subject = ACTIONS[DATA_POINTS[ask.data_point]], PROVIDER_SUBJECT.format(ask.provider)
    return Hold(ask.token, action, ask.held, ask.actor, subject)


def count_towards_caps(session: AccountSession, ask: Ask, enabled: EnabledProvider) -> bool:
    """Count the hold of an ask towards the caps of key, provider and contact; return False if it passes one."""
    if not ask.held:
        return True
    if enabled.contact_cap is not None and _spent_for_contact(session, ask) + ask.held > enabled.contact_cap:
        return False
    key, provider = Spender(ask.actor, ask.daily_credits), _provider_spender(ask.provider, enabled.day_cap)
    if not ledger.count_spending(session, key, ask.held, ask.held_at):
        return False
    if ledger.count_spending(session, provider, ask.held, ask.held_at):
        return True
    ledger.count_spending(session, key, -ask.held, ask.held_at)
    return False


def _spent_for_contact(session: AccountSession, ask: Ask) -> int:
    """Return what the provider has cost for the contact, and what is held for it."""
    paid = value_store.select_paid(session, [ask.contact_id])
    others = ask_store.select_open(session, [ask.contact_id])
    return sum(one.credits for one in paid if one.provider == ask.provider) + sum(
        one.held for one in others if one.provider == ask.provider and one.id != ask.id
    )


def give_back_caps(session: AccountSession, ask: Ask) -> None:
    """Take the hold of an ask off the caps."""
    if ask.held:
        for spender in (Spender(ask.actor, ask.daily_credits), _provider_spender(ask.provider)):
            ledger.count_spending(session, spender, -ask.held, ask.held_at)


def _provider_spender(name: str, day_cap: int | None = None) -> Spender:
    """Return a provider as one who spends; without a cap it is counted too, as the operator may set one later."""
    return Spender(PROVIDER_SUBJECT.format(name), MAX_CREDITS if day_cap is None else day_cap)


def settle(session: Session, captured: Sequence[Ask], released: Sequence[Ask], at: float) -> None:
    """Capture and release the holds of asks; what is captured becomes a paid unit."""
    settlements: dict[int, list[Settlement]] = defaultdict(list)
    for ask in captured:
        settlements[ask.account_id].append(Settlement(hold_of(ask), ask.held, ask.unit))
    for ask in released:
        settlements[ask.account_id].append(Settlement(hold_of(ask), 0))
        give_back_caps(AccountSession(session, ask.account_id), ask)
    holds.settle_holds_of_accounts(session, settlements, at)


def release_open(session: Session, asks: Iterable[Ask], at: float) -> None:
    """Release what open asks hold, before they are deleted."""
    settle(session, [], [ask for ask in asks if ask.is_open and ask.held], at)
