"""A planted person in what the workspace holds: a login, an invitation, activity, and a saved search."""

from typing import Final
from urllib.parse import urlencode

from planted_identity import PlantedIdentity

from firmograph.accounts.activity import UserActivity
from firmograph.database.connection import ACCOUNTS, AccountSession, Database, account_scope
from firmograph.logins import store
from firmograph.logins.types import Link
from firmograph.saved_searches.service import save_search
from firmograph.security.record_ids import Entity

ACCOUNT: Final = 1
_TABLES: Final = ("users", "account_activities", "login_links", "logins")


def fill_workspace(database: Database, person: PlantedIdentity) -> None:
    """Plant the person as a user of the pages, and in the filter of a saved search."""
    email = person.email
    with database.write(ACCOUNTS) as session:
        store.insert_login(session, email, "a hash", False, 1.0)
        store.insert_link(
            session, b"digest", Link("invitation", email, ACCOUNT, "member", "operator", 9e9), 1.0
        )
    with database.write(account_scope(ACCOUNT)) as session:
        UserActivity(ACCOUNT, 1, email).record(session, 1.0, "key create")
        own = AccountSession(session, ACCOUNT)
        for value in (email, "other@people.example.com"):
            query = urlencode({"filters.contacts.include.emails": value})
            save_search(own, 1, Entity.CONTACT, "A search", query, 1.0, is_shared=True)


def remove_members(database: Database) -> None:
    """Remove the members of all accounts, who stay when a person is erased."""
    with database.write(ACCOUNTS) as session:
        for table in _TABLES:
            session.raw.execute(f"DELETE FROM {table}")
