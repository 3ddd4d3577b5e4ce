"""Signals put straight into a database, for tests of what reads them."""

from firmograph.database.connection import RECORDS
from firmograph.directory.identity import Digests
from firmograph.security.record_ids import Entity
from firmograph.signals import store
from firmograph.signals.events import Detected, HiringSurge, JobMove
from record_factory import KEYRING

MOVE = JobMove(2, "Acme", "acme.example", "CTO", "", "C-Suite", 3, "Rival", "rival.example", "VP")
SURGE = HiringSurge(10, 2, 400)


def put_signals(database, *given):
    """Each given as (entity, number, type, day)."""
    found = [
        Detected(entity, number, type, f"{type} {day}", day, MOVE if entity is Entity.CONTACT else SURGE)
        for entity, number, type, day in given
    ]
    with database.write(RECORDS) as session:
        return store.put(session, Digests(KEYRING), found, 0.0)
