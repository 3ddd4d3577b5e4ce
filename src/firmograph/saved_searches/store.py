"""SQL statements on saved searches."""

from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Session
from firmograph.saved_searches.tables import saved_searches

_c = saved_searches.c
_NAMES: Final = ("entity", "name", "owner_id", "is_shared", "query", "created_at")
_of_account = _c.account_id == bindparam("account")
_of_owner = _c.owner_id == bindparam("owner")
_ADD = sa.insert(saved_searches).values(
    account_id=bindparam("account"), **{name: bindparam(name) for name in _NAMES}
)
_VISIBLE = (
    sa.select(_c.id, *(_c[name] for name in _NAMES))
    .where(_of_account, sa.or_(_c.is_shared == 1, _of_owner))
    .order_by(_c.id.desc())
)
_COUNT = sa.select(sa.func.count()).select_from(saved_searches).where(_of_account)
_COUNT_OWNED = _COUNT.where(_of_owner)
_DELETE_OWNED = sa.delete(saved_searches).where(_of_account, _of_owner, _c.id == bindparam("which"))
_GIVE = sa.update(saved_searches).where(_of_account, _of_owner).values(owner_id=bindparam("new_owner"))
_DELETE_ALL = sa.delete(saved_searches).where(_of_account)
_EVERY = sa.select(saved_searches).order_by(_c.id)
_DELETE = sa.delete(saved_searches).where(column_in(_c.id, "numbers"))


class SavedSearch(NamedTuple):
    """Saved search."""

    id: int
    entity: int
    name: str
    owner_id: int
    is_shared: int
    """1 if all users of the account see it."""
    query: str
    """Query of the page of search."""
    created_at: float


def insert_search(session: AccountSession, search: SavedSearch) -> None:
    """Insert a search, under an id of its own."""
    session.execute(_ADD, {name: getattr(search, name) for name in _NAMES})


def select_visible(session: AccountSession, user_id: int) -> list[SavedSearch]:
    """Return the searches of a user, and those shared with them, the newest first."""
    return [SavedSearch(*row) for row in session.all(_VISIBLE, {"owner": user_id})]


def count_searches(session: AccountSession) -> int:
    row = session.one(_COUNT)
    return 0 if row is None else int(row[0])


def count_owned(session: AccountSession, user_id: int) -> int:
    row = session.one(_COUNT_OWNED, {"owner": user_id})
    return 0 if row is None else int(row[0])


def delete_owned(session: AccountSession, user_id: int, number: int) -> bool:
    """Delete a search of a user; return whether there was one."""
    return bool(session.execute(_DELETE_OWNED, {"owner": user_id, "which": number}).rowcount)


def give_owned(session: AccountSession, user_id: int, new_owner: int) -> None:
    session.execute(_GIVE, {"owner": user_id, "new_owner": new_owner})


def delete_searches(session: AccountSession) -> int:
    """Delete all searches of an account; return their number."""
    return int(session.execute(_DELETE_ALL).rowcount)


def select_every_search(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the searches of all accounts, by column."""
    for row in session.all(_EVERY):
        yield dict(zip(saved_searches.c.keys(), row, strict=True))


def delete_numbers(session: Session, numbers: Collection[int]) -> None:
    """Delete searches of any account."""
    session.run_in(_DELETE, "numbers", sorted(numbers))
