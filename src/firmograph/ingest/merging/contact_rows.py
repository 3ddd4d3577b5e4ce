"""Rows of one batch of contacts: their keys, and the rows of their employers."""

from collections.abc import Callable, Collection, Sequence

from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.contact_state import PersonNames
from firmograph.ingest.records.prepared_rows import PreparedCompany, PreparedContact


class KeyedContactRow:
    """A prepared row with its keys, strongest first, and its employer's record."""

    __slots__ = ("company_id", "emails_from", "name_only", "prepared", "roles_from", "strong")

    def __init__(self, prepared: PreparedContact) -> None:
        self.prepared = prepared
        self.company_id: int | None = None
        keys = [key for key in (prepared.source_digest, prepared.linkedin_digest) if key is not None]
        self.emails_from = len(keys)
        """Index of the first e-mail among the keys."""
        self.strong = keys + prepared.email_digests + prepared.role_digests
        self.roles_from = len(self.strong) - len(prepared.role_digests)
        """Index of the first role mailbox among the keys."""
        self.name_only = prepared.linkedin_digest is None and len(self.strong) == self.emails_from

    def names(self) -> PersonNames:
        return PersonNames(self.prepared.first_name, self.prepared.last_name)


class EmployerRows:
    """Employer details from rows of contacts, applied as rows of companies of the same source."""

    def __init__(self, rows: Sequence[PreparedContact], blocked: Collection[int]) -> None:
        self._rows = {
            row.line: row.employer_row for row in rows if row.employer_row and row.line not in blocked
        }
        self._first: dict[tuple[str, bytes], PreparedCompany] = {}
        """The first of equal employer rows."""
        for row in self._rows.values():
            self._first.setdefault((row.source_id, row.row), row)
        self.changed: set[int] = set()
        """Lines that created or changed a record of a company."""
        self._numbers: dict[int, int] = {}

    def apply(self, batch: CompanyBatch, in_time: Callable[[], bool]) -> None:
        """Apply employer rows until the time is up, at least one."""
        if self._first:
            outcomes = batch.apply(list(self._first.values()), in_time)
            self.changed = {outcome.line for outcome in outcomes if outcome.created or outcome.updated}
            self._numbers = batch.numbers

    def is_pending(self, line: int) -> bool:
        """Return whether the time was up before the employer of this line was applied."""
        return line in self._rows and self.number(line) is None

    def number(self, line: int) -> int | None:
        """Return the record number of a line's employer; None where the line only names it."""
        row = self._rows.get(line)
        return self._numbers.get(self._first[row.source_id, row.row].line) if row else None
