"""Factory of similarity indexes: for a server process, and for a command."""

from typing import Final, NamedTuple

from firmograph.database.connection import Database
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.all_records import ReportProgress
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.local_index import LocalIndex
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.lookalikes.index.index_kind import SIMILARITY
from firmograph.lookalikes.index.similarity_index import SimilarityIndex

MAX_BEHIND: Final = 5_000
"""Changes after the checkpoint above which a command renews it first, with a progress bar."""


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
    checkpoints = Checkpoints(SIMILARITY, database, folder)
    try:
        return checkpoints.up_to_date(MAX_BEHIND, report)
    except OSError as error:
        raise Refused(
            f"The similarity index cannot be written to {checkpoints.path}: {error.strerror}"
        ) from error
