"""Asks and values of accounts that are closed."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring
from firmograph.waterfall.asks import ask_store, money, provider_store, value_store
from firmograph.waterfall.asks.ask_store import end
from firmograph.waterfall.types import AskState


def _close(session: AccountSession, at: float) -> None:
    """End open asks, release what they hold, and ask no provider any more."""
    asks = ask_store.select_every_open(session)
    money.release_open(session.session, asks, at)
    ask_store.change_asks(
        session.session, [end(ask._replace(provider="", held=0), AskState.HALTED, at) for ask in asks]
    )
    provider_store.replace_enabled(session, [])


def _erase(session: AccountSession, at: float) -> int:
    """Delete asks, jobs, values and calls of the account."""
    ask_store.delete_of_account(session)
    value_store.delete_of_account(session)
    return 0


ACCOUNTS: Final = AccountWiring(close=_close, erase=_erase)
