"""Signals inserted directly into a database, for tests of searches by signals."""

from firmograph.database.connection import RECORDS, Database
from firmograph.directory.identity import Digests
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, HeadcountChange
from firmograph.signals.store import store_signals
from record_factory import KEYRING

DIGESTS = Digests(KEYRING)


def put_detected(
    database: Database,
    entity: Entity,
    *given: tuple[int, str, str] | tuple[int, str, str, str],
    at: float = 0.0,
) -> int:
    """Insert signals given as record number, type, day and optional detail; return how many were new."""
    found = [detected(number, day, entity, type, *detail) for number, type, day, *detail in given]
    with database.write(RECORDS) as session:
        return store_signals(session, DIGESTS, found, at)


def detected(
    number: int,
    day: str,
    entity: Entity = Entity.COMPANY,
    type: str = "headcountIncrease1m",
    *detail: str,
) -> Detected:
    return Detected(
        entity, number, type, f"{day} {list(detail)}", day, HeadcountChange(1, 2, 100), "".join(detail)
    )
