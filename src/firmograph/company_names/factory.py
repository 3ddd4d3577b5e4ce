"""Factory of the index of company names: for a server process, and for a command."""

from typing import NamedTuple

from firmograph.company_names.index_kind import COMPANY_NAMES, CompanyNames
from firmograph.database.connection import Database
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.all_records import ReportProgress
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.local_index import LocalIndex
from firmograph.kit.clock import Clock


class ServedNames(NamedTuple):
    """Company names of a server process."""

    active: ActiveIndex[CompanyNames]
    """The index in service."""
    local: LocalIndex[CompanyNames]
    """What keeps it up to date."""


def serve_names(database: Database, clock: Clock, folder: str) -> ServedNames:
    """Return the index of a server process, with its checkpoint in a folder."""
    local = LocalIndex(COMPANY_NAMES, database, clock, folder)
    return ServedNames(local.active, local)


def open_names(database: Database, folder: str, report: ReportProgress) -> CompanyNames:
    """Return the index with all changes as of now, for a command.

    Raises Refused, with advice, if its checkpoint cannot be written.
    """
    return Checkpoints(COMPANY_NAMES, database, folder).open(report)
