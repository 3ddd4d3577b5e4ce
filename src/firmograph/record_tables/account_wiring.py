"""Tables of users who leave an account, and of accounts that are closed."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring
from firmograph.kit.errors import Refused
from firmograph.record_tables import store
from firmograph.record_tables.runs.cancel import stop_runs_of
from firmograph.record_tables.service import delete_table
from firmograph.record_tables.types import RecordTable


def _owned(session: AccountSession, user_id: int) -> list[RecordTable]:
    return [table for table in store.select_tables(session) if table.owner_id == user_id]


def _count_owned(session: AccountSession, user_id: int) -> int:
    return len(_owned(session, user_id))


def _give(session: AccountSession, user_id: int, new_owner: int) -> None:
    """Give all tables of a user. Raises Refused if the new owner has another table of a name and kind."""
    for table in _owned(session, user_id):
        if store.find_named(session, new_owner, table.entity, table.name) is not None:
            raise Refused(
                f"The new owner has another table of this kind named {table.name!r}; rename one of them first, or"
                " name another user"
            )
        store.update_table(session, table._replace(owner_id=new_owner))


def _close(session: AccountSession, at: float) -> None:
    """Stop the runs of all tables."""
    for table in store.select_tables(session):
        stop_runs_of(session, table, None, at)


def _erase(session: AccountSession, at: float) -> int:
    """Delete the tables; another job deletes their rows and cells."""
    tables = store.select_tables(session)
    for table in tables:
        delete_table(session, table, at)
    return len(tables)


ACCOUNTS: Final = AccountWiring(count_owned=_count_owned, give=_give, close=_close, erase=_erase)
