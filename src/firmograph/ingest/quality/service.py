"""Quality reports: counted over all records, saved and compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.record_store import source_names
from firmograph.directory.records import Company, Contact
from firmograph.ingest.imports import store as imports_store
from firmograph.ingest.merging import store as records_store
from firmograph.ingest.merging.derivation_store import DerivationPosition, last_number, numbers_after
from firmograph.ingest.merging.source_history import Rows
from firmograph.ingest.quality import store
from firmograph.ingest.quality.figures import (
    FigureCounter,
    KindFigures,
    QualityFigures,
    SourceContent,
    UnreadColumn,
)
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.kit.clock import Clock, iso, today
from firmograph.security.record_ids import Entity

_PAGE: Final = 1000
"""Records of one read."""
_ROW_DECODERS: Final = {
    Entity.CONTACT: msgspec.json.Decoder(Contact).decode,
    Entity.COMPANY: msgspec.json.Decoder(Company).decode,
}
_decode_figures = msgspec.json.Decoder(QualityFigures).decode

ReportProgress = Callable[[int, int], None]
"""Called with the number of records done and their total."""


class QualityReport(NamedTuple):
    figures: QualityFigures
    before: QualityFigures | None
    """The figures saved last."""


class QualityReports:
    """Quality reports of one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def report(self, progress: ReportProgress = lambda done, total: None) -> QualityReport:
        """Count all records page by page; records that change during the report count as they are read."""
        with self._database.read() as session:
            totals = {entity: last_number(session, entity) for entity in Entity}
            before = store.select_last(session)
        done = 0
        kinds: dict[Entity, KindFigures] = {}
        for entity, total in totals.items():
            counter = FigureCounter(entity, today(self._clock))
            for number in self._count(entity, counter):
                progress(done + min(number, total), sum(totals.values()))
            done += total
            kinds[entity] = counter.figures
        figures = QualityFigures(
            at=iso(self._clock.seconds()),
            contacts=kinds[Entity.CONTACT],
            companies=kinds[Entity.COMPANY],
            unread=self._unread(),
        )
        return QualityReport(figures, None if before is None else _decode_figures(before))

    def save(self, figures: QualityFigures) -> None:
        """Save the figures of a report, with which the next one is compared."""
        text = msgspec.json.encode(figures).decode()
        with self._database.write(RECORDS) as session:
            store.insert_report(session, self._clock.seconds(), text)

    def _count(self, entity: Entity, counter: FigureCounter) -> Iterator[int]:
        """Count all records of a kind; yield the number of the last one of each page."""
        last = 0
        while True:
            with self._database.read() as session:
                numbers = numbers_after(session, DerivationPosition(entity, last), _PAGE)
                if not numbers:
                    return
                records = _read_records(session, entity, numbers)
                rows = records_store.read_rows(session, entity, list(records))
                names = source_names(session)
            for number, record in records.items():
                if entity is Entity.COMPANY and record.stub:
                    counter.figures.stubs += 1
                    continue
                values = counter.values(record)
                counter.add(record, values, _by_source(entity, counter, names, rows[number], values))
            last = numbers[-1]
            yield last

    def _unread(self) -> list[UnreadColumn]:
        """Return the unread values of the last finished import of each source and kind."""
        with self._database.read() as session:
            done = [each for each in imports_store.select_imports(session) if each.state == "done"]
            unread = imports_store.select_unread(session)
        last = {(each.source, each.kind): each for each in done}
        return [
            UnreadColumn(each.source, each.kind, each.id, column, values)
            for each in last.values()
            for column, values in unread.get(each.id, {}).items()
        ]


def _read_records(session: Session, entity: Entity, numbers: Sequence[int]) -> dict[int, Any]:
    if entity is Entity.COMPANY:
        companies = records_store.read_company_parts(session, numbers)
        return {number: decode_company(parts) for number, parts in companies.items()}
    contacts = records_store.read_contact_parts(session, numbers)
    return {number: decode_contact(parts) for number, (_, parts) in contacts.items()}


def _by_source(
    entity: Entity, counter: FigureCounter, names: Mapping[int, str], rows: Rows, values: Sequence[Any]
) -> dict[str, SourceContent]:
    """Return what each source holds of a record: of several rows the newest value of each field."""
    found: dict[str, SourceContent] = {}
    for (source, _), row in sorted(rows.items(), key=lambda item: item[1].day, reverse=True):
        if source == STUB_SOURCE_NUMBER:
            continue
        # an only row without a body equals its record
        own = values if row.row is None else counter.values(_ROW_DECODERS[entity](row.row))
        newer = found.get(names[source])
        if newer is None:
            found[names[source]] = SourceContent(row.day, own)
        else:
            newer.values = [one or other for one, other in zip(newer.values, own, strict=True)]
    return found
