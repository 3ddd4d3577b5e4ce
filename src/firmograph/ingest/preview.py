"""Preview of an import from a file's first rows (docs/reference/import.md#preview).

It needs no database.
"""

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from firmograph.directory.identity import Digests
from firmograph.ingest.preview_columns import ColumnPreviews, PreviewColumn
from firmograph.ingest.reading.date_orders import column_date_orders
from firmograph.ingest.reading.encodings import encoding_label
from firmograph.ingest.reading.mapping import (
    ColumnMapping,
    build_layout,
    build_object_layout,
    build_table_layout,
    fits_table,
)
from firmograph.ingest.reading.readers import RawRow, ReadOptions, RowFile, open_rows
from firmograph.ingest.reading.record_kind import detect_other_kind
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.records.preparation import Preparer
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.unread_values import ColumnCounts, UnreadValues
from firmograph.kit.errors import Refused
from firmograph.security.keyring import new_keyring
from firmograph.security.record_ids import Entity

PREVIEW_ROWS = 1000


class RejectGroup(msgspec.Struct):
    reason: str
    count: int
    lines: list[int]


class Preview(msgspec.Struct, rename="camel"):
    file: str
    kind: str
    format: str
    encoding: str | None
    delimiter: str | None
    sheet: str | None
    other_sheets: list[str]
    """Sheets of a workbook that are not read."""
    rows: int
    """Number of rows read."""
    complete: bool
    """Whether these are all rows."""
    columns: list[PreviewColumn]
    unread: dict[str, UnreadValues]
    """Unread values by column, as in the summary of an import."""
    repaired: UnreadValues
    """Rows with quotation marks or signs that would be repaired."""
    skipped: UnreadValues
    """Lines that are no rows, up to the last row read."""
    unknown: dict[str, int]
    """Number of rows with a value under each column or JSON key that nothing reads."""
    rejected: list[RejectGroup]
    looks_like: str | None
    """The other kind, if the columns are typical of it."""
    problem: str | None
    """Why the file cannot be imported as it is."""
    local_numbers: int
    """Telephone numbers that are unread for lack of a country."""


class PreviewResult(msgspec.Struct):
    preview: Preview
    layout: Layout | None
    lost: int
    """Rejected rows with which data would be lost."""
    unread: int
    """Values that cannot be read."""
    samples: dict[str, list[str]]
    """The first different unread values of each column."""


def preview_file(entity: Entity, path: Path, mapping: ColumnMapping, reading: ReadOptions) -> PreviewResult:
    """Return the preview of a file from its first rows. Raises Refused when the file cannot be read."""
    with open_rows(path, reading, fits_table(mapping, entity, path)) as file:
        given, complete = _first_rows(file)
        rows = [row for row in given if not row.is_skipped]
        layout, problem = _layout(file, mapping, entity)
        columns = ColumnPreviews(file, mapping, layout, rows, entity)
        values, rejects = _count_as_import(entity, copy.deepcopy(layout), file, given)
        skipped = {row.line for row in given if row.is_skipped}
        return PreviewResult(
            Preview(
                file=str(path),
                kind=entity.plural,
                format=file.format,
                encoding=encoding_label(file.options.encoding) or None,
                delimiter=file.delimiter or None,
                sheet=file.options.sheet or None,
                other_sheets=file.other_sheets,
                rows=len(rows),
                complete=complete,
                columns=list(columns.previewed()),
                unread=values.unread,
                repaired=values.repaired,
                skipped=values.skipped,
                unknown=values.unknown,
                rejected=_group_rejects(reject for reject in rejects if reject.line not in skipped),
                looks_like=other.plural if (other := detect_other_kind(columns.names, entity)) else None,
                problem=problem,
                local_numbers=values.local_numbers,
            ),
            layout,
            sum(reject.is_lost for reject in rejects),
            values.count_unread(),
            values.samples,
        )


def _first_rows(file: RowFile) -> tuple[list[RawRow], bool]:
    """Return the first rows with the skipped lines between them, and whether the file has no more."""
    found: list[RawRow] = []
    count = 0
    for row in file:
        count += not row.is_skipped
        if count > PREVIEW_ROWS:
            return found, False
        found.append(row)
    return found, True


def _layout(file: RowFile, mapping: ColumnMapping, entity: Entity) -> tuple[Layout | None, str | None]:
    if file.columns is None:
        return build_object_layout(mapping, entity), None
    try:
        layout = build_table_layout(file.columns, mapping, entity, file.path)
        layout.date_orders = column_date_orders(file)
        return layout, None
    except Refused as refusal:
        return build_layout(file.columns, mapping, entity, file.path), refusal.message


def _count_as_import(
    entity: Entity, layout: Layout | None, file: RowFile, rows: Sequence[RawRow]
) -> tuple[ColumnCounts, list[Reject]]:
    """Return values and rejects as an import would count them."""
    # the digests are discarded, so any keyring will do
    preparer = Preparer(entity, Digests(new_keyring()), "", layout, file.options)
    preparer.count_repaired_header(file.repaired_header)
    _, rejects = (
        preparer.prepare_contacts(rows) if entity is Entity.CONTACT else preparer.prepare_companies(rows)
    )
    return preparer.take_counts(), rejects


def _group_rejects(rejects: Iterable[Reject]) -> list[RejectGroup]:
    found: dict[str, UnreadValues] = {}
    for reject in rejects:
        found.setdefault(reject.reason, UnreadValues()).add(UnreadValues(1, [reject.line]))
    return [RejectGroup(reason, lines.count, lines.lines) for reason, lines in found.items()]
