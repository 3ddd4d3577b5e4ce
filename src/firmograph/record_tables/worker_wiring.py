"""Background work of tables."""

from collections.abc import Sequence
from typing import Final

from firmograph.billing.affordable_charge import AffordableCharges
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import Plans
from firmograph.installation import BackgroundWork, Installation, WorkerWiring
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.deletion.purge import Purge
from firmograph.record_tables.runs.filling import RunFilling
from firmograph.record_tables.runs.metrics import RunMetrics
from firmograph.record_tables.runs.queue import RunQueue
from firmograph.record_tables.runs.worker import RunTurns, create_run_worker


def _background(installation: Installation) -> Sequence[BackgroundWork]:
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
    return [BackgroundWork("tables", "Parts of table runs done", worker)]


WORKER: Final = WorkerWiring(background=_background)
