"""Search for names alike in the index of the process, where it has every change of a company."""

from collections.abc import Sequence

from firmograph.company_names.index_kind import CompanyNames
from firmograph.database.connection import Session
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.company_changes import has_all_companies
from firmograph.kit.errors import Loading


class CurrentNames:
    """Search for the companies that names mean; it finds none while the index loads or lags."""

    def __init__(self, active: ActiveIndex[CompanyNames], threshold: float, margin: float) -> None:
        self._active = active
        self._threshold = threshold
        self._margin = margin

    def find(self, session: Session, names: Sequence[str]) -> list[int | None]:
        """Return the number of the company that each name means; one statement."""
        try:
            index = self._active.current
        except Loading:
            return [None] * len(names)
        if not has_all_companies(session, index.applied):
            return [None] * len(names)
        return [index.find(name, self._threshold, self._margin).answer for name in names]
