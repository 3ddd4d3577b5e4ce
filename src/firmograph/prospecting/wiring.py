"""Services of prospecting that commands also use."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.installation import Installation, Services
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.engines.registry import engine_factory
from firmograph.prospecting.service import Prospecting


def _search(installation: Installation) -> ServedSearch:
    settings = installation.settings
    return engine_factory(settings).serve(installation.database, installation.clock, settings)


def _prospecting(installation: Installation) -> Prospecting:
    return Prospecting(
        installation.database,
        installation.get(ServedSearch).active,
        installation.record_ids,
        installation.digests,
        installation.get(ChargedCalls),
    )


SERVICES: Final[Services] = {ServedSearch: _search, Prospecting: _prospecting}
