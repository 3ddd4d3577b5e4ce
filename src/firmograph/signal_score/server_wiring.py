"""Endpoints of the signal score."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.billing.charged_call import ChargedCalls
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.installation import Installation, ServerWiring
from firmograph.signal_score.companies import CompanyScoring
from firmograph.signal_score.contacts import ContactScoring
from firmograph.signal_score.routes import routes
from firmograph.signal_score.service import SignalScore


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
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


SERVER: Final = ServerWiring(endpoints=_endpoints)
