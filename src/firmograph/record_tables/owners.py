"""Users who act on tables: named by e-mail address in a body or query."""

from typing import Literal

from firmograph.accounts.users import find_user
from firmograph.database.connection import AccountSession
from firmograph.directory.lookup.identifiers import raise_problem
from firmograph.record_tables.access import Actor


def actor_of(session: AccountSession, email: str, path: Literal["owner.email", "email"]) -> Actor:
    """Return the user of the account with an address, letter case aside.

    Raises BadRequest with the path of the address, for a malformed one too.
    """
    user = find_user(session, email)
    if user is None:
        raise_problem(f"{path} must be the e-mail address of a user of the account")
    return Actor(session.account_id, user.id)
