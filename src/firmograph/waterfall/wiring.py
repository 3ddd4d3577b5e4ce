"""Services of the data waterfall."""

from typing import Final

from firmograph.billing.paid_units import PaidUnits
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.installation import Installation, Services
from firmograph.operator_audit.service import OperatorAudit
from firmograph.waterfall.administration import WaterfallAdministration
from firmograph.waterfall.asks.contacts import ValueReader
from firmograph.waterfall.jobs import Jobs
from firmograph.waterfall.providers.loading import load_providers
from firmograph.waterfall.providers.types import Providers
from firmograph.waterfall.rendering import ResultRenderer


def _providers(installation: Installation) -> Providers:
    return load_providers(installation.settings, installation.clock)


def _renderer(installation: Installation) -> ResultRenderer:
    units = installation.get(PaidUnits)
    return ResultRenderer(RecordRenderer(installation.record_ids, units), units, installation.settings.brand)


def _jobs(installation: Installation) -> Jobs:
    return Jobs(
        installation.database,
        installation.record_ids,
        installation.get(PaidUnits),
        installation.get(ResultRenderer),
    )


def _administration(installation: Installation) -> WaterfallAdministration:
    return WaterfallAdministration(
        installation.database,
        installation.clock,
        OperatorAudit(),
        installation.get(Providers),
        ValueReader(installation.digests),
        installation.record_ids,
    )


SERVICES: Final[Services] = {
    Providers: _providers,
    ResultRenderer: _renderer,
    Jobs: _jobs,
    WaterfallAdministration: _administration,
}
