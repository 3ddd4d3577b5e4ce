"""Personal data of webhooks: bodies of deliveries, and receivers' acknowledgements in the audit.

A restored copy takes over undelivered opt-outs and newer secrets. The leases of the replaced database are voided, so
that workers that still send for it record nothing.
"""

from collections.abc import Collection, Iterator
from math import inf
from typing import Any, Final

from firmograph.accounts.preservation import find_same_accounts
from firmograph.database.connection import Session
from firmograph.privacy.declarations import (
    Impersonal,
    People,
    PersonalData,
    Recipient,
    RecipientKind,
    RecordUses,
    Replacement,
    TableData,
    rows_by_number,
)
from firmograph.security.record_ids import Entity
from firmograph.signals.erasure import find_all_about
from firmograph.webhooks import erasure_store, preservation_store
from firmograph.webhooks.erasure import erase_deliveries, queue_opt_outs, remove_deliveries, remove_names
from firmograph.webhooks.tables import (
    audit_logs,
    audit_totals,
    coming_deliveries,
    deliveries,
    fanout_positions,
    subscriptions,
    webhook_secrets,
)

_CONTACT: Final = int(Entity.CONTACT)
_CODE, _HASH, _OWN_WORDS = Impersonal.CODE, Impersonal.KEYED_HASH, Impersonal.OWN_WORDS


def find_deliveries(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the deliveries with a body about the people; the notice of an opt-out is encrypted, and the last trace."""
    yield from erasure_store.select_bodies(session, find_all_about(session, people))


def find_acknowledgements(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the audit rows whose acknowledgement may repeat data of the people."""
    records = {(_CONTACT, number) for number in people.records}
    records.update(find_all_about(session, people).values())
    for entity in sorted({entity for entity, _ in records}):
        numbers = {number for each, number in records if each == entity}
        yield from erasure_store.select_acknowledgements(session, entity, numbers)


def find_receivers(session: Session, people: People) -> Iterator[Recipient]:
    """Yield the receivers of signals of the people's records, as far back as the audit of deliveries goes."""
    for account, url, first_at, last_at in erasure_store.select_receivers(session, people.records):
        yield Recipient(RecipientKind.RECEIVER, account, url, "signals", first_at, last_at)


def keep_opt_outs(replacement: Replacement) -> None:
    """Let exactly the opt-outs that the replaced database has yet to deliver wait in a copy."""
    if replacement.same_origin:
        preservation_store.replace_opt_outs(
            replacement.copy, preservation_store.select_opt_outs(replacement.replaced)
        )


def keep_secrets(replacement: Replacement) -> None:
    """Keep the secrets that are newer than those of the copy."""
    replaced, copy = replacement.replaced, replacement.copy
    if replacement.same_origin:
        accounts = find_same_accounts(replaced, copy)
        changed = {one.account_id: one.changed_at for one in preservation_store.select_secrets(copy)}
        for new in preservation_store.select_secrets(replaced):
            if new.account_id in accounts and changed.get(new.account_id, -inf) < new.changed_at:
                preservation_store.put_secret(copy, new)


def void_leases(replacement: Replacement) -> None:
    """Free all queues of a copy, and count again what waits in them."""
    preservation_store.void_leases(replacement.copy)


def count_subscriptions(session: Session, entity: Entity, numbers: Collection[int]) -> RecordUses:
    """Count the subscriptions to records."""
    accounts = erasure_store.select_subscribers(session, int(entity), numbers)
    return RecordUses(len(accounts), frozenset(accounts))


_TABLES = (
    TableData(webhook_secrets, impersonal={"sealed": Impersonal.CREDENTIALS}),
    TableData(
        subscriptions,
        retained=dict.fromkeys(
            ("entity_id", "named"),
            "number and id of the record that an account follows; its owner deletes it",
        ),
        kept=dict.fromkeys(
            ("entity_id", "named"), "the account's own subscription, to which nothing is delivered any more"
        ),
        # the name that an account gave it, often the person's
        erased=("name",),
        impersonal={
            "token": _CODE,
            "types": _CODE,
            "block_reason": _CODE,
            **dict.fromkeys(("partner", "url", "origin"), _OWN_WORDS),
        },
        find=rows_by_number(subscriptions.c.entity_id, subscriptions.c.entity == _CONTACT),
        place="subscriptions",
    ),
    TableData(
        deliveries,
        erased=("body",),
        impersonal={"payload_id": _HASH, "identity": _HASH, "reason": _CODE},
        find=find_deliveries,
        place="deliveries",
    ),
    TableData(coming_deliveries, impersonal={"payload_id": _HASH, "identity": _HASH}),
    TableData(
        audit_logs,
        erased=("acknowledgement",),
        impersonal={"subscription": _CODE, "payload_id": _HASH, "url": _OWN_WORDS, "error": _CODE},
        find=find_acknowledgements,
        place="acknowledgements of receivers",
    ),
    TableData(audit_totals, impersonal={"subscription": _CODE}),
    TableData(fanout_positions, impersonal={"name": _CODE}),
)

PERSONAL_DATA: Final = PersonalData(
    "webhooks",
    uses=("accounts", "billing", "records", "signals"),
    tables=_TABLES,
    notices=(queue_opt_outs,),
    removers=(remove_deliveries, remove_names),
    erasers=(erase_deliveries,),
    recipients=(find_receivers,),
    preservers=(keep_secrets, keep_opt_outs, void_leases),
    counters={"subscriptions": count_subscriptions},
)
