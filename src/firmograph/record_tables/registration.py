"""Registration of record tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import BackgroundWork, Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint
    from firmograph.privacy.declarations import PersonalData
    from firmograph.record_tables.column_calls import ColumnCalls
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.creation import TableCreation
    from firmograph.record_tables.export.table_export import TableExport
    from firmograph.record_tables.given_names import GivenNames
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.rows.addition import RowAddition
    from firmograph.record_tables.rows.calls import RowCalls
    from firmograph.record_tables.rows.reading import RowReader
    from firmograph.record_tables.runs.metrics import RunMetrics
    from firmograph.record_tables.runs.service import TableRuns
    from firmograph.record_tables.service import Tables
    from firmograph.record_tables.table_write import TableWriter
    from firmograph.record_tables.views import TableViews

_PRICES: Final = {"tableRead": Price(credits=1, per_quantity=25)}


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.record_tables.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _table_ids(installation: Installation) -> "TableIds":
    from firmograph.record_tables.ids import TableIds

    return TableIds(installation.keyring)


def _column_kinds(installation: Installation) -> "ColumnKinds":
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.enrichment.record_renderer import RecordRenderer
    from firmograph.record_tables.columns.catalog_kind import CatalogKind
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.columns.score_kind import ScoreKind
    from firmograph.record_tables.columns.signal_kind import SignalKind
    from firmograph.signals.event_renderer import EventRenderer

    signals = SignalKind(installation.get(EventRenderer))
    renderer = RecordRenderer(installation.record_ids, installation.get(PaidUnits))
    catalog = CatalogKind(renderer, installation.get(PaidUnits))
    return ColumnKinds({"lusha": catalog, "signal": signals, "score": ScoreKind()})


def _table_views(installation: Installation) -> "TableViews":
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.views import TableViews

    return TableViews(installation.get(TableIds), installation.settings.public_url)


def _tables(installation: Installation) -> "Tables":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.record_tables.access import TableAccess
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.service import Tables
    from firmograph.record_tables.views import TableViews

    access = TableAccess(installation.get(TableIds))
    calls, views = installation.get(ChargedCalls), installation.get(TableViews)
    return Tables(installation.database, calls, access, views)


def _creation(installation: Installation) -> "TableCreation":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.record_tables.access import TableAccess
    from firmograph.record_tables.creation import TableCreation
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.rows.addition import RowAddition
    from firmograph.record_tables.views import TableViews

    ids = installation.get(TableIds)
    return TableCreation(
        installation.get(ChargedCalls),
        installation.record_ids,
        TableAccess(ids),
        ids,
        installation.get(RowAddition),
        installation.get(TableViews),
    )


def _row_calls(installation: Installation) -> "RowCalls":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.record_tables.access import TableAccess
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.rows.addition import RowAddition
    from firmograph.record_tables.rows.calls import RowCalls
    from firmograph.record_tables.rows.reading import RowReader

    return RowCalls(
        installation.database,
        installation.get(ChargedCalls),
        installation.record_ids,
        TableAccess(installation.get(TableIds)),
        installation.get(RowAddition),
        installation.get(RowReader),
    )


def _column_calls(installation: Installation) -> "ColumnCalls":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.record_tables.access import TableAccess
    from firmograph.record_tables.column_calls import ColumnCalls
    from firmograph.record_tables.column_service import Columns
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.views import TableViews

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


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.record_tables.column_calls import ColumnCalls
    from firmograph.record_tables.column_routes import routes as column_routes
    from firmograph.record_tables.creation import TableCreation
    from firmograph.record_tables.page_routes import page_endpoint
    from firmograph.record_tables.routes import routes
    from firmograph.record_tables.rows.calls import RowCalls
    from firmograph.record_tables.rows.routes import row_routes
    from firmograph.record_tables.service import Tables

    return [
        *routes(installation.get(Tables), installation.get(TableCreation)),
        *column_routes(installation.get(ColumnCalls)),
        *row_routes(installation.get(RowCalls)),
        page_endpoint(),
    ]


def _row_addition(installation: Installation) -> "RowAddition":
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.rows.addition import RowAddition

    return RowAddition(installation.get(ColumnKinds), installation.get(PaidUnits))


def _row_reader(installation: Installation) -> "RowReader":
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.rows.reading import RowReader

    return RowReader(installation.get(ColumnKinds), installation.get(TableIds), installation.record_ids)


def _run_metrics(installation: Installation) -> "RunMetrics":
    from firmograph.api.metrics import Metrics
    from firmograph.record_tables.runs.metrics import RunMetrics

    return RunMetrics(installation.get(Metrics))


def _metrics(installation: Installation) -> None:
    from firmograph.record_tables.runs.metrics import RunMetrics

    installation.get(RunMetrics)


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    from firmograph.billing.affordable_charge import AffordableCharges
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.billing.plans import Plans
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.purge import Purge
    from firmograph.record_tables.runs.filling import RunFilling
    from firmograph.record_tables.runs.metrics import RunMetrics
    from firmograph.record_tables.runs.queue import RunQueue
    from firmograph.record_tables.runs.worker import RunTurns, create_run_worker

    database, clock, metrics = installation.database, installation.clock, installation.get(RunMetrics)
    charges = AffordableCharges(installation.get(PaidUnits))
    filling = RunFilling(database, clock, installation.get(ColumnKinds), charges)
    worker = create_run_worker(
        RunQueue(database, clock, installation.get(Plans)),
        RunTurns(filling, metrics.count_cells),
        clock,
        metrics,
        steps={"purge": Purge(database).step},
    )
    metrics.watch_in_flight(lambda: worker.in_flight)
    return [BackgroundWork("tables", "turns at runs done", worker)]


def _table_writer(installation: Installation) -> "TableWriter":
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.record_tables.column_service import Columns
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.rows.addition import RowAddition
    from firmograph.record_tables.table_write import TableWriter

    return TableWriter(
        installation.database,
        installation.get(TableIds),
        installation.get(RowAddition),
        Columns(),
        installation.get(ColumnKinds),
        installation.get(PaidUnits),
    )


def _given_names(installation: Installation) -> "GivenNames":
    from firmograph.record_tables.given_names import GivenNames
    from firmograph.record_tables.ids import TableIds

    return GivenNames(installation.database, installation.get(TableIds))


def _table_runs(installation: Installation) -> "TableRuns":
    from firmograph.billing.affordable_charge import AffordableCharges
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.record_tables.access import TableAccess
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.ids import TableIds
    from firmograph.record_tables.runs.service import TableRuns

    return TableRuns(
        installation.database,
        TableAccess(installation.get(TableIds)),
        installation.get(ColumnKinds),
        AffordableCharges(installation.get(PaidUnits)),
    )


def _table_export(installation: Installation) -> "TableExport":
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.export.table_export import TableExport
    from firmograph.record_tables.rows.reading import RowReader

    kinds, reader = installation.get(ColumnKinds), installation.get(RowReader)
    return TableExport(installation.database, kinds, reader, installation.record_ids)


REGISTRATION = Registration(
    prices=_PRICES,
    personal_data=_personal_data,
    services={
        "ColumnCalls": _column_calls,
        "ColumnKinds": _column_kinds,
        "GivenNames": _given_names,
        "RowAddition": _row_addition,
        "RowCalls": _row_calls,
        "RowReader": _row_reader,
        "RunMetrics": _run_metrics,
        "TableCreation": _creation,
        "TableExport": _table_export,
        "TableIds": _table_ids,
        "TableRuns": _table_runs,
        "TableViews": _table_views,
        "TableWriter": _table_writer,
        "Tables": _tables,
    },
    endpoints=_endpoints,
    metrics=_metrics,
    background=_background,
)
