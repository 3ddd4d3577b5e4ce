"""People who are suppressed disappear from what is queued, too (decisions A and G), and accounts are told of it.

Deliveries of signals that go with a person are cancelled, and what they would say is erased at once. Of a post that
stays without the person's name it is erased as well, and composed anew when it is sent. Subscriptions stay: they hold
numbers and what their owner wrote. Of the audit what receivers answered goes, which may repeat what was sent to them;
for the same reason it is never kept of opt-outs.

What is being sent at that very moment is sent: nothing calls it back.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.kit.clock import Clock
from firmograph.privacy.suppression import Eraser, Gone, Suppression
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, Tokens
from firmograph.signals.erasure import SignalEraser
from firmograph.webhooks import erasure_store
from firmograph.webhooks.opt_outs.service import OptOuts

REASON: Final = "Cancelled: the person it told of opted out"


def suppression_of(database: Database, keyring: Keyring, clock: Clock) -> Suppression:
    """Suppression with all that erases people beside their records."""
    digests = Digests(keyring)
    erasers: list[Eraser] = [
        OptOuts(keyring),
        SignalEraser(digests, [erase_deliveries]),
        erase_acknowledgements,
    ]
    return Suppression(database, digests, Tokens(keyring), clock, erasers)


def erase_deliveries(session: Session, gone: Collection[int], rewritten: Collection[int]) -> None:
    """What `SignalEraser` calls for signals that go and posts that are rewritten."""
    numbers: dict[int, set[int]] = defaultdict(set)
    for entity, number in erasure_store.records(session, {*gone, *rewritten}):
        numbers[entity].add(number)
    for entity, some in sorted(numbers.items()):
        erasure_store.unacknowledge(session, entity, some)
    erasure_store.cancel(session, gone, REASON)
    erasure_store.clear(session, rewritten)


def erase_acknowledgements(session: Session, gone: Gone, at: float) -> None:
    """Of the people themselves, whose earlier signals may be gone by now."""
    erasure_store.unacknowledge(session, int(Entity.CONTACT), gone.people)
