"""Management of accounts, their users and API keys by the operator.

Each method is one transaction. Errors are Refused, with a one-line message that says what to do.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from typing import Final

from firmograph.accounts import key_changes, store
from firmograph.accounts.key_changes import KeyChange, NewKey
from firmograph.accounts.lookup import find_account, find_named, find_open_account
from firmograph.accounts.memberships import check_email
from firmograph.accounts.types import Account, ApiKey, KeyTerms, User
from firmograph.accounts.users import check_not_last_admin, check_role, find_user, require_user
from firmograph.billing import ledger, monthly_credits
from firmograph.billing.plans import Plans
from firmograph.billing.types import LedgerEntry
from firmograph.caller import OperatorCaller
from firmograph.database.connection import ACCOUNTS, AccountSession, Database, Session, account_scope
from firmograph.installation import AccountWiring
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused, RefusedByState
from firmograph.operator_audit.service import ActionLog, OperatorAudit, check_reason

CAN_REVEAL_FORMS = ("names", "priced")
_NO_TERMS: Final = KeyTerms()


class Accounts:
    def __init__(
        self,
        database: Database,
        plans: Plans,
        clock: Clock,
        audit: ActionLog | None = None,
        packages: Callable[[], Sequence[AccountWiring]] = tuple,
    ) -> None:
        """Take the audit of the operator who acts, by default that of the user of the operating system.

        `packages` returns what all packages do when users leave.
        """
        self._database = database
        self._plans = plans
        self._clock = clock
        self._audit: ActionLog = audit or OperatorAudit()
        self._packages = packages
        self._write: Callable[[], AbstractContextManager[Session]] = lambda: database.write(ACCOUNTS)

    def joined(self, session: Session, audit: ActionLog) -> "Accounts":
        """Return the same management for another actor, whose changes join an open transaction of ACCOUNTS."""
        own = copy(self)
        own._audit, own._write = audit, lambda: nullcontext(session)
        return own

    def create(
        self, name: str, plan: str = "unlimited", credits: int = 0, can_reveal: str | None = None
    ) -> Account:
        """Create an active account. Raises Refused for a name that is in use or looks like an id."""
        name = _account_name(name)
        terms = self._plans.named(plan)
        _check_can_reveal(can_reveal)
        if credits < 0:
            raise Refused("--credits must be 0 or more")
        now = self._clock.seconds()
        with self._write() as session:
            if find_named(session, name):
                raise RefusedByState(f"An account named {name!r} already exists")
            account_id = store.insert_account(session, name, plan, can_reveal, now)
            own = AccountSession(session, account_id)
            monthly_credits.begin(own, terms, now)
            if credits:
                ledger.grant(own, credits, str(uuid.uuid4()), now)
            self._record(session, "account create", account_id, plan=plan, credits=credits)
            return find_account(session, str(account_id))

    def rename(self, account: str, name: str) -> Account:
        """Give an account another name. Raises Refused for a name that is in use or looks like an id."""
        name = _account_name(name)
        with self._write() as session:
            found = find_open_account(session, account)
            holder = find_named(session, name)
            if holder is not None and holder.id != found.id:
                raise RefusedByState(f"An account named {name!r} already exists")
            if holder is None:
                store.update_name(session, found.id, name)
                self._record(session, "account rename", found.id)
            return found._replace(name=name)

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
        with self._write() as session:
            found = find_open_account(session, account)
            self._settle(session, found)
            store.update_active(session, found.id, active)
            self._record(session, "account enable" if active else "account disable", found.id)
            return find_account(session, str(found.id))

    def close(self, account: str) -> Account:
        """Close an account for good.

        Keys are revoked, runs stopped, subscriptions disabled and holds released, and the credits that remain expire.
        Its own content is erased 30 days later; ledger, paid units and audit stay.
        """
        now = self._clock.seconds()
        with self._write() as session:
            found = find_open_account(session, account)
            own = self._settle(session, found)
            active = [key for key in store.select_keys(own) if key.revoked_at is None]
            for key in active:
                store.update_revoked(own, key.digest, now)
            for package in self._packages():
                package.close(own, now)
            expired = monthly_credits.stop(own, now, str(uuid.uuid4()))
            store.update_closed(session, found.id, now)
            self._record(session, "account close", found.id, keys=len(active), expired=expired)
            return find_account(session, str(found.id))

    def set_plan(self, account: str, plan: str) -> Account:
        """Change the plan: monthly credits of the former one end, and those of the new one begin.

        An account that already has the plan keeps its period and its start.
        """
        terms = self._plans.named(plan)
        now = self._clock.seconds()
        with self._write() as session:
            found = find_open_account(session, account)
            if found.plan != plan:
                own = self._settle(session, found)
                monthly_credits.end(own, now)
                monthly_credits.begin(own, terms, now)
                store.update_plan(session, found.id, plan, now)
                self._record(session, "account plan", found.id, plan=plan, before=found.plan)
            return find_account(session, str(found.id))

    def _settle(self, session: Session, account: Account) -> AccountSession:
        """Pay and expire the monthly credits that were due before a change of the account's state."""
        session.enter(account_scope(account.id))
        own, plan = AccountSession(session, account.id), self._plans.find(account.plan)
        if plan is not None:
            monthly_credits.renew(own, plan, self._clock.seconds(), is_active=account.active)
        return own

    def set_can_reveal(self, account: str, form: str | None) -> Account:
        """Set the form of `canReveal` for one account; None follows the server.

        See docs/reference/lookups.md#has-and-canreveal.
        """
        _check_can_reveal(form)
        with self._write() as session:
            found = find_open_account(session, account)
            store.update_can_reveal(session, found.id, form)
            self._record(session, "account can-reveal", found.id, form=form or "default")
            return found._replace(can_reveal=form)

    def grant(self, account: str, credits: int, reason: str | None = None) -> Account:
        """Grant credits. Raises Refused for none or too many, and for a reason that is none."""
        reason = "" if reason is None else check_reason(reason)
        return self._change_credits(account, credits, reason, ledger.grant, "credits grant")

    def adjust(self, account: str, credits: int, reason: str) -> Account:
        """Take credits back. Raises Refused for none or more than remain, and for a reason that is none."""
        return self._change_credits(account, credits, check_reason(reason), ledger.adjust, "credits adjust")

    def _change_credits(
        self,
        account: str,
        credits: int,
        reason: str,
        change: Callable[[AccountSession, int, str, float], int],
        action: str,
    ) -> Account:
        now = self._clock.seconds()
        with self._write() as session:
            found = find_open_account(session, account)
            session.enter(account_scope(found.id))
            change(AccountSession(session, found.id), credits, str(uuid.uuid4()), now)
            self._record(session, action, found.id, reason=reason, credits=credits)
            return find_account(session, str(found.id))

    def ledger(self, account: str) -> Iterator[tuple[int, LedgerEntry]]:
        """Yield the account's ledger rows with their numbers, oldest first, from one snapshot, for an export."""
        found = self.find(account)
        self._audit.record_export(self._database, self._clock.seconds(), "ledger export", account=found.id)
        with self._database.read() as session:
            yield from ledger.entries(AccountSession(session, found.id))

    def add_user(self, account: str, email: str, role: str = "member") -> User:
        email = check_email(email)
        check_role(role)
        now = self._clock.seconds()
        with self._write() as session:
            found = find_open_account(session, account)
            own = AccountSession(session, found.id)
            if find_user(own, email):
                raise RefusedByState(f"{email} is already a user of {found.name!r}")
            user = User(store.insert_user(own, email, role, now), email, role, now)
            self._record(session, "user add", found.id, f"user {user.id}", role=role)
            return user

    def set_role(self, account: str, email: str, role: str) -> User:
        """Give a user another role. Raises Refused for an unknown user, and for the last admin."""
        check_role(role)
        with self._write() as session:
            found = find_open_account(session, account)
            own = AccountSession(session, found.id)
            user = require_user(own, found, email)
            if user.role != role:
                check_not_last_admin(own, found, user)
                store.update_role(own, user.id, role)
                self._record(session, "user role", found.id, f"user {user.id}", role=role, before=user.role)
            return user._replace(role=role)

    def remove_user(self, account: str, email: str, give_to: str | None = None) -> User:
        """Remove a user; what they own goes to another user of the account, by default to its oldest admin.

        Raises Refused for an unknown user, and for the last admin.
        """
        with self._write() as session:
            found = find_open_account(session, account)
            session.enter(account_scope(found.id))
            own = AccountSession(session, found.id)
            user = require_user(own, found, email)
            check_not_last_admin(own, found, user)
            new_owner = _oldest_admin(own, user) if give_to is None else require_user(own, found, give_to)
            if new_owner == user:
                raise Refused("--to must name another user than the one who is removed")
            packages = self._packages()
            owned = sum(package.count_owned(own, user.id) for package in packages)
            if owned and new_owner is None:
                things = "table or saved search" if owned == 1 else "tables and saved searches"
                raise Refused(
                    f"{user.email} owns {owned:,} {things}, and no other user is admin; name their new owner with"
                    " --to EMAIL"
                )
            if owned and new_owner is not None:
                for package in packages:
                    package.give(own, user.id, new_owner.id)
            store.delete_user(own, user.id)
            self._record(session, "user remove", found.id, f"user {user.id}", given=owned)
            return user

    def users(self, account: str) -> list[User]:
        with self._database.read() as session:
            return store.select_users(AccountSession(session, find_account(session, account).id))

    def create_key(self, account: str, terms: KeyTerms = _NO_TERMS) -> NewKey:
        """Create a key. Raises Refused for an end that has passed, a cap below 0 and a name that is none."""
        now = self._clock.seconds()
        terms = key_changes.check_terms(terms, now)
        with self._write() as session:
            key = key_changes.create_key(session, find_open_account(session, account), terms, now)
            audited = key_changes.audited_terms(terms)
            self._record(session, "key create", key.account.id, f"key {key.prefix}", "", **audited)
            return key

    def keys(self, account: str) -> list[ApiKey]:
        """Return all keys of the account, including revoked ones."""
        with self._database.read() as session:
            return store.select_keys(AccountSession(session, find_account(session, account).id))

    def revoke_key(self, account: str, key: str | None = None) -> ApiKey:
        """Revoke a key, named in full or by its prefix; it is refused from the next request on.

        `key` may be omitted if the account has only one.
        """
        with self._write() as session:
            found = find_open_account(session, account)
            revoked = key_changes.revoke_key(session, found, key, self._clock.seconds())
            self._record(session, "key revoke", found.id, f"key {revoked.prefix}")
            return revoked

    def change_key(self, account: str, prefix: str, change: KeyChange) -> ApiKey:
        """Change name, end or daily cap of a key, from its next call on.

        Raises Refused for an unknown or revoked key, and for terms that `create_key` refuses.
        """
        now = self._clock.seconds()
        with self._write() as session:
            found = find_open_account(session, account)
            key, is_changed = key_changes.change_key(session, found, prefix, change, now)
            if is_changed:
                audited = key_changes.audited_change(change)
                self._record(session, "key change", found.id, f"key {prefix}", "", **audited)
            return key

    def regenerate_key(self, account: str, key: str | None = None) -> tuple[ApiKey, NewKey]:
        """Revoke a key and create its successor with the same terms in one transaction.

        `key` may be omitted if there is only one. Raises Refused for a key that has expired.
        """
        now = self._clock.seconds()
        with self._write() as session:
            found = find_open_account(session, account)
            revoked = key_changes.revoke_key(session, found, key, now)
            if revoked.has_expired(now):
                raise Refused("The key has expired; create another one with `firmograph key create`")
            terms = KeyTerms(revoked.name, revoked.expires_at, revoked.daily_credits)
            new = key_changes.create_key(session, found, terms, now)
            self._record(session, "key regenerate", found.id, f"key {revoked.prefix}", successor=new.prefix)
            return revoked, new

    def _record(
        self,
        session: Session,
        action: str,
        account_id: int,
        subject: str = "",
        reason: str = "",
        **details: int | str,
    ) -> None:
        self._audit.record(
            session,
            self._clock.seconds(),
            action,
            account=account_id,
            subject=subject,
            details=details,
            reason=reason,
        )


def _oldest_admin(session: AccountSession, user: User) -> User | None:
    """Return the oldest admin of an account but one user."""
    admins = (one for one in store.select_users(session) if one.role == "admin" and one.id != user.id)
    return next(admins, None)


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
