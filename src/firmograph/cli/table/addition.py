"""Addition of the rows of a file to a table, in batches that are each found, charged and added as one."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec

from firmograph.cli.given_rows import GivenRow, open_given_rows
from firmograph.cli.import_run import print_other_sheets
from firmograph.cli.table.options import NOBODY, OpenTable
from firmograph.database.connection import Session
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.names import split_full_name
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.ingest.rejects import RejectsFile
from firmograph.kit.errors import BadRequest, Forbidden, PaymentRequired, Refused
from firmograph.record_tables import shapes
from firmograph.record_tables.rows.calls import RowCalls
from firmograph.record_tables.types import MOST_IDS
from firmograph.security.record_ids import Entity

Q = TypeVar("Q")

_NOT_FOUND: Final = "no such record"
_SUPPRESSED: Final = "suppressed"

ReportProgress = Callable[[int, int], None]
"""Takes the number of bytes read and in all."""


class AddedFile(NamedTuple):
    """Result for a whole file."""

    added: int
    present: int
    """Rows of the table before, and repeated ones of the file."""
    rejected: int
    credits: int
    lost: int = 0
    """Rejected rows without those of suppressed people."""
    counts: ColumnCounts = ColumnCounts()
    """Unread values, repaired and skipped lines, unknown columns and keys."""
    encoding: str = ""
    """Of a text file, else empty."""
    delimiter: str = ""
    """Of CSV, else empty."""


class RowFinder:
    """Finder of the records that rows name, by the rules of search."""

    def __init__(self, lookup: RecordLookup, entity: Entity) -> None:
        self._lookup = lookup
        self._entity = entity

    def find(self, session: Session, rows: Sequence[GivenRow]) -> list[int | str]:
        """Return for each row the number of its record, or why it has none. At most five statements."""
        found: list[int | str] = [row.problem for row in rows]
        if self._entity is Entity.CONTACT:
            contacts = dict(self._queries(rows, found, self._contact))
            hits = self._lookup.contacts(session, list(contacts.values())) if contacts else []
            for index, hit in zip(contacts, hits, strict=True):
                if hit.contact is not None:
                    found[index] = hit.contact.number
                else:
                    found[index] = _SUPPRESSED if hit.restricted else _NOT_FOUND
            return found
        companies = dict(self._queries(rows, found, self._company))
        matches = self._lookup.companies(session, list(companies.values())) if companies else []
        for index, match in zip(companies, matches, strict=True):
            found[index] = _NOT_FOUND if match is None else match.number
        return found

    def _queries(
        self, rows: Sequence[GivenRow], found: list[int | str], read: Callable[[GivenRow], Q]
    ) -> Iterator[tuple[int, Q]]:
        """Yield the query of each row that has one; the problems of others go to `found`."""
        for index, row in enumerate(rows):
            if row.identifiers:
                try:
                    yield index, read(row)
                except BadRequest as error:
                    found[index] = error.message.strip()

    def _contact(self, row: GivenRow) -> ContactQuery:
        given = dict(row.identifiers)
        full_name = given.pop("full_name", None)
        if full_name is not None and not {"first_name", "last_name"} <= given.keys():
            first, last = split_full_name(full_name)
            if first and (last or given.keys().isdisjoint(("first_name", "last_name"))):
                given |= {"first_name": first, "last_name": last}
        return self._lookup.queries.contact((), **given)

    def _company(self, row: GivenRow) -> CompanyQuery:
        return self._lookup.queries.company((), **row.identifiers)


def add_file(
    opened: OpenTable,
    path: Path,
    rejects: RejectsFile,
    report: ReportProgress,
    sheet: str = "",
) -> AddedFile:
    """Add the rows of a file; those that name no record, and footers, go to the rejects.

    Each batch is one transaction with its charge. Raises Refused, with what was added before, where rows do not fit or
    credits do not suffice; the same file can be added again, as rows that are there are added and charged only once.
    """
    total = AddedFile(0, 0, 0, 0)
    entity = opened.table.entity
    finder = RowFinder(opened.installation.get(RecordLookup), entity)
    with open_given_rows(path, entity, sheet) as given, rejects:
        if not sheet:
            print_other_sheets(path, given.file.options.sheet, given.file.other_sheets)
        for batch in _batches(given.rows):
            try:
                total = _add_batch(opened, finder, batch, rejects, total)
            except (Forbidden, PaymentRequired) as error:
                raise Refused(_describe_stop(total, batch[0].line, error.message)) from error
            report(given.file.bytes_read(), given.file.bytes_total)
    return total._replace(
        counts=given.counts, encoding=given.file.options.encoding, delimiter=given.file.delimiter
    )


def _add_batch(
    opened: OpenTable,
    finder: RowFinder,
    batch: Sequence[GivenRow],
    rejects: RejectsFile,
    total: AddedFile,
) -> AddedFile:
    """Add a batch and return the total with it."""
    with opened.installation.database.read() as session:
        found = finder.find(session, batch)
    # before the charge: rejects that cannot be written refuse the batch
    rejected = _reject(rejects, batch, found)
    added, credits, missing = _add(opened, [number for number in found if isinstance(number, int)])
    # suppressed or deleted since they were found
    rejected += _reject(rejects, batch, [_NOT_FOUND if number in missing else 0 for number in found])
    given = sum(not row.is_skipped for row in batch)
    return AddedFile(
        total.added + added,
        total.present + given - len(rejected) - added,
        total.rejected + len(rejected),
        total.credits + credits,
        total.lost + sum(reject.is_lost for reject in rejected),
    )


def _add(opened: OpenTable, numbers: Sequence[int]) -> tuple[int, int, set[int]]:
    """Add records; return how many are new rows, the credits charged, and the numbers without a record."""
    installation, given = opened.installation, opened.table
    seal = installation.record_ids.seal
    ids = {seal(given.entity, number): number for number in numbers}
    shape = shapes.AddContacts if given.entity is Entity.CONTACT else shapes.AddCompanies
    body = shape(owner=shapes.ActingUser(NOBODY), entity_ids=list(ids))
    request = msgspec.structs.replace(opened.request, at=installation.clock.seconds())
    charged = installation.get(RowCalls).add(request, body, given.entity, given.table_id)
    return charged.content.added, charged.credits, {ids[id] for id in charged.content.invalid_ids}


def _reject(rejects: RejectsFile, batch: Sequence[GivenRow], found: Sequence[int | str]) -> list[Reject]:
    """Write the lines for which a reason was found to the rejects; return those that are rows."""
    rejected = []
    for row, reason in zip(batch, found, strict=True):
        if isinstance(reason, str):
            is_lost = not row.is_skipped and reason != _SUPPRESSED
            rejects.add(reject := Reject(row.line, reason, is_lost=is_lost), "")
            if not row.is_skipped:
                rejected.append(reject)
    return rejected


def _batches(rows: Iterator[GivenRow]) -> Iterator[list[GivenRow]]:
    while batch := list(islice(rows, MOST_IDS)):
        yield batch


def _describe_stop(total: AddedFile, line: int, problem: str) -> str:
    before = f"{total.added:,} rows were added for {total.credits:,} credits before line {line}"
    return f"{problem} ({before}; add the file again to continue)"
