"""Parts of a server for tables: the endpoints and the metrics."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.installation import Installation, ServerWiring
from firmograph.record_tables.column_calls.calls import ColumnCalls
from firmograph.record_tables.column_calls.routes import routes as column_routes
from firmograph.record_tables.creation import TableCreation
from firmograph.record_tables.page_routes import page_endpoint
from firmograph.record_tables.routes import routes
from firmograph.record_tables.rows.calls import RowCalls
from firmograph.record_tables.rows.routes import row_routes
from firmograph.record_tables.runs.metrics import RunMetrics
from firmograph.record_tables.service import Tables


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return [
        *routes(installation.get(Tables), installation.get(TableCreation)),
        *column_routes(installation.get(ColumnCalls)),
        *row_routes(installation.get(RowCalls)),
        page_endpoint(),
    ]


def _metrics(installation: Installation) -> None:
    installation.get(RunMetrics)


SERVER: Final = ServerWiring(endpoints=_endpoints, metrics=_metrics)
