"""Services of the rows, columns and runs of tables."""

from typing import Final

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.paid_units import PaidUnits
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.installation import Installation, Services
from firmograph.record_tables.access import TableAccess
from firmograph.record_tables.column_calls.calls import ColumnCalls
from firmograph.record_tables.column_calls.service import Columns
from firmograph.record_tables.columns.catalog_kind import CatalogKind
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.columns.score_kind import ScoreKind
from firmograph.record_tables.columns.signal_kind import SignalKind
from firmograph.record_tables.creation import TableCreation
from firmograph.record_tables.deletion.revision import TableCellRevision
from firmograph.record_tables.export.table_export import TableExport
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.addition import RowAddition
from firmograph.record_tables.rows.calls import RowCalls
from firmograph.record_tables.rows.reading import RowReader
from firmograph.record_tables.runs.service import TableRuns
from firmograph.record_tables.table_write import TableWriter
from firmograph.record_tables.views import TableViews
from firmograph.signals.event_renderer import EventRenderer
from firmograph.table_rows import CellRevision, RowWriter


def _column_kinds(installation: Installation) -> ColumnKinds:
    signals = SignalKind(installation.get(EventRenderer))
    renderer = RecordRenderer(installation.record_ids, installation.get(PaidUnits))
    catalog = CatalogKind(renderer, installation.get(PaidUnits))
    return ColumnKinds({"lusha": catalog, "signal": signals, "score": ScoreKind()})


def _creation(installation: Installation) -> TableCreation:
    ids = installation.get(TableIds)
    return TableCreation(
        installation.get(ChargedCalls),
        installation.record_ids,
        TableAccess(ids),
        ids,
        installation.get(RowAddition),
        installation.get(TableViews),
    )


def _row_calls(installation: Installation) -> RowCalls:
    return RowCalls(
        installation.database,
        installation.get(ChargedCalls),
        installation.record_ids,
        TableAccess(installation.get(TableIds)),
        installation.get(RowAddition),
        installation.get(RowReader),
    )


def _column_calls(installation: Installation) -> ColumnCalls:
    ids = installation.get(TableIds)
    return ColumnCalls(
        installation.database,
        installation.get(ChargedCalls),
        TableAccess(ids),
        ids,
        installation.get(TableViews),
        installation.get(RecordLookup).queries,
        Columns(),
    )


def _row_addition(installation: Installation) -> RowAddition:
    return RowAddition(installation.get(ColumnKinds), installation.get(PaidUnits))


def _row_reader(installation: Installation) -> RowReader:
    return RowReader(installation.get(ColumnKinds), installation.get(TableIds), installation.record_ids)


def _row_writer(installation: Installation) -> TableWriter:
    return TableWriter(
        installation.database,
        installation.get(TableIds),
        installation.get(RowAddition),
        Columns(),
        installation.get(ColumnKinds),
        installation.get(PaidUnits),
    )


def _table_runs(installation: Installation) -> TableRuns:
    return TableRuns(
        installation.database,
        TableAccess(installation.get(TableIds)),
        installation.get(ColumnKinds),
        AffordableCharges(installation.get(PaidUnits)),
    )


def _table_export(installation: Installation) -> TableExport:
    kinds, reader = installation.get(ColumnKinds), installation.get(RowReader)
    return TableExport(installation.database, kinds, reader, installation.record_ids)


def _cell_revision(installation: Installation) -> TableCellRevision:
    return TableCellRevision(installation.get(ColumnKinds))


SERVICES: Final[Services] = {
    CellRevision: _cell_revision,
    ColumnCalls: _column_calls,
    ColumnKinds: _column_kinds,
    RowAddition: _row_addition,
    RowCalls: _row_calls,
    RowReader: _row_reader,
    RowWriter: _row_writer,
    TableCreation: _creation,
    TableExport: _table_export,
    TableRuns: _table_runs,
}
