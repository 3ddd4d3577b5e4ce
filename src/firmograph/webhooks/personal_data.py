"""Personal data of webhooks: bodies of deliveries, and receivers' acknowledgements in the audit.

A restore cancels deliveries about erased people, takes over undelivered opt-outs and newer secrets, and voids the
leases of the replaced database, so that workers that still send for it record nothing.
"""

from collections.abc import Iterator
from typing import Any, Final

from firmograph.database.connection import Session
from firmograph.privacy.declarations import Impersonal, People, PersonalData, TableData, rows_by_number
from firmograph.privacy.restore_rules import SAME_ORIGIN, FoundTable, RestoreRule, StagedTable
from firmograph.security.record_ids import Entity
from firmograph.signals.erasure import find_affected
from firmograph.webhooks import erasure_store
from firmograph.webhooks.erasure import OPTED_OUT, erase_deliveries, erase_names, queue_opt_outs
from firmograph.webhooks.tables import (
    audit_logs,
    audit_totals,
    coming_deliveries,
    deliveries,
    fanout_positions,
    subscriptions,
    webhook_secrets,
)
from firmograph.webhooks.types import State

_CONTACT: Final = int(Entity.CONTACT)
_FAILED, _CANCELLED = int(State.FAILED), int(State.CANCELLED)
_CODE, _HASH, _OWN_WORDS = Impersonal.CODE, Impersonal.KEYED_HASH, Impersonal.OWN_WORDS


def find_deliveries(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the deliveries with a body about the people; the notice of an opt-out is encrypted, and the last trace."""
    yield from erasure_store.select_bodies(session, find_affected(session, people).records)


def find_acknowledgements(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the audit rows whose acknowledgement may repeat data of the people."""
    records = {(_CONTACT, number) for number in people.records}
    records.update(find_affected(session, people).records.values())
    for entity in sorted({entity for entity, _ in records}):
        numbers = {number for each, number in records if each == entity}
        yield from erasure_store.select_acknowledgements(session, entity, numbers)


_TABLES = (
    TableData(webhook_secrets, impersonal={"sealed": Impersonal.CREDENTIALS}),
    TableData(
        subscriptions,
        retained=dict.fromkeys(
            ("entity_id", "named"),
            "number and id of the record that an account follows; its owner deletes it",
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
    ),
    TableData(
        deliveries,
        erased=("body",),
        impersonal={"payload_id": _HASH, "identity": _HASH, "reason": _CODE},
        find=find_deliveries,
    ),
    TableData(coming_deliveries, impersonal={"payload_id": _HASH, "identity": _HASH}),
    TableData(
        audit_logs,
        erased=("acknowledgement",),
        impersonal={"subscription": _CODE, "payload_id": _HASH, "url": _OWN_WORDS, "error": _CODE},
        find=find_acknowledgements,
    ),
    TableData(audit_totals, impersonal={"subscription": _CODE}),
    TableData(fanout_positions, impersonal={"name": _CODE}),
)

_WEBHOOKS = RestoreRule(
    staged=(
        StagedTable(
            "was_secret",
            "SELECT s.account_id, a.created_at, s.sealed, s.changed_at"
            " FROM {source}webhook_secrets s JOIN {source}accounts a ON a.id = s.account_id",
        ),
        StagedTable(
            "was_opt_out",
            "SELECT d.id AS number, s.token, d.payload_id, d.state, d.held, d.body, d.made_at, d.failed_at, d.reason"
            " FROM {source}deliveries d JOIN {source}subscriptions s ON s.id = d.subscription_id"
            " WHERE d.signal_id IS NULL",
        ),
    ),
    found=(
        FoundTable(
            "new_secret",
            "SELECT w.account_id, w.sealed, w.changed_at FROM was_secret w"
            " JOIN accounts a ON a.id = w.account_id AND a.created_at = w.created_at"
            " LEFT JOIN webhook_secrets s ON s.account_id = w.account_id"
            f" WHERE {SAME_ORIGIN} AND (s.changed_at IS NULL OR s.changed_at < w.changed_at)",
        ),
    ),
    changes=(
        "UPDATE subscriptions SET name = NULL WHERE name IS NOT NULL"
        f" AND entity = {_CONTACT} AND entity_id IN (SELECT number FROM new_erased)",
        "UPDATE audit_logs SET acknowledgement = NULL WHERE acknowledgement IS NOT NULL AND subscription IN"
        " (SELECT b.token FROM subscriptions b JOIN"
        " (SELECT entity, entity_id FROM signals WHERE id IN (SELECT id FROM new_unsaid)"
        f" UNION SELECT {_CONTACT}, number FROM new_erased) r"
        " ON r.entity = b.entity AND r.entity_id = b.entity_id)",
        f"DELETE FROM deliveries WHERE state = {_FAILED} AND signal_id IN (SELECT id FROM new_unsaid)",
        f"UPDATE deliveries SET state = {_CANCELLED}, body = NULL, reason = '{OPTED_OUT}'"
        " WHERE signal_id IN (SELECT id FROM new_unsaid)",
        f"DELETE FROM deliveries WHERE signal_id IS NULL AND {SAME_ORIGIN}",
        "INSERT INTO deliveries"
        " (payload_id, account_id, subscription_id, state, held, body, made_at, failed_at, reason)"
        " SELECT w.payload_id, s.account_id, s.id, w.state, w.held, w.body, w.made_at, w.failed_at, w.reason"
        f" FROM was_opt_out w JOIN subscriptions s ON s.token = w.token WHERE {SAME_ORIGIN} ORDER BY w.number",
        # far above every fence issued by the replaced database
        "UPDATE subscriptions SET lease_until = 0, fence = fence + 1000000, queued ="
        " (SELECT count(*) FROM deliveries d WHERE d.subscription_id = subscriptions.id"
        f" AND d.state <> {_FAILED})",
        "DELETE FROM webhook_secrets WHERE account_id IN (SELECT account_id FROM new_secret)",
        "INSERT INTO webhook_secrets (account_id, sealed, changed_at)"
        " SELECT account_id, sealed, changed_at FROM new_secret",
    ),
)

PERSONAL_DATA: Final = PersonalData(
    "webhooks",
    uses=("accounts", "billing", "records", "signals"),
    tables=_TABLES,
    erasers=(queue_opt_outs, erase_deliveries, erase_names),
    restore=(_WEBHOOKS,),
)
