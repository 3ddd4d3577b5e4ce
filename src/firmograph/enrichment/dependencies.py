"""Dependencies shared by the contact and company endpoints."""

from typing import NamedTuple

from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.enrichment.identifiers import QueryReader
from firmograph.enrichment.lookup import Lookup
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.enrichment.reveal import Revealer


class Dependencies(NamedTuple):
    database: Database
    query_reader: QueryReader
    lookup: Lookup
    renderer: RecordRenderer
    paid_units: PaidUnits
    revealer: Revealer
