"""Every record of a database, decoded, for the build of an index."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

from firmograph.database.connection import Database
from firmograph.indexing import store
from firmograph.indexing.change_batches import (
    DecodedCompany,
    DecodedContact,
    decode_companies,
    decode_contacts,
)
from firmograph.security.record_ids import Entity

_CHUNK_SIZE: Final = 2_000
"""Records read at a time."""

T = TypeVar("T")

ReportProgress = Callable[[int, int], None]
"""Called with the number of records done and their total."""


class RecordCounts(NamedTuple):
    companies: int
    contacts: int

    @property
    def all(self) -> int:
        return self.companies + self.contacts


def record_counts(database: Database) -> RecordCounts:
    """Return upper bounds of the numbers of records."""
    session = database.session()
    return RecordCounts(
        store.highest_number(session, Entity.COMPANY), store.highest_number(session, Entity.CONTACT)
    )


class AllRecords:
    """Companies and contacts in the order of their numbers; read the companies first.

    Exceptions of `report` are passed on, so that it can end a build.
    """

    def __init__(self, database: Database, report: ReportProgress) -> None:
        self.sequence = store.head(database.session())
        """End of the change sequence before reading began. Later changes may be in the records already."""
        self.database = database
        self._report = report
        self._counts = record_counts(database)

    def companies(self) -> Iterator[list[DecodedCompany]]:
        """Yield every company in chunks."""
        return self._chunks(store.companies_after, decode_companies, 0)

    def contacts(self) -> Iterator[list[DecodedContact]]:
        """Yield every contact in chunks."""
        return self._chunks(store.contacts_after, decode_contacts, self._counts.companies)

    def report_end(self) -> None:
        self._report(self._counts.all, self._counts.all)

    def _chunks(
        self, records_after: Callable[..., list[Any]], decode: Callable[..., list[T]], done: int
    ) -> Iterator[list[T]]:
        number = 0
        while records := records_after(self.database.session(), number, _CHUNK_SIZE):
            number = records[-1].number
            # signals that change after the records were read are followed like all later changes
            yield decode(self.database.session(), records)
            self._report(min(done + number, self._counts.all), self._counts.all)
