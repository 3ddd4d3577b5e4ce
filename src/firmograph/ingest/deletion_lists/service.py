"""Application of deletion lists (docs/reference/deletion-lists.md).

The people that a list names are suppressed by the code of `suppress`. Each hash is kept as a keyed digest with its
first answer, so that imports keep out who comes later, and the same list gives the same answers again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.contact_scans import (
    StoredIdentifiers,
    identifiers_after,
    identifiers_of,
    last_contact,
)
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_key
from firmograph.ingest.commits import Commits
from firmograph.ingest.merging.store import changed_after, last_change
from firmograph.kit.clock import Clock, day_number
from firmograph.kit.errors import FirmographError
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.deletion_lists.list_file import DeletionList, ListedHash
from firmograph.privacy.deletion_lists.listed_hashes import (
    DeletionStatus,
    add_missing,
    contact_digests,
    delete_listed,
    put_matched,
    statuses_of,
)
from firmograph.privacy.digest_spool import DigestSpool, SortedDigests
from firmograph.privacy.held_values import HeldValues
from firmograph.privacy.person_keys import read_names
from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity

_MOST_SHARING: Final = 10
"""People who may share an identifier before an operator is asked."""
_AT_ONCE: Final = 5
"""Hashes of a transaction that suppresses, so that it holds the writer briefly."""
_PART: Final = 5_000
"""Hashes of a commit, which holds the writer for a few milliseconds."""
_ANSWERED: Final = 20_000
"""Answers that are looked up together."""

_Matches = Mapping[bytes, Sequence[int]]
"""Contacts by digest."""


class AppliedLists(NamedTuple):
    """Result of an application of lists."""

    hashes: int
    """Hashes of all lists."""
    matched: int
    """Hashes that named one person or several, who went."""
    records: int
    """Removed records."""
    shared: int
    """Hashes that too many people share, for which nothing was done."""
    lifted: int
    """Hashes that were stored and taken back."""


class Observer(NamedTuple):
    on_wait: Callable[[FirmographError], None] = lambda why: None
    on_progress: Callable[[int, int], None] = lambda done, total: None
    """Receives the record numbers done, and the last one."""


NOBODY: Final = Observer()


class DeletionLists:
    """Hashed deletion lists of one database."""

    def __init__(
        self,
        database: Database,
        digests: Digests,
        clock: Clock,
        suppression: Suppression,
        values: HeldValues,
    ) -> None:
        self._database = database
        self._digests = digests
        self._clock = clock
        self._suppression = suppression
        self._values = values

    def apply(
        self,
        lists: Sequence[DeletionList],
        *,
        shared: bool,
        lift: bool = False,
        observer: Observer = NOBODY,
    ) -> AppliedLists:
        """Apply lists; with `lift` take them back. Reads all of them before it changes anything.

        Withdrawn ones are taken back in any case. `shared` also opts out the people of an identifier that more than
        ten share. Raises Refused for a line without a hash. After an interruption the same call does the rest.
        """
        commits = Commits(self._database, observer.on_wait)
        with DigestSpool() as listed, DigestSpool() as withdrawn:
            for each in lists:
                if each.is_read:
                    spool = withdrawn if lift or each.is_withdrawn else listed
                    for row in each.rows():
                        spool.add(self._digests.identifier_hash(row.sha256))
            lifted = sum(
                commits.run_with_retry(partial(self._lift, part)) for part in withdrawn.sorted_parts(_PART)
            )
            done = self.keep_out(listed, shared=shared, observer=observer, notify=True)
            applied = done._replace(hashes=listed.count + withdrawn.count, lifted=lifted)
        commits.run_with_retry(
            partial(self._record, "privacy drop --lift" if lift else "privacy drop", applied)
        )
        return applied

    def keep_out(
        self, listed: DigestSpool, *, shared: bool, observer: Observer = NOBODY, notify: bool
    ) -> AppliedLists:
        """Suppress the people of digests and store these; `notify` queues opt-out notices.

        Values next to records go too, with the address or number alone.
        """
        commits = Commits(self._database, observer.on_wait)
        if not listed.count:
            return AppliedLists(0, 0, 0, 0, 0)
        day = day_number(self._clock.seconds())
        with self._database.read() as session:
            position, last = last_change(session), last_contact(session)
        known = SortedDigests(listed)
        matches = self._match(known, self._pages(commits, last, observer.on_progress))
        left = set[bytes]() if shared else self._shared(matches)
        records = self._suppress(commits, {one: matches[one] for one in matches.keys() - left}, day, notify)
        for part in listed.sorted_parts(_PART):
            new = [digest for digest in part if digest not in left]
            commits.run_with_retry(partial(self._add, new, day))
        # who came or changed since was asked for against the lists as they were
        changed = self._match(known, [self._changed_since(position)])
        again = {one: numbers for one, numbers in changed.items() if one not in left}
        records += self._suppress(commits, again, day, notify)
        commits.run_with_retry(partial(self._values.review, self._database))
        return AppliedLists(listed.count, len(matches.keys() | again) - len(left), records, len(left), 0)

    def answers(self, rows: Iterable[ListedHash]) -> Iterator[tuple[str, DeletionStatus]]:
        """Yield the id and the status of each line of a list that was applied, without those left for being shared."""
        lines = iter(rows)
        while part := list(islice(lines, _ANSWERED)):
            digests = [self._digests.identifier_hash(row.sha256) for row in part]
            with self._database.read() as session:
                statuses = statuses_of(session, set(digests))
            for row, digest in zip(part, digests, strict=True):
                if digest in statuses:
                    yield row.id, statuses[digest]

    # --- matching ---

    def _pages(
        self, commits: Commits, last: int, on_progress: Callable[[int, int], None]
    ) -> Iterator[list[StoredIdentifiers]]:
        after = 0
        while page := commits.run_with_retry(partial(self._read_page, after)):
            yield page
            after = page[-1][0]
            on_progress(min(after, last), last)

    def _read_page(self, after: int) -> list[StoredIdentifiers]:
        with self._database.read() as session:
            return identifiers_after(session, after)

    def _changed_since(self, position: int) -> list[StoredIdentifiers]:
        with self._database.read() as session:
            return identifiers_of(session, sorted(changed_after(session, position)[Entity.CONTACT]))

    def _match(
        self, known: SortedDigests, pages: Iterable[Sequence[StoredIdentifiers]]
    ) -> dict[bytes, list[int]]:
        """Return the contacts of each digest that a list has."""
        matches: dict[bytes, list[int]] = defaultdict(list)
        for page in pages:
            asked = [
                (digest, number)
                for number, parts in page
                for digest in set(contact_digests(self._digests, parts))
            ]
            for index in known.find([digest for digest, _ in asked]):
                digest, number = asked[index]
                matches[digest].append(number)
        return matches

    def _shared(self, matches: _Matches) -> set[bytes]:
        """Return the digests that too many people share."""
        many = {digest: numbers for digest, numbers in matches.items() if len(numbers) > _MOST_SHARING}
        with self._database.read() as session:
            return {digest for digest, each in many.items() if _count_people(session, each) > _MOST_SHARING}

    # --- changes ---

    def _suppress(self, commits: Commits, matches: _Matches, day: int, notify: bool) -> int:
        """Store the statuses of digests, and suppress the people; return the number of removed records."""
        removed, waiting = 0, iter(sorted(matches.items()))
        while part := dict(islice(waiting, _AT_ONCE)):
            # first the answer: an interrupted run would find nobody the next time
            commits.run_with_retry(partial(self._put, part, day))
            removed += commits.run_with_retry(partial(self._suppression.suppress_listed, part, notify=notify))
        return removed

    def _put(self, part: _Matches, day: int) -> None:
        with self._database.write(RECORDS) as session:
            statuses = {
                digest: DeletionStatus.OPTED_OUT
                if _count_people(session, numbers) > 1
                else DeletionStatus.REMOVED
                for digest, numbers in part.items()
            }
            put_matched(session, statuses, day)

    def _add(self, digests: Sequence[bytes], day: int) -> None:
        with self._database.write(RECORDS) as session:
            add_missing(session, digests, day)

    def _lift(self, digests: Sequence[bytes]) -> int:
        with self._database.write(RECORDS) as session:
            listed = delete_listed(session, digests)
            self._suppression.lift_listed(session, listed)
            return len(listed)

    def _record(self, action: str, applied: AppliedLists) -> None:
        with self._database.write(None) as session:
            OperatorAudit().record(session, self._clock.seconds(), action, details=applied._asdict())


def _count_people(session: Session, numbers: Iterable[int]) -> int:
    """Return how many names the contacts have: records of one name are one person."""
    return len({full_name_key(*read_names(session, number)) for number in numbers})
