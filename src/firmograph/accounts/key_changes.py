"""Keys of an account as operators create and revoke them, inside the caller's transaction."""

from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.accounts import keys, store
from firmograph.accounts.types import Account, ApiKey, KeyTerms
from firmograph.billing.ledger import MAX_CREDITS
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import iso
from firmograph.kit.errors import Refused, RefusedByState


class NewKey(NamedTuple):
    """New API key; `api_key` cannot be retrieved later."""

    account: Account
    api_key: str
    prefix: str


class KeyChange(msgspec.Struct, frozen=True):
    """New terms of a key; those that are unset stay, None lifts a term."""

    name: str | UnsetType = UNSET
    expires_at: float | UnsetType | None = UNSET
    daily_credits: int | UnsetType | None = UNSET


def list_keys(session: AccountSession) -> list[ApiKey]:
    """Return all keys of the account, including revoked ones, oldest first. One statement."""
    return store.select_keys(session)


def create_key(session: Session, account: Account, terms: KeyTerms, at: float) -> NewKey:
    """Create a key with terms that were checked."""
    api_key = keys.new_key()
    prefix = keys.visible_prefix(api_key)
    store.insert_key(AccountSession(session, account.id), keys.hash_key(api_key), prefix, terms, at)
    return NewKey(account, api_key, prefix)


def check_terms(terms: KeyTerms, now: float) -> KeyTerms:
    """Return terms with a trimmed name. Raises Refused for a name or cap that is none, and an end that has passed."""
    name = terms.name.strip()
    if len(name) > 100 or not name.isprintable():
        raise Refused("A key's name must be at most 100 printable characters")
    if terms.expires_at is not None and terms.expires_at <= now:
        raise Refused(f"The key would have expired at {iso(terms.expires_at)}; choose a later end")
    if terms.daily_credits is not None and not 0 <= terms.daily_credits <= MAX_CREDITS:
        raise Refused(f"A daily cap must be 0 to {MAX_CREDITS} credits")
    return terms._replace(name=name)


def audited_terms(terms: KeyTerms) -> dict[str, int | str]:
    """Return the audited terms of a key: all but its name, which may be a person's."""
    details: dict[str, int | str] = {}
    if terms.expires_at is not None:
        details["expiresAt"] = iso(terms.expires_at)
    if terms.daily_credits is not None:
        details["dailyCredits"] = terms.daily_credits
    return details


def change_key(
    session: Session, account: Account, prefix: str, change: KeyChange, now: float
) -> tuple[ApiKey, bool]:
    """Change terms of a key, named by its prefix; return it, and whether any of them was another one.

    Raises Refused for an unknown key, and for terms that `check_terms` refuses; RefusedByState for a revoked key.
    """
    own = AccountSession(session, account.id)
    key = _select_key(store.select_keys(own), prefix)
    if key.revoked_at is not None:
        raise RefusedByState(f"The key {prefix} was revoked at {iso(key.revoked_at)} and cannot be changed")
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    # terms that stay are not checked again: an end may have passed since
    terms = check_terms(KeyTerms(**given), now)
    changed = key._replace(**{name: getattr(terms, name) for name in given})
    if changed == key:
        return key, False
    store.update_terms(own, key.digest, KeyTerms(changed.name, changed.expires_at, changed.daily_credits))
    return changed, True


def audited_change(change: KeyChange) -> dict[str, int | str]:
    """Return the audited terms of a change, where one is lifted as `never` or `unlimited`."""
    details: dict[str, int | str] = {}
    if change.expires_at is not UNSET:
        details["expiresAt"] = "never" if change.expires_at is None else iso(change.expires_at)
    if change.daily_credits is not UNSET:
        details["dailyCredits"] = "unlimited" if change.daily_credits is None else change.daily_credits
    return details


def revoke_key(session: Session, account: Account, name: str | None, at: float) -> ApiKey:
    """Revoke an active key, by its full text or prefix, or the only one. Raises Refused if none or several match."""
    own = AccountSession(session, account.id)
    key = _select_key([key for key in store.select_keys(own) if key.revoked_at is None], name)
    store.update_revoked(own, key.digest, at)
    return key._replace(revoked_at=at)


def _select_key(active: list[ApiKey], name: str | None) -> ApiKey:
    """Return the named active key, or the only one if no name is given."""
    if name is None:
        matching = active
    else:
        matching = [key for key in active if key.prefix == name or key.digest == keys.hash_key(name)]
    if not matching:
        raise Refused("The account has no such active key; list its keys with `firmograph key list`")
    if len(matching) > 1:
        raise Refused("More than one active key matches; name the whole key or its prefix")
    return matching[0]
