"""Service that contact enrich has of the data waterfall."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.contacts import ContactRecords
from firmograph.enrichment.waterfall import Waterfall
from firmograph.installation import Installation, Services
from firmograph.signals.service import SignalsService
from firmograph.waterfall.enrich import EnrichParts, WaterfallEnrich
from firmograph.waterfall.providers.types import Providers
from firmograph.waterfall.rendering import ResultRenderer


def _enrich(installation: Installation) -> WaterfallEnrich:
    lookup = installation.get(RecordLookup)
    parts = EnrichParts(
        installation.database,
        installation.get(PaidUnits),
        installation.get(SignalsService),
        installation.get(ChargedCalls),
        installation.get(Idempotency),
        ContactRecords(lookup),
        lookup.queries,
        installation.get(Providers),
        installation.get(ResultRenderer),
    )
    return WaterfallEnrich(installation.settings.waterfall_wait_seconds, parts)


SERVICES: Final[Services] = {Waterfall: _enrich}
