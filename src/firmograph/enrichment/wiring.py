"""Services of enrichment."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.paid_units import PaidUnits
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.service import Enrichment, build_enrichment
from firmograph.installation import Installation, Services
from firmograph.signals.service import SignalsService


def _enrichment(installation: Installation) -> Enrichment:
    return build_enrichment(
        installation.database,
        installation.record_ids,
        installation.get(RecordLookup),
        installation.get(PaidUnits),
        installation.get(ChargedCalls),
        installation.get(SignalsService),
    )


SERVICES: Final[Services] = {Enrichment: _enrichment}
