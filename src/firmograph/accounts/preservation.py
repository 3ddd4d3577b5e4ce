"""Revoked keys, disabled and closed accounts, and removed users, which a restore leaves so."""

from firmograph.accounts import store
from firmograph.database.connection import Session
from firmograph.privacy.declarations import Replacement


def find_same_accounts(replaced: Session, copy: Session) -> set[int]:
    """Return the accounts that two databases share: number and time of creation are the same."""
    return {account_id for account_id, _ in store.select_creations(replaced) & store.select_creations(copy)}


def keep_revocations(replacement: Replacement) -> None:
    """Revoke the keys of a copy that were revoked in the replaced database."""
    replacement.preserved["revoked"] += store.REVOCATIONS.repeat(replacement.replaced, replacement.copy)


def keep_users_removed(replacement: Replacement) -> None:
    """Remove the users of a copy who were removed from the replaced database."""
    replaced, copy = replacement.replaced, replacement.copy
    store.delete_missing_users(copy, replaced, find_same_accounts(replaced, copy))


def keep_disabled(replacement: Replacement) -> None:
    """Disable or close the accounts of a copy that were disabled or closed in the replaced database."""
    replaced, copy = replacement.replaced, replacement.copy
    same = find_same_accounts(replaced, copy)
    disabled = same & (store.select_disabled(replaced) - store.select_disabled(copy))
    closed = store.select_closed(replaced)
    for account_id in sorted(disabled):
        store.update_active(copy, account_id, False)
    for account_id in sorted(same & (closed.keys() - store.select_closed(copy).keys())):
        store.update_closed(copy, account_id, closed[account_id])
    replacement.preserved["disabled"] += len(disabled)
