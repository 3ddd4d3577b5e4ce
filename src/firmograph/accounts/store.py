"""SQL statements on accounts, their users and their API keys."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts, api_keys, users
from firmograph.accounts.types import Account, ApiKey, KeyHolder, KeyTerms, User
from firmograph.billing.tables import balances, credit_periods
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Row, Session
from firmograph.database.key_revocations import KeyRevocations

_providers = sa.table("waterfall_providers", sa.column("account_id", sa.BigInteger))
_has_providers = sa.exists().where(_providers.c.account_id == accounts.c.id).correlate(accounts)
_HOLDER = (
    sa.select(
        accounts.c.id,
        accounts.c.plan,
        accounts.c.active,
        accounts.c.can_reveal,
        api_keys.c.prefix,
        api_keys.c.expires_at,
        api_keys.c.daily_credits,
        sa.case((_has_providers, sa.literal_column("1")), else_=sa.literal_column("0")),
    )
    .select_from(api_keys.join(accounts, accounts.c.id == api_keys.c.account_id))
    .where(api_keys.c.digest == bindparam("digest"), api_keys.c.revoked_at.is_(None))
)


def select_key_holder(session: Session, digest: bytes) -> KeyHolder | None:
    """Return a key that is not revoked, with its account."""
    row = session.one(_HOLDER, (digest,))
    return KeyHolder._make(row) if row else None


_ADD_ACCOUNT = (
    sa.insert(accounts)
    .values(
        name=bindparam("name"),
        plan=bindparam("plan"),
        active=1,
        can_reveal=bindparam("can_reveal"),
        created_at=bindparam("at"),
        plan_at=bindparam("at"),
    )
    .returning(accounts.c.id)
)
_ADD_BALANCE = sa.insert(balances).values(account_id=bindparam("id"), granted=0, used=0, held=0)


def insert_account(session: Session, name: str, plan: str, can_reveal: str | None, at: float) -> int:
    """Insert an active account with an empty balance and return its id."""
    rows = session.all(_ADD_ACCOUNT, {"name": name, "plan": plan, "can_reveal": can_reveal, "at": at})
    account_id = int(rows[0][0])
    session.execute(_ADD_BALANCE, {"id": account_id})
    return account_id


_ACCOUNTS = sa.select(
    accounts.c.id,
    accounts.c.name,
    accounts.c.plan,
    accounts.c.active,
    accounts.c.can_reveal,
    accounts.c.created_at,
    accounts.c.plan_at,
    accounts.c.closed_at,
    balances.c.granted,
    balances.c.used,
    balances.c.held,
    credit_periods.c.renews_at,
).select_from(
    accounts.join(balances, balances.c.account_id == accounts.c.id).outerjoin(
        credit_periods, credit_periods.c.account_id == accounts.c.id
    )
)
_PAGE = _ACCOUNTS.order_by(accounts.c.id).limit(bindparam("most")).offset(bindparam("skipped"))
_COUNT = sa.select(sa.func.count()).select_from(accounts)
_ACCOUNTS_BY_ID = _ACCOUNTS.order_by(accounts.c.id)
_ACCOUNT_OF_ID = _ACCOUNTS.where(accounts.c.id == bindparam("id"))
_ACCOUNT_NAMED = _ACCOUNTS.where(accounts.c.name == bindparam("name"))


def select_accounts(session: Session) -> list[Account]:
    return [_account(row) for row in session.all(_ACCOUNTS_BY_ID)]


def select_account_page(session: Session, skipped: int, most: int) -> tuple[list[Account], int]:
    """Return accounts by id, and the number of all accounts. Two statements."""
    rows = session.all(_PAGE, {"skipped": skipped, "most": most})
    return [_account(row) for row in rows], session.all(_COUNT)[0][0]


def select_account(session: Session, account_id: int) -> Account | None:
    row = session.one(_ACCOUNT_OF_ID, (account_id,))
    return _account(row) if row else None


def select_account_named(session: Session, name: str) -> Account | None:
    row = session.one(_ACCOUNT_NAMED, (name,))
    return _account(row) if row else None


def _account(row: Row) -> Account:
    account = Account(*row)
    return account._replace(active=bool(account.active))


_ACTIVE_ON = (
    sa.select(accounts.c.id, accounts.c.plan)
    .select_from(accounts.outerjoin(credit_periods, credit_periods.c.account_id == accounts.c.id))
    .where(accounts.c.active == 1, column_in(accounts.c.plan, "plans"))
    .order_by(accounts.c.id)
    .limit(1)
)
_RENEWABLE = _ACTIVE_ON.where(credit_periods.c.renews_at <= bindparam("at", type_=sa.Double))
_WITHOUT_PERIOD = _ACTIVE_ON.where(credit_periods.c.renews_at.is_(None))


def select_renewable(session: Session, plans: list[str], at: float) -> tuple[int, str] | None:
    """Return an active account whose period of monthly credits is over, with its plan, which is one of these."""
    rows = session.all_in(_RENEWABLE, "plans", plans, at=at)
    return rows[0] if rows else None


def select_without_period(session: Session, plans: list[str]) -> tuple[int, str] | None:
    """Return an active account on one of these plans for which no period runs, with its plan."""
    rows = session.all_in(_WITHOUT_PERIOD, "plans", plans)
    return rows[0] if rows else None


_SET_ACTIVE = sa.update(accounts).where(accounts.c.id == bindparam("account")).values(active=bindparam("now"))
_SET_NAME = sa.update(accounts).where(accounts.c.id == bindparam("account")).values(name=bindparam("now"))
_SET_CAN_REVEAL = (
    sa.update(accounts).where(accounts.c.id == bindparam("account")).values(can_reveal=bindparam("now"))
)
_this = accounts.c.id == bindparam("account")
_CLOSE = sa.update(accounts).where(_this).values(active=0, closed_at=bindparam("at"))
_SET_ERASED = sa.update(accounts).where(_this).values(erased_at=bindparam("at"))
_ERASABLE = (
    sa.select(accounts.c.id)
    .where(accounts.c.closed_at < bindparam("before"), accounts.c.erased_at.is_(None))
    .order_by(accounts.c.id)
    .limit(1)
)
_SET_PLAN = (
    sa.update(accounts)
    .where(accounts.c.id == bindparam("account"))
    .values(plan=bindparam("now"), plan_at=bindparam("at"))
)


def update_active(session: Session, account_id: int, active: bool) -> None:
    session.execute(_SET_ACTIVE, {"account": account_id, "now": int(active)})


def update_name(session: Session, account_id: int, name: str) -> None:
    session.execute(_SET_NAME, {"account": account_id, "now": name})


def update_closed(session: Session, account_id: int, at: float) -> None:
    """Close an account, which is disabled with it."""
    session.execute(_CLOSE, {"account": account_id, "at": at})


def update_erased(session: Session, account_id: int, at: float) -> None:
    session.execute(_SET_ERASED, {"account": account_id, "at": at})


def select_erasable(session: Session, before: float) -> int | None:
    """Return an account that was closed before a time and whose content is not erased."""
    row = session.one(_ERASABLE, {"before": before})
    return row[0] if row else None


def update_can_reveal(session: Session, account_id: int, can_reveal: str | None) -> None:
    session.execute(_SET_CAN_REVEAL, {"account": account_id, "now": can_reveal})


def update_plan(session: Session, account_id: int, plan: str, at: float) -> None:
    session.execute(_SET_PLAN, {"account": account_id, "now": plan, "at": at})


_ADD_USER = (
    sa.insert(users)
    .values(
        account_id=bindparam("account"),
        email=bindparam("email"),
        role=bindparam("role"),
        created_at=bindparam("at"),
    )
    .returning(users.c.id)
)
_USERS = (
    sa.select(users.c.id, users.c.email, users.c.role, users.c.created_at)
    .where(users.c.account_id == bindparam("account"))
    .order_by(users.c.id)
)

_user = sa.and_(users.c.account_id == bindparam("account"), users.c.id == bindparam("user"))
_SET_ROLE = sa.update(users).where(_user).values(role=bindparam("now"))
_DELETE_USER = sa.delete(users).where(_user)
_DELETE_USERS = sa.delete(users).where(users.c.account_id == bindparam("account"))
_EVERY_USER = sa.select(users).order_by(users.c.id)


_MEMBERSHIPS = (
    sa.select(
        *(users.c[name] for name in ("id", "email", "role", "account_id")),
        *(accounts.c[name] for name in ("name", "plan", "active", "can_reveal")),
    )
    .join_from(users, accounts, users.c.account_id == accounts.c.id)
    .where(users.c.email == bindparam("email"), accounts.c.closed_at.is_(None))
    .order_by(accounts.c.name, accounts.c.id)
)


def select_memberships(session: Session, email: str) -> list[Row]:
    """Return user and account of an address in every account that is not closed, by name of the account."""
    return session.all(_MEMBERSHIPS, {"email": email})


def insert_user(session: AccountSession, email: str, role: str, at: float) -> int:
    rows = session.all(_ADD_USER, {"email": email, "role": role, "at": at})
    return int(rows[0][0])


def select_users(session: AccountSession) -> list[User]:
    return [User(*row) for row in session.all(_USERS)]


def update_role(session: AccountSession, user_id: int, role: str) -> None:
    session.execute(_SET_ROLE, {"user": user_id, "now": role})


def delete_user(session: AccountSession, user_id: int) -> None:
    session.execute(_DELETE_USER, {"user": user_id})


def delete_users(session: AccountSession) -> None:
    session.execute(_DELETE_USERS)


def select_all_users(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the users of all accounts, by column."""
    for row in session.all(_EVERY_USER):
        yield dict(zip(users.c.keys(), row, strict=True))


