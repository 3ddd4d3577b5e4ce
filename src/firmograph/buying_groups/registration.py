"""Registration of buying groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint
    from firmograph.buying_groups.ranking import Ranker
    from firmograph.buying_groups.service import BuyingGroups

_PRICES: Final = {"buyingGroupReveal": Price(credits=1, per_quantity=1)}


def _ranker(installation: Installation) -> "Ranker":
    from firmograph.buying_groups.ranking import Ranker
    from firmograph.buying_groups.roles.table import load_role_table

    return Ranker(load_role_table(installation.settings.personas_file))


def _groups(installation: Installation) -> "BuyingGroups":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.buying_groups.answers import AnswerRenderer
    from firmograph.buying_groups.ranking import Ranker
    from firmograph.buying_groups.service import BuyingGroups
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.enrichment.service import Enrichment
    from firmograph.prospecting.engines.factory import ServedSearch

    return BuyingGroups(
        installation.database,
        installation.get(ServedSearch).active,
        installation.get(RecordLookup),
        installation.get(Ranker),
        installation.get(ChargedCalls),
        installation.get(Enrichment).contacts.previews,
        AnswerRenderer(installation.record_ids),
    )


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.buying_groups.routes import routes
    from firmograph.buying_groups.service import BuyingGroups

    return routes(installation.get(BuyingGroups))


REGISTRATION = Registration(
    prices=_PRICES, services={"BuyingGroups": _groups, "Ranker": _ranker}, endpoints=_endpoints
)
