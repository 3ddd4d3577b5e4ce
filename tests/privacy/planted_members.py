"""A planted person who works with the service: a member of an account, with a login and an invitation."""

from typing import Final

from planted_identity import PlantedIdentity

from firmograph.accounts.activity import UserActivity
from firmograph.database.connection import ACCOUNTS, Database, account_scope
from firmograph.logins import store
from firmograph.logins.types import Link

ACCOUNT: Final = 1
AT: Final = 1_790_000_000.0
_TABLES: Final = ("users", "account_activities", "login_links", "logins")


def fill_members(database: Database, person: PlantedIdentity) -> None:
    """Write a login, an invitation and an action of the person."""
    with database.write(ACCOUNTS, account_scope(ACCOUNT)) as session:
        UserActivity(ACCOUNT, 1, person.email).record(session, AT, "key create", details={"name": "own"})
        store.insert_login(session, person.email, "no hash", operator=False, at=AT)
        link = Link("invitation", person.email, ACCOUNT, "member", "ann@acme.test", AT)
        store.insert_link(session, b"digest", link, AT)


def remove_members(database: Database) -> None:
    """Remove the members of all accounts, who stay when a person is erased."""
    with database.write(ACCOUNTS) as session:
        for table in _TABLES:
            session.raw.execute(f"DELETE FROM {table}")
