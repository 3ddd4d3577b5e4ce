"""Detection of changed companies, for packages that keep what they looked up.

A keeper notes a position before it opens the transaction of its look-ups: every change up to it is visible there.
"""

from firmograph.database.connection import Session
from firmograph.indexing import store
from firmograph.indexing.store import SequenceState

__all__ = ["SequenceState", "current_position", "has_all_companies", "has_changed_company"]


def current_position(session: Session) -> SequenceState:
    """Return the settled position of the database, for a session outside any transaction."""
    return store.sequence_state(session)


def has_changed_company(session: Session, earlier: SequenceState, later: SequenceState) -> bool:
    """Return whether what was looked up at an earlier position of companies may be different at a later one."""
    if earlier.identity != later.identity:
        return True
    return earlier.head < later.head and store.has_changed_company(session, earlier.head, later.head)


def has_all_companies(session: Session, applied: int) -> bool:
    """Return whether an index at a position has every change of a company that the session sees.

    One bounded statement: far behind the end of the sequence the answer is no.
    """
    return store.lacks_no_company(session, applied)
