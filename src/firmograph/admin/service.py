"""Management of accounts for operators' programs: the same services as the commands, with the key as the operator.

An account, key or user that is not there is one NotFound. Other errors are Refused, with one line.
"""

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec import UNSET

from firmograph.accounts.key_changes import KeyChange, list_keys
from firmograph.accounts.keys import read_expiry
from firmograph.accounts.lookup import find_named, find_numbered, list_accounts
from firmograph.accounts.service import Accounts
from firmograph.accounts.types import Account, ApiKey, KeyTerms, User
from firmograph.accounts.usage_report import UsageReports, UsageRow, read_month
from firmograph.accounts.users import list_users
from firmograph.admin import shapes, store
from firmograph.admin.types import KeptCall, OperatorRequest
from firmograph.billing.types import UsageGroup
from firmograph.database.connection import ACCOUNTS, AccountSession, Database, Session
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Conflict, NotFound, Refused
from firmograph.operator_audit.service import OperatorAudit, read_action_page
from firmograph.operator_audit.types import OperatorAction

T = TypeVar("T")
R = TypeVar("R")

_HOUR: Final = 3_600.0


class Done(NamedTuple, Generic[T]):
    """Result of a change, or of its repetition."""

    result: T
    request_id: str
    """Id of the request that made the change."""
    is_replay: bool = False


class Page(NamedTuple, Generic[R]):
    """Rows of a page, and the number of all rows."""

    rows: list[R]
    total: int


class ShownKey(NamedTuple):
    """Key, with its text once after its creation."""

    key: ApiKey
    api_key: str | None = None