_ADD_KEY = sa.insert(api_keys).values(
    digest=bindparam("digest"),
    account_id=bindparam("account"),
    prefix=bindparam("prefix"),
    created_at=bindparam("at"),
    name=bindparam("name"),
    expires_at=bindparam("expires_at"),
    daily_credits=bindparam("daily_credits"),
)
_KEYS = (
    sa.select(*(api_keys.c[name] for name in ApiKey._fields))
    .where(api_keys.c.account_id == bindparam("account"))
    .order_by(api_keys.c.created_at, api_keys.c.prefix)
)
_key = sa.and_(api_keys.c.account_id == bindparam("account"), api_keys.c.digest == bindparam("which"))
_REVOKE = sa.update(api_keys).where(_key).values(revoked_at=bindparam("at"))
_SET_TERMS = (
    sa.update(api_keys).where(_key).values({name: bindparam(f"new_{name}") for name in KeyTerms._fields})
)


def insert_key(session: AccountSession, digest: bytes, prefix: str, terms: KeyTerms, at: float) -> None:
    session.execute(_ADD_KEY, {"digest": digest, "prefix": prefix, "at": at, **terms._asdict()})


def select_keys(session: AccountSession) -> list[ApiKey]:
    """Return all keys of the account, including revoked ones, oldest first."""
    return [ApiKey(*row) for row in session.all(_KEYS)]


