"""SQL statements on logins, sessions, links and failed attempts."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.logins.tables import login_failures, login_links, login_sessions, logins
from firmograph.logins.types import Link, Login, SessionState

_login = (logins.c.id, logins.c.email, logins.c.operator, logins.c.created_at, logins.c.password_at)
_NAMED = sa.select(*_login, logins.c.password).where(logins.c.email == bindparam("email"))
_ANY = sa.select(logins.c.id).limit(1)
_OPERATORS = sa.select(*_login).where(logins.c.operator == 1).order_by(logins.c.id)
_ALL = sa.select(logins).order_by(logins.c.id)
_ADD = (
    sa.insert(logins)
    .values(
        {name: bindparam(name) for name in ("email", "password", "operator", "created_at", "password_at")}
    )
    .returning(logins.c.id)
)
_this = logins.c.id == bindparam("which")
_SET_PASSWORD = sa.update(logins).where(_this).values(password=bindparam("hash"), password_at=bindparam("at"))
_SET_OPERATOR = sa.update(logins).where(_this).values(operator=bindparam("mark"))


def select_named(session: Session, email: str) -> tuple[Login, str] | None:
    """Return the login of an e-mail address in lower case, with the hash of its password."""
    row = session.one(_NAMED, {"email": email})
    return None if row is None else (_read_login(row[:5]), row[5])


def has_logins(session: Session) -> bool:
    return session.one(_ANY) is not None


def select_operators(session: Session) -> list[Login]:
    return [_read_login(row) for row in session.all(_OPERATORS)]


def select_logins(session: Session) -> Iterator[dict[str, Any]]:
    """Yield all logins by column."""
    for row in session.all(_ALL):
        yield dict(zip(logins.c.keys(), row, strict=True))


def insert_login(session: Session, email: str, password: str, operator: bool, at: float) -> Login:
    values = {"email": email, "password": password, "operator": int(operator)}
    rows = session.all(_ADD, {**values, "created_at": at, "password_at": at})
    return Login(int(rows[0][0]), email, operator, at, at)


def update_password(session: Session, login_id: int, password: str, at: float) -> None:
    session.execute(_SET_PASSWORD, {"which": login_id, "hash": password, "at": at})


def update_operator(session: Session, login_id: int, mark: bool) -> None:
    session.execute(_SET_OPERATOR, {"which": login_id, "mark": int(mark)})


def _read_login(row: Any) -> Login:
    return Login(row[0], row[1], bool(row[2]), row[3], row[4])


# --- sessions ---

_s = login_sessions.c
_OPEN = (
    sa.select(*_login, _s.chosen_account, _s.created_at, _s.used_at)
    .join_from(login_sessions, logins, _s.login_id == logins.c.id)
    .where(_s.digest == bindparam("session"))
)
_START = sa.insert(login_sessions).values({name: bindparam(name) for name in _s.keys()})  # noqa: SIM118
_one = _s.digest == bindparam("session")
_USE = sa.update(login_sessions).where(_one).values(used_at=bindparam("at"))
_CHOOSE = sa.update(login_sessions).where(_one).values(chosen_account=bindparam("account"))
_END = sa.delete(login_sessions).where(_one)
_END_ALL = sa.delete(login_sessions).where(
    _s.login_id == bindparam("of_login"), _s.digest != bindparam("but")
)
_OF_LOGIN = (
    sa.select(_s.digest, _s.created_at, _s.used_at)
    .where(_s.login_id == bindparam("of_login"))
    .order_by(_s.used_at.desc())
)
_ENDED = BatchDeletion(
    login_sessions, sa.or_(_s.used_at <= bindparam("unused"), _s.created_at <= bindparam("old"))
)


def select_session(session: Session, digest: bytes) -> SessionState | None:
    row = session.one(_OPEN, {"session": digest})
    return None if row is None else SessionState(_read_login(row[:5]), *row[5:])


def insert_session(session: Session, digest: bytes, login_id: int, account_id: int | None, at: float) -> None:
    session.execute(
        _START,
        {
            "digest": digest,
            "login_id": login_id,
            "chosen_account": account_id,
            "created_at": at,
            "used_at": at,
        },
    )


def update_used(session: Session, digest: bytes, at: float) -> None:
    session.execute(_USE, {"session": digest, "at": at})


def update_chosen_account(session: Session, digest: bytes, account_id: int) -> None:
    session.execute(_CHOOSE, {"session": digest, "account": account_id})


def delete_session(session: Session, digest: bytes) -> None:
    session.execute(_END, {"session": digest})


def delete_sessions(session: Session, login_id: int, but: bytes = b"") -> None:
    """End all sessions of a login, but one if it is named."""
    session.execute(_END_ALL, {"of_login": login_id, "but": but})


def select_sessions(session: Session, login_id: int) -> list[tuple[bytes, float, float]]:
    """Return digest, start and last use of the sessions of a login, the last used first."""
    return [(row[0], row[1], row[2]) for row in session.all(_OF_LOGIN, {"of_login": login_id})]


def delete_ended_sessions(session: Session, unused_since: float, older_than: float, most: int) -> int:
    """Delete up to `most` sessions that nobody used, or that began long ago; return their number."""
    return _ENDED.run(session, most, unused=unused_since, old=older_than)


# --- links ---

_l = login_links.c
_ADD_LINK = sa.insert(login_links).values({name: bindparam(name) for name in _l.keys()})  # noqa: SIM118
_LINK = sa.select(_l.kind, _l.email, _l.into_account, _l.role, _l.made_by, _l.expires_at).where(
    _l.digest == bindparam("link"), _l.expires_at > bindparam("now")
)
_ALL_LINKS = sa.select(login_links)
_DROP_LINK = sa.delete(login_links).where(_l.digest == bindparam("link"))
_DROP_SAME = sa.delete(login_links).where(
    _l.kind == bindparam("of_kind"),
    _l.email == bindparam("of_email"),
    _l.into_account.is_not_distinct_from(bindparam("account", type_=sa.BigInteger)),
)
_INVITATIONS = (
    sa.select(_l.email, _l.role, _l.expires_at)
    .where(_l.into_account == bindparam("account"), _l.expires_at > bindparam("now"))
    .order_by(_l.created_at, _l.email)
)
_DROP_INVITATIONS = sa.delete(login_links).where(_l.into_account == bindparam("account"))
_EXPIRED_LINKS = BatchDeletion(login_links, _l.expires_at <= bindparam("now"))


def insert_link(session: Session, digest: bytes, link: Link, at: float) -> None:
    """Store a link in place of the one before it of the same kind, address and account."""
    session.execute(_DROP_SAME, {"of_kind": link.kind, "of_email": link.email, "account": link.account_id})
    session.execute(
        _ADD_LINK,
        {
            "digest": digest,
            "kind": link.kind,
            "email": link.email,
            "into_account": link.account_id,
            "role": link.role,
            "made_by": link.made_by,
            "created_at": at,
            "expires_at": link.expires_at,
        },
    )


def select_link(session: Session, digest: bytes, now: float) -> Link | None:
    row = session.one(_LINK, {"link": digest, "now": now})
    return None if row is None else Link(*row)


def select_links(session: Session) -> Iterator[dict[str, Any]]:
    """Yield all links by column."""
    for row in session.all(_ALL_LINKS):
        yield dict(zip(_l.keys(), row, strict=True))


def delete_link(session: Session, digest: bytes) -> None:
    session.execute(_DROP_LINK, {"link": digest})


def delete_same_links(session: Session, kind: str, email: str, account_id: int | None) -> None:
    """Delete the links of a kind for an address into an account."""
    session.execute(_DROP_SAME, {"of_kind": kind, "of_email": email, "account": account_id})


def select_invitations(session: Session, account_id: int, now: float) -> list[tuple[str, str, float]]:
    """Return address, role and end of the open invitations into an account, oldest first."""
    rows = session.all(_INVITATIONS, {"account": account_id, "now": now})
    return [(row[0], row[1], row[2]) for row in rows]


def delete_invitations(session: Session, account_id: int) -> None:
    session.execute(_DROP_INVITATIONS, {"account": account_id})


def delete_expired_links(session: Session, now: float, most: int) -> int:
    return _EXPIRED_LINKS.run(session, most, now=now)


# --- failed attempts ---

_f = login_failures.c
_ADD_FAILURE = (
    sa.insert(login_failures)
    .values({name: bindparam(name) for name in ("email", "network", "at")})
    .returning(_f.id)
)
_DROP_FAILURE = sa.delete(login_failures).where(_f.id == bindparam("which"))
_RECENT = (
    sa.select(_f.email, _f.network, _f.at)
    .where(
        sa.or_(_f.email == bindparam("of_email"), _f.network == bindparam("of_network")),
        _f.at > bindparam("since"),
    )
    .order_by(_f.at.desc())
    .limit(bindparam("most"))
)
_OLD_FAILURES = BatchDeletion(login_failures, _f.at <= bindparam("since"))


def insert_failure(session: Session, email: bytes, network: bytes, at: float) -> int:
    return int(session.all(_ADD_FAILURE, {"email": email, "network": network, "at": at})[0][0])


def delete_failure(session: Session, failure: int) -> None:
    session.execute(_DROP_FAILURE, {"which": failure})


def select_failures(
    session: Session, email: bytes, network: bytes, since: float, most: int
) -> list[tuple[bytes, bytes, float]]:
    """Return digest of address, of network, and time of the failures of either since a time, newest first."""
    values = {"of_email": email, "of_network": network, "since": since, "most": most}
    return [(row[0], row[1], row[2]) for row in session.all(_RECENT, values)]


def delete_old_failures(session: Session, since: float, most: int) -> int:
    return _OLD_FAILURES.run(session, most, since=since)


# --- what a restore keeps ---

_CLEAR = tuple(sa.delete(table) for table in (login_sessions, login_links, login_failures))
_IDENTITIES = sa.select(logins.c.email, logins.c.created_at, *_login, logins.c.password)
_REMOVE_MANY = sa.delete(logins).where(column_in(logins.c.id, "ids"))


def clear_sessions_and_links(session: Session) -> None:
    """End all sessions and links, and forget failed attempts."""
    for statement in _CLEAR:
        session.execute(statement)


def select_identities(session: Session) -> dict[tuple[str, float], tuple[Login, str]]:
    """Return the logins with the hashes of their passwords, by address and time of creation."""
    return {(row[0], row[1]): (_read_login(row[2:7]), row[7]) for row in session.all(_IDENTITIES)}


def delete_logins(session: Session, ids: list[int]) -> None:
    if ids:
        session.run_in(_REMOVE_MANY, "ids", ids)
