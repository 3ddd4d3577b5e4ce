"""Revoked keys and disabled accounts, which a restore leaves so."""

from firmograph.accounts import store
from firmograph.database.connection import Session
from firmograph.privacy.declarations import Replacement


def find_same_accounts(replaced: Session, copy: Session) -> set[int]:
    """Return the accounts that two databases share: number and time of creation are the same."""
    return {account_id for account_id, _ in store.select_creations(replaced) & store.select_creations(copy)}


def keep_revocations(replacement: Replacement) -> None:
    """Revoke the keys of a copy that were revoked in the replaced database."""
    revocations = store.select_revocations(replacement.replaced)
    replacement.preserved["revoked"] += store.revoke_again(replacement.copy, revocations)


def keep_disabled(replacement: Replacement) -> None:
    """Disable the accounts of a copy that were disabled in the replaced database."""
    replaced, copy = replacement.replaced, replacement.copy
    active = store.select_disabled(replaced) - store.select_disabled(copy)
    disabled = find_same_accounts(replaced, copy) & active
    for account_id in sorted(disabled):
        store.update_active(copy, account_id, False)
    replacement.preserved["disabled"] += len(disabled)