def update_terms(session: AccountSession, digest: bytes, terms: KeyTerms) -> None:
    new = {f"new_{name}": value for name, value in terms._asdict().items()}
    session.execute(_SET_TERMS, {"which": digest, **new})


def update_revoked(session: AccountSession, digest: bytes, at: float) -> None:
    session.execute(_REVOKE, {"which": digest, "at": at})


# --- what a restore keeps ---

REVOCATIONS = KeyRevocations(api_keys)
_CLOSED = sa.select(accounts.c.id, accounts.c.closed_at).where(accounts.c.closed_at.is_not(None))
_DISABLED = sa.select(accounts.c.id).where(accounts.c.active == 0)
_CREATIONS = sa.select(accounts.c.id, accounts.c.created_at)


def select_closed(session: Session) -> dict[int, float]:
    """Return when accounts were closed."""
    return dict(session.all(_CLOSED))


def select_disabled(session: Session) -> set[int]:
    """Return the disabled accounts."""
    return {row[0] for row in session.all(_DISABLED)}


_REMOVE_USER = sa.delete(users).where(users.c.id == bindparam("user"))


def delete_missing_users(session: Session, other: Session, account_ids: set[int]) -> None:
    """Delete the users of these accounts that another database does not have."""

    def identities(one: Session) -> set[tuple[int, float]]:
        rows = select_all_users(one)
        return {(row["id"], row["created_at"]) for row in rows if row["account_id"] in account_ids}

    missing = identities(session) - identities(other)
    session.many(_REMOVE_USER, [(user_id,) for user_id, _ in sorted(missing)])


def select_creations(session: Session) -> set[tuple[int, float]]:
    """Return number and time of creation of all accounts."""
    return {(row[0], row[1]) for row in session.all(_CREATIONS)}
