"""Registration of the signal score."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint

_PRICES: Final = {
    "signalScoreCompany": Price(credits=1, per_quantity=1),
    "signalScoreContact": Price(credits=1, per_quantity=1),
}


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.signal_score.companies import CompanyScoring
    from firmograph.signal_score.contacts import ContactScoring
    from firmograph.signal_score.routes import routes
    from firmograph.signal_score.service import SignalScore

    records, record_ids = installation.get(RecordLookup), installation.record_ids
    return routes(
        SignalScore(
            installation.database,
            installation.clock,
            installation.get(ChargedCalls),
            ContactScoring(records, record_ids),
            CompanyScoring(records, record_ids),
        )
    )


REGISTRATION = Registration(prices=_PRICES, endpoints=_endpoints)
