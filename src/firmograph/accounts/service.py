"""Accounts, their users and their API keys, as an operator manages them.

Each method is one transaction. Errors are Refused, in one line that tells the operator what to do.
"""

import re
import uuid
from collections.abc import Iterator
from typing import NamedTuple

from firmograph.accounts import keys, store
from firmograph.accounts.store import Account, Key, User
from firmograph.billing import ledger, ledger_store
from firmograph.billing.ledger_store import Entry
from firmograph.billing.plans import Plans
from firmograph.database.connection import ACCOUNTS, Database, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused

ROLES = ("admin", "manager", "member")
CAN_REVEAL_FORMS = ("names", "priced")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\Z")


class NewKey(NamedTuple):
    """A key just made; `api_key` cannot be read again."""

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
        """A new active account. Raises Refused for a name that is taken or could be taken for an id."""
        name = _account_name(name)
        self._plans.named(plan)
        _check_can_reveal(can_reveal)
        if credits < 0:
            raise Refused("--credits must be 0 or more")
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            if store.account_named(session, name):
                raise Refused(f"There is an account named {name!r} already")
            account_id = store.add_account(session, name, plan, can_reveal, now)
            if credits:
                ledger.grant(session, account_id, credits, str(uuid.uuid4()), now)
            return _found(session, str(account_id))

    def find(self, account: str) -> Account:
        """The account of this name or id."""
        with self._database.read() as session:
            return _found(session, account)

    def all(self) -> list[Account]:
        with self._database.read() as session:
            return store.all_accounts(session)

    def set_active(self, account: str, active: bool) -> Account:
        """Enable or disable: a disabled account is answered 403 from the next request on."""
        with self._database.write(ACCOUNTS) as session:
            found = _found(session, account)
            store.set_active(session, found.id, active)
            return found._replace(active=active)

    def set_plan(self, account: str, plan: str) -> Account:
        self._plans.named(plan)
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = _found(session, account)
            store.set_plan(session, found.id, plan, now)
            return found._replace(plan=plan, plan_at=now)

    def set_can_reveal(self, account: str, form: str | None) -> Account:
        """The form of `canReveal` for one account; None follows the server (decisions, row 1)."""
        _check_can_reveal(form)
        with self._database.write(ACCOUNTS) as session:
            found = _found(session, account)
            store.set_can_reveal(session, found.id, form)
            return found._replace(can_reveal=form)

    def grant(self, account: str, credits: int) -> Account:
        with self._database.write(ACCOUNTS) as session:
            found = _found(session, account)
            ledger.grant(session, found.id, credits, str(uuid.uuid4()), self._clock.seconds())
            return found._replace(granted=found.granted + credits)

    def ledger(self, account: str) -> Iterator[tuple[int, Entry]]:
        """The account's ledger rows with their numbers, oldest first, as they stand when the first is read."""
        with self._database.read() as session:
            yield from ledger_store.entries_of(session, _found(session, account).id)

    def add_user(self, account: str, email: str, role: str = "member") -> User:
        email = email.strip().lower()
        if not _EMAIL.match(email):
            raise Refused(f"{email!r} is not an e-mail address")
        if role not in ROLES:
            raise Refused(f"There is no role {role!r}; choose one of {', '.join(ROLES)}")
        now = self._clock.seconds()
        with self._database.write(ACCOUNTS) as session:
            found = _found(session, account)
            if any(user.email == email for user in store.users_of(session, found.id)):
                raise Refused(f"{email} is a user of {found.name!r} already")
            return User(store.add_user(session, found.id, email, role, now), email, role, now)

    def users(self, account: str) -> list[User]:
        with self._database.read() as session:
            return store.users_of(session, _found(session, account).id)

    def create_key(self, account: str) -> NewKey:
        with self._database.write(ACCOUNTS) as session:
            return self._new_key(session, _found(session, account))

    def keys(self, account: str) -> list[Key]:
        """Every key that the account ever had, revoked ones with their time."""
        with self._database.read() as session:
            return store.keys_of(session, _found(session, account).id)

    def revoke_key(self, account: str, key: str | None = None) -> Key:
        """Revoke a key given whole or by its shown prefix: it is refused from the next request on.

        An only key need not be named.
        """
        with self._database.write(ACCOUNTS) as session:
            return self._revoke(session, _found(session, account), key)

    def regenerate_key(self, account: str, key: str | None = None) -> tuple[Key, NewKey]:
        """Revoke a key and make its successor, both or neither; an only key need not be named."""
        with self._database.write(ACCOUNTS) as session:
            found = _found(session, account)
            return self._revoke(session, found, key), self._new_key(session, found)

    def _new_key(self, session: Session, account: Account) -> NewKey:
        api_key = keys.new_api_key()
        prefix = keys.shown_prefix(api_key)
        store.add_key(session, account.id, keys.digest(api_key), prefix, self._clock.seconds())
        return NewKey(account, api_key, prefix)

    def _revoke(self, session: Session, account: Account, given: str | None) -> Key:
        now = self._clock.seconds()
        key = _chosen([key for key in store.keys_of(session, account.id) if key.revoked_at is None], given)
        store.revoke_key(session, key.digest, now)
        return key._replace(revoked_at=now)


def _found(session: Session, account: str) -> Account:
    name = account.strip()
    found = store.account_of_id(session, int(name)) if _is_id(name) else store.account_named(session, name)
    if found is None:
        raise Refused(f"There is no account {name!r}; `firmograph account list` shows them")
    return found


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _account_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= 200 or not name.isprintable():
        raise Refused("An account's name must be 1 to 200 printable characters")
    if name.isdigit():
        raise Refused("An account's name must not consist of digits only: it could not be told from an id")
    return name


def _check_can_reveal(form: str | None) -> None:
    if form is not None and form not in CAN_REVEAL_FORMS:
        raise Refused(f"There is no canReveal form {form!r}; choose one of {', '.join(CAN_REVEAL_FORMS)}")


def _chosen(active: list[Key], given: str | None) -> Key:
    """The one active key that is meant."""
    if given is None:
        fitting = active
    else:
        fitting = [key for key in active if key.prefix == given or key.digest == keys.digest(given)]
    if not fitting:
        raise Refused("The account has no such active key; `firmograph key list` shows them")
    if len(fitting) > 1:
        raise Refused("More than one active key fits; give the whole key or its shown prefix")
    return fitting[0]
