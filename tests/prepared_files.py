"""What an import makes of a file, without a database."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from firmograph.ingest.reading.mapping import NO_MAPPING, build_object_layout, build_table_layout
from firmograph.ingest.reading.readers import AUTODETECT, ReadOptions, open_rows
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.unread_values import ColumnCounts
from firmograph.security.record_ids import Entity
from record_factory import DIGESTS


class PreparedFile(NamedTuple):
    records: list[dict[str, Any]]
    """The rows as they are stored."""
    rejects: list[Reject]
    counts: ColumnCounts

    def unread(self) -> dict[str, list[int]]:
        """Return the lines of unread values by column."""
        return {column: values.lines for column, values in self.counts.unread.items()}


def prepare(path: Path, entity: Entity = Entity.CONTACT, reading: ReadOptions = AUTODETECT) -> PreparedFile:
    with open_rows(path, reading) as rows:
        if rows.columns is None:
            layout = build_object_layout(NO_MAPPING, entity)
        else:
            layout = build_table_layout(rows.columns, NO_MAPPING, entity, path)
        preparer = Preparer(entity, DIGESTS, "tests", layout)
        prepared, rejects = (
            preparer.prepare_contacts(rows) if entity is Entity.CONTACT else preparer.prepare_companies(rows)
        )
    return PreparedFile([json.loads(one.row) for one in prepared], rejects, preparer.take_counts())
