"""Preservation of erasures and revocations on restore.

See docs/reference/backup.md#what-a-restore-keeps.

People suppressed or erased in the replaced database, and keys or accounts disabled there, must not come back with an
older copy. The statements are plain SQL without parameters and the same for both databases, because in PostgreSQL they
run inside the restore script. They use temporary tables, which end with the connection.

`stage_protections` copies the protections out of the database to be replaced. `apply_protections` runs on the restored
copy:

- Every suppression that the copy lacks is added; none is lifted.
- A record of the copy is erased if it has a strong key that is newly suppressed, unless the same record had that key in
  the replaced database too: then the suppression was for somebody else with the same address, and this record was kept.
- A record is also erased if its number was removed there and both databases have the same origin, as only then do
  numbers mean the same records.
- Its signals are erased with it, and so is every post and news item that names an erased or newly suppressed person, as
  a whole, as SQL cannot rewrite one. The next import of posts restores it without the name.
- Revoked keys are revoked and disabled accounts disabled; accounts are matched by number and time of creation.
- Record numbers continue after the highest one of both databases, so that no issued id changes its meaning.
- The copy gets a new identity, so that no index of another state is taken for its own. Leases of the replaced database
  are void, so workers that still send for it record nothing.
"""

import secrets
from typing import NamedTuple

from firmograph.database.schema import HEAD
from firmograph.security.record_ids import Entity
from firmograph.webhooks.erasure import OPTED_OUT
from firmograph.webhooks.types import State

_CONTACT = int(Entity.CONTACT)
_FAILED, _CANCELLED = int(State.FAILED), int(State.CANCELLED)

_STAGED = {
    "was_suppressed": "SELECT digest, person, strong, at FROM {source}suppressions",
    "was_holder": (
        "SELECT digest, contact_id AS number FROM {source}contact_keys"
        " WHERE digest IN (SELECT digest FROM {source}suppressions WHERE strong = 1)"
        " AND contact_id IN (SELECT id FROM {source}contacts)"
    ),
    "was_removed": (
        f"SELECT DISTINCT entity_id AS number FROM {{source}}changes WHERE removed = 1 AND entity = {_CONTACT}"
    ),
    "was_revoked": "SELECT digest, revoked_at FROM {source}api_keys WHERE revoked_at IS NOT NULL",
    "was_disabled": "SELECT id, created_at FROM {source}accounts WHERE active = 0",
    "was_counted": "SELECT name, value FROM {source}counters",
    "was_secret": (
        "SELECT s.account_id, a.created_at, s.sealed, s.changed_at"
        " FROM {source}webhook_secrets s JOIN {source}accounts a ON a.id = s.account_id"
    ),
    "was_opt_out": (
        "SELECT d.id AS number, s.token, d.payload_id, d.state, d.held, d.body, d.made_at, d.failed_at, d.reason"
        " FROM {source}deliveries d JOIN {source}subscriptions s ON s.id = d.subscription_id WHERE d.signal_id IS NULL"
    ),
    "was_installed": "SELECT name, value FROM {source}installation WHERE name = 'origin'",
}
_CHECKED_TABLES = (
    "was_suppressed",
    "was_removed",
    "was_revoked",
    "was_disabled",
    "was_secret",
    "was_opt_out",
)
"""Staged tables that must be complete when the copy replaces the database."""

_SIGNALS_SCHEMA, _WEBHOOKS_SCHEMA, _SPLITS_SCHEMA = "0004", "0005", "0010"
"""Schemas that introduced them; a PostgreSQL backup is restored at its own schema, which may be older."""

_ONE_ORIGIN = (
    "EXISTS (SELECT 1 FROM installation i JOIN was_installed w ON w.name = i.name AND w.value = i.value)"
)

