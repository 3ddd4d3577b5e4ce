"""Page views of a planted person, known by the hash of the e-mail address, and of another visitor."""

import hashlib
from typing import Final

from planted_identity import PlantedIdentity

from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import PageView
from record_factory import DIGESTS

ACCOUNT: Final = 1
AT: Final = 1_790_000_000


def fill_visits(database: Database, person: PlantedIdentity) -> None:
    """Write page views of a site: one session of each visitor, at the same time."""
    import_visits(database, person, "acme.test")


def import_visits(database: Database, person: PlantedIdentity, domain: str = "later.test") -> None:
    """Write page views of a new site, as an import does."""
    site = Sites(database, SetClock(), OperatorAudit()).track(ACCOUNT, domain)
    visitor = DIGESTS.contact_email_hash(hashlib.sha256(person.email.encode()).hexdigest())
    views = [PageView(each, AT, b"the path", False) for each in (visitor, b"somebody else...")]
    PageViews(database).add(site, views)
