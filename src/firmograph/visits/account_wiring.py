"""Website visits of accounts that are erased."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring
from firmograph.jobs.scheduler import PART_ROWS
from firmograph.visits.deletion import delete_part_of_account


def _erase(session: AccountSession, at: float) -> int:
    """Delete a part of the account's sites with their visits."""
    return delete_part_of_account(session, PART_ROWS)


ACCOUNTS: Final = AccountWiring(erase=_erase)