_NEW_PROTECTIONS = (
    "CREATE TEMPORARY TABLE new_suppressed AS SELECT w.digest, w.person, w.strong, w.at FROM was_suppressed w"
    " WHERE NOT EXISTS (SELECT 1 FROM suppressions s WHERE s.digest = w.digest AND s.person = w.person)",
    "CREATE TEMPORARY TABLE new_erased AS"
    f" SELECT w.number FROM was_removed w JOIN contacts c ON c.id = w.number WHERE {_ONE_ORIGIN}"
    " UNION SELECT k.contact_id FROM contact_keys k JOIN new_suppressed n ON n.digest = k.digest"
    " WHERE n.strong = 1 AND NOT EXISTS"
    " (SELECT 1 FROM was_holder w WHERE w.digest = k.digest AND w.number = k.contact_id)",
    "CREATE TEMPORARY TABLE new_revoked AS SELECT w.digest, w.revoked_at FROM was_revoked w"
    " JOIN api_keys k ON k.digest = w.digest WHERE k.revoked_at IS NULL",
    "CREATE TEMPORARY TABLE new_disabled AS SELECT a.id FROM was_disabled w"
    " JOIN accounts a ON a.id = w.id AND a.created_at = w.created_at WHERE a.active <> 0",
    "INSERT INTO suppressions (digest, person, strong, at)"
    " SELECT digest, person, strong, at FROM new_suppressed",
)
# `signal_people` has the keys of people named in posts and news, digests of 17 bytes for the numbers of contacts in
# posts (`signals.posts.number_digest`), and of 18 bytes for people that summaries may name (`summary_digest`)
_AFFECTED_SIGNALS = (
    "CREATE TEMPORARY TABLE new_unsaid AS"
    f" SELECT s.id FROM signals s JOIN new_erased e ON e.number = s.entity_id WHERE s.entity = {_CONTACT}"
    " UNION SELECT p.signal_id FROM signal_people p JOIN new_suppressed n ON n.digest = p.digest"
    " UNION SELECT p.signal_id FROM signal_people p JOIN contact_keys k ON k.digest = p.digest"
    " JOIN new_erased e ON e.number = k.contact_id"
    " UNION SELECT p.signal_id FROM signal_people p JOIN new_suppressed n ON n.digest = substr(p.digest, 1, 16)"
    f" WHERE length(p.digest) = 17 AND {_ONE_ORIGIN}"
    " UNION SELECT p.signal_id FROM signal_people p JOIN new_suppressed n ON n.digest = substr(p.digest, 1, 16)"
    " WHERE length(p.digest) = 18",
)
"""Runs before the keys of the records are deleted."""
_WEBHOOKS = (
    "UPDATE audit_logs SET acknowledgement = NULL WHERE acknowledgement IS NOT NULL AND subscription IN"
    " (SELECT b.token FROM subscriptions b JOIN"
    " (SELECT entity, entity_id FROM signals WHERE id IN (SELECT id FROM new_unsaid)"
    f" UNION SELECT {_CONTACT}, number FROM new_erased) r ON r.entity = b.entity AND r.entity_id = b.entity_id)",
    f"DELETE FROM deliveries WHERE state = {_FAILED} AND signal_id IN (SELECT id FROM new_unsaid)",
    f"UPDATE deliveries SET state = {_CANCELLED}, body = NULL, reason = '{OPTED_OUT}'"
    " WHERE signal_id IN (SELECT id FROM new_unsaid)",
    "DELETE FROM partner_reveals WHERE record_id IN (SELECT number FROM new_erased)",
    f"DELETE FROM deliveries WHERE signal_id IS NULL AND {_ONE_ORIGIN}",
    "INSERT INTO deliveries"
    " (payload_id, account_id, subscription_id, state, held, body, made_at, failed_at, reason)"
    " SELECT w.payload_id, s.account_id, s.id, w.state, w.held, w.body, w.made_at, w.failed_at, w.reason"
    f" FROM was_opt_out w JOIN subscriptions s ON s.token = w.token WHERE {_ONE_ORIGIN} ORDER BY w.number",
    # far above every fence issued by the replaced database
    "UPDATE subscriptions SET lease_until = 0, fence = fence + 1000000, queued ="
    " (SELECT count(*) FROM deliveries d WHERE d.subscription_id = subscriptions.id"
    f" AND d.state <> {_FAILED})",
    "CREATE TEMPORARY TABLE new_secret AS SELECT w.account_id, w.sealed, w.changed_at FROM was_secret w"
    " JOIN accounts a ON a.id = w.account_id AND a.created_at = w.created_at"
    " LEFT JOIN webhook_secrets s ON s.account_id = w.account_id"
    f" WHERE {_ONE_ORIGIN} AND (s.changed_at IS NULL OR s.changed_at < w.changed_at)",
    "DELETE FROM webhook_secrets WHERE account_id IN (SELECT account_id FROM new_secret)",
    "INSERT INTO webhook_secrets (account_id, sealed, changed_at)"
    " SELECT account_id, sealed, changed_at FROM new_secret",
)
_SIGNALS = (
    "INSERT INTO changes (entity, entity_id)"
    f" SELECT DISTINCT entity, entity_id FROM signals WHERE entity <> {_CONTACT}"
    " AND id IN (SELECT id FROM new_unsaid)",
    "DELETE FROM signal_people WHERE signal_id IN (SELECT id FROM new_unsaid)",
    "DELETE FROM signals WHERE id IN (SELECT id FROM new_unsaid)",
)
_RECORDS = (
    "DELETE FROM contact_keys WHERE contact_id IN (SELECT number FROM new_erased)",
    "DELETE FROM contact_rows WHERE contact_id IN (SELECT number FROM new_erased)",
    "DELETE FROM contacts WHERE id IN (SELECT number FROM new_erased)",
    f"INSERT INTO changes (entity, entity_id, removed) SELECT {_CONTACT}, number, 1 FROM new_erased",
    "UPDATE api_keys SET revoked_at = (SELECT n.revoked_at FROM new_revoked n WHERE n.digest = api_keys.digest)"
    " WHERE digest IN (SELECT digest FROM new_revoked)",
    "UPDATE accounts SET active = 0 WHERE id IN (SELECT id FROM new_disabled)",
    "UPDATE counters SET value = (SELECT w.value FROM was_counted w WHERE w.name = counters.name)"
    f" WHERE {_ONE_ORIGIN} AND value < (SELECT w.value FROM was_counted w WHERE w.name = counters.name)",
    f"INSERT INTO counters (name, value) SELECT w.name, w.value FROM was_counted w WHERE {_ONE_ORIGIN}"
    " AND NOT EXISTS (SELECT 1 FROM counters c WHERE c.name = w.name)",
)
_SPLITS = (
    f"DELETE FROM record_splits WHERE entity = {_CONTACT} AND record_id IN (SELECT number FROM new_erased)",
)
_COUNTED_TABLES = ("new_suppressed", "new_erased", "new_revoked", "new_disabled")
_TEMPORARY_TABLES = (*_COUNTED_TABLES, "new_unsaid", "new_secret")

