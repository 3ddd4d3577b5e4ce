"""Removal of deleted records, and erasure of suppressed people, from queued deliveries and their audit.

See docs/reference/webhooks.md#suppressed-people.

Deliveries of signals that are deleted with a record are cancelled, and their bodies are erased at once. Bodies of posts
that stay without a person's name are erased too, and composed again when sent. Subscriptions stay, as they hold
numbers; names that accounts gave to those of a person are deleted. Acknowledgements in the audit are deleted, as they
may repeat what was sent; for the same reason the audit never stores those of opt-outs.

A delivery in flight at that moment is not recalled.
"""

from collections import defaultdict
from typing import Final

from firmograph.privacy.declarations import Deletion, Erasure
from firmograph.security.record_ids import Entity
from firmograph.signals.erasure import find_affected, removed_signals
from firmograph.webhooks import erasure_store
from firmograph.webhooks.deliveries.cancel import CANCELLED
from firmograph.webhooks.opt_outs.service import OptOuts

OPTED_OUT: Final = "Cancelled: the person has opted out"


def queue_opt_outs(erasure: Erasure) -> None:
    """Queue the notices to accounts that saw the people, while what they saw is still known."""
    OptOuts(erasure.people.keyring).queue(erasure.session, erasure.people, erasure.at, erasure.requested_at)


def remove_deliveries(deletion: Deletion) -> None:
    """Cancel the deliveries of the signals of deleted records, before these are deleted.

    Acknowledgements are erased of all subscriptions to the records, as their signals may be deleted already.
    """
    session, reason = deletion.session, OPTED_OUT if deletion.opted_out else CANCELLED
    erasure_store.erase_acknowledgements(session, int(deletion.entity), deletion.numbers)
    erasure_store.mark_cancelled(session, removed_signals(deletion), reason)


def remove_names(deletion: Deletion) -> None:
    """Erase the names that accounts gave to subscriptions to deleted contacts, which often are the person's."""
    if deletion.entity is Entity.CONTACT:
        erasure_store.erase_names(deletion.session, deletion.numbers)


def erase_deliveries(erasure: Erasure) -> None:
    """Erase deliveries of signals that name the people, before these are erased or rewritten."""
    session, affected = erasure.session, erasure.find(find_affected)
    numbers: dict[int, set[int]] = defaultdict(set)
    for entity, number in affected.records.values():
        numbers[entity].add(number)
    for entity, records in sorted(numbers.items()):
        erasure_store.erase_acknowledgements(session, entity, records)
    erasure_store.mark_cancelled(session, affected.deleted, OPTED_OUT)
    erasure_store.erase_bodies(session, [post.id for post, _ in affected.rewritten])
