"""Accounts found by name or number, and listed."""

from firmograph.accounts import store
from firmograph.accounts.types import Account
from firmograph.database.connection import Session
from firmograph.kit.clock import iso
from firmograph.kit.errors import Refused, RefusedByState


def list_accounts(session: Session, skipped: int, most: int) -> tuple[list[Account], int]:
    """Return accounts by id, after some that are skipped, and the number of all accounts. Two statements."""
    return store.select_account_page(session, skipped, most)


def find_numbered(session: Session, number: str) -> Account | None:
    """Return the account with a number; None for a text that is no number of an account, such as `007`."""
    return store.select_account(session, int(number)) if _is_id(number) else None


def find_named(session: Session, name: str) -> Account | None:
    """Return the account of exactly this name."""
    return store.select_account_named(session, name)


def find_account(session: Session, account: str) -> Account:
    """Return the account with this name or id. Raises Refused for an unknown one."""
    name = account.strip()
    found = find_numbered(session, name) if _is_id(name) else find_named(session, name)
    if found is None:
        raise Refused(f"No account {name!r}; list the accounts with `firmograph account list`")
    return found


def find_open_account(session: Session, account: str) -> Account:
    """Return an account that is to be changed. Raises RefusedByState for a closed one."""
    found = find_account(session, account)
    if found.closed_at is not None:
        raise RefusedByState(
            f"The account {found.name!r} was closed at {iso(found.closed_at)} and cannot be changed"
        )
    return found


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19 and text[0] != "0"
