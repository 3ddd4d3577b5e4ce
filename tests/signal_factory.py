"""Signals put straight into a database, for tests of what finds records by them."""

from firmograph.database.connection import RECORDS, Database
from firmograph.directory.identity import Digests
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, HeadcountChange
from firmograph.signals.store import put
from record_factory import KEYRING

DIGESTS = Digests(KEYRING)


def put_detected(
    database: Database,
    entity: Entity,
    *given: tuple[int, str, str] | tuple[int, str, str, str],
    at: float = 0.0,
) -> int:
    """Each given as number of the record, type, day, and detail where it has one; how many were not held yet."""
    found = [
        Detected(entity, number, type, f"{day} {detail}", day, HeadcountChange(1, 2, 100), "".join(detail))
        for number, type, day, *detail in given
    ]
    with database.write(RECORDS) as session:
        return put(session, DIGESTS, found, at)
