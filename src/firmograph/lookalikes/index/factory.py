"""Factory of similarity indexes: for a server process, and for a command."""

from typing import NamedTuple

from firmograph.database.connection import Database
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.all_records import ReportProgress
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.local_index import LocalIndex
from firmograph.kit.clock import Clock
from firmograph.lookalikes.index.index_kind import SIMILARITY
from firmograph.lookalikes.index.similarity_index import SimilarityIndex


class ServedSimilarity(NamedTuple):
    """Similarity of a server process."""

    active: ActiveIndex[SimilarityIndex]
    """The index in service."""
    local: LocalIndex[SimilarityIndex]
    """What keeps it up to date."""


def serve_similarity(database: Database, clock: Clock, folder: str) -> ServedSimilarity:
    """Return the similarity index of a server process, with its checkpoint in a folder."""
    local = LocalIndex(SIMILARITY, database, clock, folder)
    return ServedSimilarity(local.active, local)


def open_similarity(database: Database, folder: str, report: ReportProgress) -> SimilarityIndex:
    """Return the similarity index with all changes as of now and the newest model, for a command.

    Raises Refused, with advice, if its checkpoint cannot be written.
    """
    return Checkpoints(SIMILARITY, database, folder).open(report)
