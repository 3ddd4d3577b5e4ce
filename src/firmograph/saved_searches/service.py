"""Saved searches of an account's users."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.kit.errors import BadRequest, NotFound
from firmograph.saved_searches import store
from firmograph.saved_searches.store import SavedSearch
from firmograph.security.record_ids import Entity

MOST: Final = 500
"""Saved searches of an account."""
LONGEST_NAME: Final = 100

__all__ = ["LONGEST_NAME", "MOST", "SavedSearch", "delete_search", "list_searches", "save_search"]


def list_searches(session: AccountSession, user_id: int, entity: Entity) -> list[SavedSearch]:
    """Return the searches that a user may open, their own and shared ones, the newest first."""
    return [one for one in store.select_visible(session, user_id) if one.entity == int(entity)]


def save_search(
    session: AccountSession,
    user_id: int,
    entity: Entity,
    name: str,
    query: str,
    at: float,
    *,
    is_shared: bool,
) -> None:
    """Save a search. Raises BadRequest for a name that is empty or too long, and above the account's maximum."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadRequest(f"Name of the search: write 1 to {LONGEST_NAME} characters")
    if store.count_searches(session) >= MOST:
        raise BadRequest(f"The account has {MOST} saved searches, the most there may be; delete one first")
    store.insert_search(session, SavedSearch(0, int(entity), name, user_id, int(is_shared), query, at))


def delete_search(session: AccountSession, user_id: int, number: int) -> None:
    """Delete a search of a user. Raises NotFound, also for one that another user shares."""
    if not store.delete_owned(session, user_id, number):
        raise NotFound("There is no such saved search of yours")
