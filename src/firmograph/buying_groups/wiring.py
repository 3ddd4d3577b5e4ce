"""Services of buying groups."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.buying_groups.answers import AnswerRenderer
from firmograph.buying_groups.ranking import Ranker
from firmograph.buying_groups.roles.table import load_role_table
from firmograph.buying_groups.service import BuyingGroups
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.service import Enrichment
from firmograph.installation import Installation, Services
from firmograph.prospecting.engines.factory import ServedSearch


def _ranker(installation: Installation) -> Ranker:
    return Ranker(load_role_table(installation.settings.personas_file))


def _groups(installation: Installation) -> BuyingGroups:
    return BuyingGroups(
        installation.database,
        installation.get(ServedSearch).active,
        installation.get(RecordLookup),
        installation.get(Ranker),
        installation.get(ChargedCalls),
        installation.get(Enrichment).contacts.previews,
        AnswerRenderer(installation.record_ids),
    )


SERVICES: Final[Services] = {BuyingGroups: _groups, Ranker: _ranker}
