"""Erasure of suppressed people from queued deliveries and their audit.

See docs/reference/webhooks.md#suppressed-people.

Deliveries of signals that are deleted with a person are cancelled, and their bodies are erased at once. Bodies of posts
that stay without the person's name are erased too, and composed again when sent. Subscriptions stay, as they hold
numbers; names that accounts gave to those of the person are deleted. Acknowledgements in the audit are deleted, as they
may repeat what was sent; for the same reason the audit never stores those of opt-outs.

A delivery in flight at that moment is not recalled.
"""

from collections import defaultdict
from typing import Final

from firmograph.privacy.declarations import Erasure
from firmograph.security.record_ids import Entity
from firmograph.signals.erasure import find_affected
from firmograph.webhooks import erasure_store
from firmograph.webhooks.opt_outs.service import OptOuts

OPTED_OUT: Final = "Cancelled: the person has opted out"


def queue_opt_outs(erasure: Erasure) -> None:
    """Queue the notices to accounts that saw the people, while what they saw is still known."""
    OptOuts(erasure.people.keyring).queue(erasure.session, erasure.people, erasure.at)


def erase_deliveries(erasure: Erasure) -> None:
    """Erase deliveries of deleted signals and rewritten posts, before these are erased.

    Acknowledgements are erased about the people themselves too, as their signals may be deleted already.
    """
    session, affected = erasure.session, erasure.find(find_affected)
    numbers: dict[int, set[int]] = defaultdict(set)
    numbers[int(Entity.CONTACT)].update(erasure.people.records)
    for entity, number in affected.records.values():
        numbers[entity].add(number)
    for entity, records in sorted(numbers.items()):
        erasure_store.erase_acknowledgements(session, entity, records)
    erasure_store.mark_cancelled(session, affected.deleted, OPTED_OUT)
    erasure_store.erase_bodies(session, [post.id for post, _ in affected.rewritten])


def erase_names(erasure: Erasure) -> None:
    """Erase the names that accounts gave to subscriptions to the people."""
    erasure_store.erase_names(erasure.session, erasure.people.records)
