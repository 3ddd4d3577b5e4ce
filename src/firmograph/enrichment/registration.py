"""Registration of enrichment: search, enrich, and search-and-enrich."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint
    from firmograph.enrichment.service import Enrichment

_PRICES: Final = {
    "companySearch": Price(credits=0, per_quantity=25),
    "contactSearch": Price(credits=0, per_quantity=25),
    "revealCompany": Price(credits=1, per_quantity=1),
    "revealCompanyPremiumData": Price(credits=1, per_quantity=1),
    "revealEmail": Price(credits=1, per_quantity=1),
    "revealPhone": Price(credits=5, per_quantity=1),
}


def _enrichment(installation: Installation) -> "Enrichment":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.enrichment.service import build_enrichment
    from firmograph.signals.service import SignalsService

    return build_enrichment(
        installation.database,
        installation.record_ids,
        installation.get(RecordLookup),
        installation.get(PaidUnits),
        installation.get(ChargedCalls),
        installation.get(SignalsService),
    )


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.enrichment.routes import routes
    from firmograph.enrichment.service import Enrichment
    from firmograph.table_rows import RowWriter

    enrichment = installation.get(Enrichment)
    return routes(enrichment.contacts, enrichment.companies, installation.get(RowWriter))


REGISTRATION = Registration(
    prices=_PRICES,
    services={
        "Enrichment": _enrichment,
    },
    endpoints=_endpoints,
)
