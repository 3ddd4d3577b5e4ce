"""Dependencies shared by the contact and company endpoints."""

from typing import NamedTuple

from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.enrichment.reveal import Revealer


class Dependencies(NamedTuple):
    database: Database
    lookup: RecordLookup
    renderer: RecordRenderer
    paid_units: PaidUnits
    revealer: Revealer
