"""What rows of contacts say of their employers, put among the rows of companies of the same source."""

from collections.abc import Callable, Collection, Sequence

from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.records.prepared_rows import PreparedCompany, PreparedContact


class Employers:
    """The employers of a stretch of rows, as far as these say more of them than who they are."""

    def __init__(self, rows: Sequence[PreparedContact], blocked: Collection[int]) -> None:
        self._said = {
            row.line: row.employer_row for row in rows if row.employer_row and row.line not in blocked
        }
        self._first: dict[tuple[str, bytes], PreparedCompany] = {}
        """Of rows that say the same of an employer the first."""
        for said in self._said.values():
            self._first.setdefault((said.source_id, said.row), said)
        self.changed: set[int] = set()
        """The lines that made or changed a record of a company."""
        self._numbers: dict[int, int] = {}

    def apply(self, batch: CompanyBatch, in_time: Callable[[], bool]) -> None:
        """Put the rows among those of their companies, at least one, and more as long as it is in time."""
        if self._first:
            outcomes = batch.apply(list(self._first.values()), in_time)
            self.changed = {outcome.line for outcome in outcomes if outcome.created or outcome.updated}
            self._numbers = batch.numbers

    def is_left(self, line: int) -> bool:
        """Whether the time was over before the employer of this row had its turn."""
        return line in self._said and self.number(line) is None

    def number(self, line: int) -> int | None:
        """The number of the record that the employer of a row is; None where the row only names it."""
        said = self._said.get(line)
        return self._numbers.get(self._first[said.source_id, said.row].line) if said else None