COUNTS = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in _COUNTED_TABLES)
"""Counts of what was preserved, as the fields of `Preserved`; to be run after `apply_protections`."""


class Preserved(NamedTuple):
    """Numbers of preserved protections."""

    suppressions: int = 0
    """Suppression hashes."""
    erased: int = 0
    """Erased records."""
    revoked: int = 0
    """Revoked API keys."""
    disabled: int = 0
    """Disabled accounts."""

    def plus(self, other: "Preserved") -> "Preserved":
        return Preserved(*(own + added for own, added in zip(self, other, strict=True)))


def stage_protections(source: str = "") -> list[str]:
    """Return the statements that stage the protections of the tables with this prefix."""
    drop = [f"DROP TABLE IF EXISTS {table}" for table in _STAGED]
    return drop + [
        f"CREATE TEMPORARY TABLE {table} AS {text.format(source=source)}" for table, text in _STAGED.items()
    ]


def apply_protections(schema: str = HEAD) -> list[str]:
    """Return the statements that protect a restored copy of this schema.

    They may run again after another `stage_protections`.
    """
    identity = f"UPDATE installation SET value = '{secrets.token_hex(16)}' WHERE name = 'identity'"
    webhooks = _WEBHOOKS if schema >= _WEBHOOKS_SCHEMA else ()
    signals = [*_AFFECTED_SIGNALS, *webhooks, *_SIGNALS] if schema >= _SIGNALS_SCHEMA else []
    splits = _SPLITS if schema >= _SPLITS_SCHEMA else ()
    drop = [f"DROP TABLE IF EXISTS {table}" for table in _TEMPORARY_TABLES]
    return [*drop, *_NEW_PROTECTIONS, *signals, *splits, *_RECORDS, identity]


def find_unstaged(source: str) -> str:
    """Return the query for protections added since they were staged; it yields a row if there are any."""
    queries = (
        f"SELECT 1 FROM (SELECT * FROM ({_STAGED[table].format(source=source)}) a EXCEPT SELECT * FROM {table}) b"
        for table in _CHECKED_TABLES
    )
    return " UNION ALL ".join(queries) + " LIMIT 1"
