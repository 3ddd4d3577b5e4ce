"""Management of accounts, their users and API keys by the operator.

Each method is one transaction. Errors are Refused, with a one-line message that says what to do.
"""

import re
import uuid
from collections.abc import Iterator
from typing import Final, NamedTuple

from firmograph.accounts import keys, store
from firmograph.accounts.types import Account, ApiKey, KeyTerms, User
from firmograph.accounts.users import find_user
from firmograph.billing import ledger
from firmograph.billing.plans import Plans
from firmograph.billing.types import LedgerEntry
from firmograph.caller import OperatorCaller
from firmograph.database.connection import ACCOUNTS, AccountSession, Database, Session
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Refused

ROLES = ("admin", "manager", "member")
CAN_REVEAL_FORMS = ("names", "priced")
_NO_TERMS: Final = KeyTerms()
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\Z")


class NewKey(NamedTuple):
    """New API key; `api_key` cannot be retrieved later."""

    account: Account
    api_key: str
    prefix: str


class Accounts:
    def __init__(self, database: Database, plans: Plans, clock: Clock) -> None:
        self._database = database
        self._plans = plans
        self._clock = clock

    def create(
        self, name: str, plan: str = "unlimited", credits: int = 0, can_reveal: str | None = None
    ) -> Account:
        """Create an active account. Raises Refused for a name that is in use or looks like an id."""
        name = _account_name(name)
        self._plans.named(plan)
        _check_can_reveal(can_reveal)
        if credits < 0:
            raise Refused("--credits must be 0 or more")
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            if store.select_account_named(session, name):
                raise Refused(f"An account named {name!r} already exists")
            account_id = store.insert_account(session, name, plan, can_reveal, now)
            if credits:
                ledger.grant(AccountSession(session, account_id), credits, str(uuid.uuid4()), now)
            return find_account(session, str(account_id))

    def find(self, account: str) -> Account:
        """Return the account with this name or id."""
        with self._database.read() as session:
            return find_account(session, account)

    def operator(self, account: str, can_reveal: str) -> OperatorCaller:
        """Return the operator as a caller who acts in an account; `can_reveal` is the form of the server."""
        found = self.find(account)
        return OperatorCaller(found.id, lambda: self._plans.named(found.plan), found.can_reveal or can_reveal)

    def all(self) -> list[Account]:
        with self._database.read() as session:
            return store.select_accounts(session)

    def set_active(self, account: str, active: bool) -> Account:
        """Enable or disable an account; a disabled one receives 403 from the next request on."""
        with self._database.write(ACCOUNTS) as session:
            found = find_account(session, account)
            store.update_active(session, found.id, active)
            return found._replace(active=active)

    def set_plan(self, account: str, plan: str) -> Account:
        self._plans.named(plan)
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = find_account(session, account)
            store.update_plan(session, found.id, plan, now)
            return found._replace(plan=plan, plan_at=now)

    def set_can_reveal(self, account: str, form: str | None) -> Account:
        """Set the form of `canReveal` for one account; None follows the server.

        See docs/reference/lookups.md#has-and-canreveal.
        """
        _check_can_reveal(form)
        with self._database.write(ACCOUNTS) as session:
            found = find_account(session, account)
            store.update_can_reveal(session, found.id, form)
            return found._replace(can_reveal=form)

    def grant(self, account: str, credits: int) -> Account:
        with self._database.write(ACCOUNTS) as session:
            found = find_account(session, account)
            ledger.grant(AccountSession(session, found.id), credits, str(uuid.uuid4()), self._clock.seconds())
            return found._replace(granted=found.granted + credits)

    def ledger(self, account: str) -> Iterator[tuple[int, LedgerEntry]]:
        """Yield the account's ledger rows with their numbers, oldest first, from one snapshot."""
        with self._database.read() as session:
            yield from ledger.entries(AccountSession(session, find_account(session, account).id))

    def add_user(self, account: str, email: str, role: str = "member") -> User:
        email = email.strip().lower()
        if not _EMAIL.match(email):
            raise Refused(f"{email!r} is not an e-mail address")
        if role not in ROLES:
            raise Refused(f"Unknown role {role!r}; choose one of {', '.join(ROLES)}")
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = find_account(session, account)
            own = AccountSession(session, found.id)
            if find_user(own, email):
                raise Refused(f"{email} is already a user of {found.name!r}")
            return User(store.insert_user(own, email, role, now), email, role, now)

    def users(self, account: str) -> list[User]:
        with self._database.read() as session:
            return store.select_users(AccountSession(session, find_account(session, account).id))

    def create_key(self, account: str, terms: KeyTerms = _NO_TERMS) -> NewKey:
        """Create a key. Raises Refused for an end that has passed, a cap below 0 and a name that is none."""
        now = self._clock.seconds()
        terms = _checked_terms(terms, now)
        with self._database.write(ACCOUNTS) as session:
            return _new_key(session, find_account(session, account), terms, now)

    def keys(self, account: str) -> list[ApiKey]:
        """Return all keys of the account, including revoked ones."""
        with self._database.read() as session:
            return store.select_keys(AccountSession(session, find_account(session, account).id))

    def revoke_key(self, account: str, key: str | None = None) -> ApiKey:
        """Revoke a key, named in full or by its prefix; it is refused from the next request on.

        `key` may be omitted if the account has only one.
        """
        with self._database.write(ACCOUNTS) as session:
            return self._revoke(session, find_account(session, account), key)

    def regenerate_key(self, account: str, key: str | None = None) -> tuple[ApiKey, NewKey]:
        """Revoke a key and create its successor with the same terms in one transaction.

        `key` may be omitted if there is only one. Raises Refused for a key that has expired.
        """
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = find_account(session, account)
            revoked = self._revoke(session, found, key)
            if revoked.has_expired(now):
                raise Refused("The key has expired; create another one with `firmograph key create`")
            terms = KeyTerms(revoked.name, revoked.expires_at, revoked.daily_credits)
            return revoked, _new_key(session, found, terms, now)

    def _revoke(self, session: Session, account: Account, name: str | None) -> ApiKey:
        now = self._clock.seconds()
        own = AccountSession(session, account.id)
        key = _select_key([key for key in store.select_keys(own) if key.revoked_at is None], name)
        store.update_revoked(own, key.digest, now)
        return key._replace(revoked_at=now)