class AccountAdministration:
    """Accounts as operators' programs manage them.

    A change, its row in the audit and its entry under an `Idempotency-Key` are one transaction.
    """

    def __init__(
        self, database: Database, accounts: Accounts, reports: UsageReports, clock: Clock, hours: int
    ) -> None:
        """Keep the entry of a key for a number of hours."""
        self._database = database
        self._accounts = accounts
        self._reports = reports
        self._clock = clock
        self._seconds = hours * _HOUR

    # --- accounts ---

    def create_account(self, request: OperatorRequest, body: shapes.NewAccount) -> Done[Account]:
        def create(session: Session, accounts: Accounts) -> Account:
            return accounts.create(body.name, body.plan, 0, _can_reveal(body.can_reveal))

        return self._create(request, create, lambda account: str(account.id), _existing)

    def list_accounts(self, query: shapes.AccountPage) -> Page[Account]:
        with self._database.read() as session:
            if query.name is UNSET:
                return Page(*list_accounts(session, query.page * query.size, query.size))
            named = find_named(session, query.name)
            return _cut([named] if named else [], query)

    def get_account(self, account_id: str) -> Account:
        with self._database.read() as session:
            return _existing(session, account_id)

    def change_account(
        self, request: OperatorRequest, account_id: str, body: shapes.AccountChange
    ) -> Account:
        """Change what differs, all of it or nothing."""

        def change(session: Session, accounts: Accounts) -> Account:
            found = _existing(session, account_id)
            if body.name is not UNSET and body.name.strip() != found.name:
                accounts.rename(account_id, body.name)
            if body.plan is not UNSET and body.plan != found.plan:
                accounts.set_plan(account_id, body.plan)
            if body.can_reveal is not UNSET and _can_reveal(body.can_reveal) != found.can_reveal:
                accounts.set_can_reveal(account_id, _can_reveal(body.can_reveal))
            if body.state is not UNSET and body.state != found.state:
                if body.state == "closed":
                    accounts.close(account_id)
                else:
                    accounts.set_active(account_id, body.state == "active")
            return _existing(session, account_id)

        return self._change(request, change)

    # --- users and keys ---

    def add_user(self, request: OperatorRequest, account_id: str, body: shapes.NewUser) -> Done[User]:
        def add(session: Session, accounts: Accounts) -> User:
            _existing(session, account_id)
            return accounts.add_user(account_id, body.email, body.role)

        def repeat(session: Session, subject: str) -> User:
            found = [user for user in list_users(_own(session, account_id)) if str(user.id) == subject]
            if not found:
                raise NotFound("The user who was added by this call is no longer there")
            return found[0]

        return self._create(request, add, lambda user: str(user.id), repeat)

    def list_users(self, account_id: str, query: shapes.PageQuery) -> Page[User]:
        with self._database.read() as session:
            return _cut(list_users(_own(session, account_id)), query)

    def create_key(
        self, request: OperatorRequest, account_id: str, body: shapes.NewKeyTerms
    ) -> Done[ShownKey]:
        """Create a key; the repetition of the call shows the key without its text, which is kept nowhere."""

        def create(session: Session, accounts: Accounts) -> ShownKey:
            own = _own(session, account_id)
            expires = None if body.expires is UNSET else read_expiry(body.expires)
            daily_credits = None if body.daily_credits is UNSET else body.daily_credits
            new = accounts.create_key(account_id, KeyTerms(body.name, expires, daily_credits))
            return ShownKey(_find_key(own, new.prefix), new.api_key)

        def repeat(session: Session, prefix: str) -> ShownKey:
            return ShownKey(_find_key(_own(session, account_id), prefix))

        return self._create(request, create, lambda shown: shown.key.prefix, repeat)

    def list_keys(self, account_id: str, query: shapes.PageQuery) -> Page[ApiKey]:
        with self._database.read() as session:
            return _cut(list_keys(_own(session, account_id)), query)

    def change_key(
        self, request: OperatorRequest, account_id: str, prefix: str, body: shapes.KeyTermsChange
    ) -> ApiKey:
        change = KeyChange(
            body.name,
            None
            if body.expires == "never"
            else body.expires
            if body.expires is UNSET
            else read_expiry(body.expires),
            None if body.daily_credits == "unlimited" else body.daily_credits,
        )

        def apply(session: Session, accounts: Accounts) -> ApiKey:
            key = _find_key(_own(session, account_id), prefix)
            return key if change == KeyChange() else accounts.change_key(account_id, prefix, change)

        return self._change(request, apply)

    def revoke_key(self, request: OperatorRequest, account_id: str, prefix: str) -> ApiKey:
        """Revoke a key; one that is revoked stays as it is."""

        def revoke(session: Session, accounts: Accounts) -> ApiKey:
            key = _find_key(_own(session, account_id), prefix)
            return key if key.revoked_at is not None else accounts.revoke_key(account_id, prefix)

        return self._change(request, revoke)

    # --- credits, usage, audit ---

    def change_credits(
        self, request: OperatorRequest, account_id: str, body: shapes.CreditChange
    ) -> Done[Account]:
        """Grant credits, or take them back if their number is negative."""

        def change(session: Session, accounts: Accounts) -> Account:
            _existing(session, account_id)
            if not body.credits:
                raise Refused("credits must be 1 or more to grant, or -1 or less to take back")
            if body.credits < 0:
                return accounts.adjust(account_id, -body.credits, body.reason)
            return accounts.grant(account_id, body.credits, body.reason)

        return self._create(request, change, lambda account: str(account.id), _existing)

    def report_usage(self, query: shapes.UsageQuery) -> Page[UsageRow]:
        month = read_month(query.month)
        group: UsageGroup = "account" if query.by is UNSET else query.by
        account_id = None if query.account is UNSET else str(query.account)
        if account_id is not None:
            self.get_account(account_id)
        return _cut(self._reports.report(month, group, account_id), query)

    def read_audit(self, query: shapes.AuditPage) -> Page[OperatorAction]:
        """Return actions, the newest first."""
        account_id = None if query.account is UNSET else query.account
        with self._database.read() as session:
            if account_id is not None:
                _existing(session, str(account_id))
            return Page(*read_action_page(session, account_id, query.page * query.size, query.size))

    # --- transactions ---

    def _change(self, request: OperatorRequest, change: Callable[[Session, Accounts], T]) -> T:
        with self._database.write(ACCOUNTS) as session:
            return change(session, self._accounts.joined(session, OperatorAudit(request.operator)))

    def _create(
        self,
        request: OperatorRequest,
        create: Callable[[Session, Accounts], T],
        subject: Callable[[T], str],
        repeat: Callable[[Session, str], T],
    ) -> Done[T]:
        """Create something, or return it as it is today if that was done under the key of the request.

        Raises Conflict if the key was used with another body. A call with the same key that is running holds the
        writer, so this one waits for it and repeats it.
        """
        key, now = request.key, self._clock.seconds()

        def run(session: Session, accounts: Accounts) -> Done[T]:
            kept = None if key is None else store.select_call(session, key, now)
            if key is not None and kept is not None:
                if kept.digest != key.digest:
                    raise Conflict(
                        "This Idempotency-Key was used with another query or body; use a new key for a new request"
                    )
                return Done(repeat(session, kept.subject), kept.request_id, True)
            result = create(session, accounts)
            if key is not None:
                call = KeptCall(key.digest, request.id, subject(result))
                store.insert_call(session, key, call, now + self._seconds)
            return Done(result, request.id)

        return self._change(request, run)


def _can_reveal(form: str | None) -> str | None:
    return None if form == "default" else form


def _existing(session: Session, account_id: str) -> Account:
    """Return the account with this number. Raises NotFound."""
    found = find_numbered(session, account_id)
    if found is None:
        raise NotFound("There is no such account")
    return found


def _own(session: Session, account_id: str) -> AccountSession:
    return AccountSession(session, _existing(session, account_id).id)


def _find_key(session: AccountSession, prefix: str) -> ApiKey:
    """Return the account's key with this prefix. Raises NotFound."""
    found = [key for key in list_keys(session) if key.prefix == prefix]
    if not found:
        raise NotFound("The account has no such key")
    return found[0]


def _cut(rows: list[R], query: shapes.PageQuery) -> Page[R]:
    skipped = query.page * query.size
    return Page(rows[skipped : skipped + query.size], len(rows))
