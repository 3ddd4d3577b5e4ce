"""Merged records with the source and day of each value, and the rows that they were merged from."""

from collections.abc import Sequence
from typing import NamedTuple

from firmograph.ingest.merging.split import RecordSplitter, RecordView
from firmograph.kit.errors import Refused
from firmograph.privacy.person_reports import HeldRecords, ReportedRecord, ReportedRow, ReportedValue
from firmograph.record_export.native import RecordValue, record_values
from firmograph.record_export.service import RecordExport
from firmograph.security.record_ids import Entity, RecordIds


class RecordOrigin(NamedTuple):
    """Record with its rows and values."""

    record: RecordView
    values: Sequence[RecordValue]


class RecordOrigins(HeldRecords):
    """Reader of records for `firmograph record show`, and of contacts for reports on people."""

    def __init__(self, splitter: RecordSplitter, export: RecordExport, record_ids: RecordIds) -> None:
        self._splitter = splitter
        self._export = export
        self._record_ids = record_ids

    def show(self, id: str) -> RecordOrigin:
        """Return a record. Raises Refused if none has this id."""
        record = self._splitter.show(id)
        exported = self._export.one(record.entity, record.number)
        if exported is None:
            raise Refused("The record was deleted just now")
        return RecordOrigin(record, list(record_values(exported)))

    def read(self, number: int) -> ReportedRecord | None:
        """Return a contact, None if it does not exist."""
        try:
            record, values = self.show(self._record_ids.seal(Entity.CONTACT, number))
        except Refused:
            return None
        return ReportedRecord(
            record.id,
            [
                ReportedValue(
                    each.path, each.value, each.origin and each.origin.source, each.origin and each.origin.day
                )
                for each in values
            ],
            [ReportedRow(row.source, row.source_id, row.day, row.versions) for row in record.rows],
        )