def _new_key(session: Session, account: Account, terms: KeyTerms, at: float) -> NewKey:
    api_key = keys.new_api_key()
    prefix = keys.visible_prefix(api_key)
    store.insert_key(AccountSession(session, account.id), keys.hash_key(api_key), prefix, terms, at)
    return NewKey(account, api_key, prefix)


def _checked_terms(terms: KeyTerms, now: float) -> KeyTerms:
    name = terms.name.strip()
    if len(name) > 100 or not name.isprintable():
        raise Refused("A key's name must be at most 100 printable characters")
    if terms.expires_at is not None and terms.expires_at <= now:
        raise Refused(f"The key would have expired at {iso(terms.expires_at)}; choose a later end")
    if terms.daily_credits is not None and not 0 <= terms.daily_credits <= ledger.MAX_CREDITS:
        raise Refused(f"A daily cap must be 0 to {ledger.MAX_CREDITS} credits")
    return terms._replace(name=name)


def find_account(session: Session, account: str) -> Account:
    name = account.strip()
    found = (
        store.select_account(session, int(name))
        if _is_id(name)
        else store.select_account_named(session, name)
    )
    if found is None:
        raise Refused(f"No account {name!r}; list the accounts with `firmograph account list`")
    return found


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _account_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= 200 or not name.isprintable():
        raise Refused("An account's name must be 1 to 200 printable characters")
    if name.isdigit():
        raise Refused("An account's name must not consist of digits only, as it would look like an id")
    return name


def _check_can_reveal(form: str | None) -> None:
    if form is not None and form not in CAN_REVEAL_FORMS:
        raise Refused(f"Unknown canReveal form {form!r}; choose one of {', '.join(CAN_REVEAL_FORMS)}")


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
