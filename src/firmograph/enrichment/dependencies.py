"""Dependencies shared by the contact and company endpoints."""

from typing import NamedTuple

from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.enrichment.identify import Identifier
from firmograph.enrichment.lookup import Lookup
from firmograph.enrichment.render import Renderer
from firmograph.enrichment.reveal import Reveal


class Parts(NamedTuple):
    database: Database
    identifier: Identifier
    lookup: Lookup
    renderer: Renderer
    purchases: PaidUnits
    reveal: Reveal
