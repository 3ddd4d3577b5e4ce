"""Do-not-call marks of contacts that are held, after the registry changed."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from firmograph.database.connection import EVERY_ACCOUNT, RECORDS, SUBSCRIPTIONS, Database, Session
from firmograph.directory.contact_json import decode_phones
from firmograph.directory.contact_scans import identifiers_after, last_contact
from firmograph.directory.identity import Digests
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.commits import Commits, run_in_time
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.record_state import write_records
from firmograph.ingest.merging.store import last_change, load_changes, number_sources, set_counter
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.privacy.do_not_call.registry import MARKED_POSITION, numbers_on_do_not_call
from firmograph.privacy.held_values import HeldValues
from firmograph.security.record_ids import Entity
from firmograph.table_rows import CellRevision


class _MarkedBatch(ContactBatch):
    """Contacts whose rows stay, marked again."""

    def mark(self, numbers: Sequence[int]) -> list[int]:
        """Write the contacts whose marks change; return their numbers."""
        self._load_records(numbers)
        batch = self._contacts.values()
        for contact in batch:
            rows = contact.rows
            # bodies are needed to merge, and are not stored: that of an only row is the record
            contact.rows = dict(rows)
            contact.fill_rows()
            self._merge_rows(contact)
            contact.rows, contact.changed_rows = rows, set()
        write_records(self._session, Entity.CONTACT, batch)
        changed = [contact.number for contact in batch if contact.changed]
        load_changes(self._session, Entity.CONTACT, changed)
        return changed


class Remarking:
    """Marking of the contacts that are held, in commits as short as those of imports.

    What is left to mark is found by the marks themselves, so another run does what one that was killed left.
    """

    def __init__(
        self, database: Database, digests: Digests, clock: Clock, cells: CellRevision, values: HeldValues
    ) -> None:
        self._database = database
        self._digests = digests
        self._clock = clock
        self._cells = cells
        self._values = values
        self._linker = Linker(digests)
        self._commits = Commits(database)

    def run(
        self,
        *,
        lifts: bool,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Mark contacts with numbers of the registry; with `lifts` take marks that nothing states any more.

        Values next to records are marked too.

        Return the number of changed contacts. `on_progress` receives the record numbers done, and the last one. Reads
        the telephone numbers of all contacts.
        """
        self._commits = Commits(self._database, on_wait)
        with self._database.read() as session:
            last = last_contact(session)
        changed = 0
        for reached, numbers in self._pages(lifts=lifts):
            done = 0
            while done < len(numbers):
                part = numbers[done : done + self._commits.size]
                size, marked = self._commits.run_with_retry(partial(self._commit, part))
                done += size
                changed += marked
            on_progress(min(reached, last), last)
        self._commits.run_with_retry(partial(self._values.review, self._database))
        return changed

    def _pages(self, *, lifts: bool) -> Iterator[tuple[int, list[int]]]:
        """Yield the last number of each page of contacts, and those whose marks may change."""
        after: int | None = 0
        while after is not None:
            page = self._commits.run_with_retry(partial(self._read_page, after, lifts=lifts))
            after = page[0] if page else None
            if page:
                yield page

    def _read_page(self, after: int, *, lifts: bool) -> tuple[int, list[int]] | None:
        with self._database.read() as session:
            page = [(number, decode_phones(parts)) for number, parts in identifiers_after(session, after)]
            if not page:
                return None
            every = {phone.number for _, phones in page for phone in phones}
            listed = numbers_on_do_not_call(session, self._digests, every)
        found = [
            number
            for number, phones in page
            if any(
                (phone.number in listed and not phone.do_not_call)
                or (lifts and phone.do_not_call and phone.number not in listed)
                for phone in phones
            )
        ]
        return page[-1][0], found

    def _commit(self, part: Sequence[int]) -> tuple[int, int]:
        """Mark contacts in their order until the time is up; return how many are done, and how many changed."""
        changed: list[int] = []
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                done = run_in_time(
                    part, self._commits.lock_seconds / 2, lambda few: changed.extend(self._mark(session, few))
                )
                if changed:
                    set_counter(session, MARKED_POSITION, last_change(session))
                    session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
                    self._cells.restate_marks(session, changed, self._clock.seconds())
        finally:
            self._linker.abandon()
        self._commits.pace(done, time.monotonic() - began)
        return done, len(changed)

    def _mark(self, session: Session, numbers: Sequence[int]) -> list[int]:
        sources = number_sources(session, STUB_SOURCE)
        batch = _MarkedBatch(session, self._digests, self._linker, sources, STUB_SOURCE, "")
        return batch.mark(numbers)
