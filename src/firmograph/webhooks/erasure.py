"""Erasure of suppressed people from queued deliveries and their audit.

See docs/reference/webhooks.md#suppressed-people.

Deliveries of signals that are deleted with a person are cancelled, and their bodies are erased at once. Bodies of posts
that stay without the person's name are erased too, and composed again when sent. Subscriptions stay: they hold numbers
and what their owner wrote. Acknowledgements in the audit are deleted, as they may repeat what was sent; for the same
reason the audit never stores those of opt-outs.

A delivery in flight at that moment is not recalled.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.kit.clock import Clock
from firmograph.privacy.suppression import ErasedPeople, ErasureHook, Suppression
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.erasure import SignalEraser
from firmograph.webhooks import erasure_store
from firmograph.webhooks.opt_outs.service import OptOuts

OPTED_OUT: Final = "Cancelled: the person has opted out"


def make_suppression(database: Database, keyring: Keyring, clock: Clock) -> Suppression:
    """Return the suppression with every eraser of personal data outside the record tables."""
    digests = Digests(keyring)
    erasers: list[ErasureHook] = [
        OptOuts(keyring),
        SignalEraser(digests, [erase_deliveries]),
        erase_acknowledgements,
    ]
    return Suppression(database, digests, RecordIds(keyring), clock, erasers)


def erase_deliveries(session: Session, deleted: Collection[int], rewritten: Collection[int]) -> None:
    """Erase deliveries of deleted signals and rewritten posts; called by `SignalEraser`."""
    numbers: dict[int, set[int]] = defaultdict(set)
    for entity, number in erasure_store.find_records(session, {*deleted, *rewritten}):
        numbers[entity].add(number)
    for entity, records in sorted(numbers.items()):
        erasure_store.erase_acknowledgements(session, entity, records)
    erasure_store.mark_cancelled(session, deleted, OPTED_OUT)
    erasure_store.erase_bodies(session, rewritten)


def erase_acknowledgements(session: Session, erased: ErasedPeople, at: float) -> None:
    """Erase acknowledgements about the people themselves, whose signals may be deleted already."""
    erasure_store.erase_acknowledgements(session, int(Entity.CONTACT), erased.people)
