"""What a restored copy takes over from the database that it replaces (decisions D).

Nobody who was suppressed or erased there, and no key or account that was shut there, comes back with an older copy.
The statements are plain text without parameters, the same for both databases, because in PostgreSQL they run inside
the script that restores (`postgresql.py`). They use temporary tables, which go with the connection:

`stage` copies what counts out of the database that is about to be replaced. `apply` runs on the restored copy.

- Every suppression that the copy does not have is added; none is lifted.
- A record of the copy goes when it holds a strong key that is newly suppressed, unless the very same record held that
  key in the replaced database too: then someone else who shares the address was suppressed, and this one was left.
- It goes as well when its number was removed there, if both are of one origin: only then do numbers mean the same.
- Its signals go with it, and every post that names someone who goes or is newly suppressed, as a whole: nothing here
  can rewrite one, as `signals.erase` does. The next import of posts brings it back without the name. So does all news
  that names someone who is newly suppressed.
- Keys that were revoked are revoked, accounts that were disabled are disabled (the same one: number and moment of
  creation).
- Numbers of records go on after the last one of both, so that no id that was given out comes to mean another.
- The copy gets an identity of its own, so that no index of another state is taken for one of this. A worker that is
  still sending for the replaced database has nothing to say about it: no lease of that one means anything here.
"""

import secrets
from typing import NamedTuple

from firmograph.database.schema import HEAD
from firmograph.security.record_ids import Entity
from firmograph.webhooks.erasure import REASON
from firmograph.webhooks.types import State

_CONTACT = int(Entity.CONTACT)
_FAILED, _CANCELLED = int(State.FAILED), int(State.CANCELLED)

_STAGED = {
    "was_suppressed": "SELECT digest, person, strong, at FROM {held}suppressions",
    "was_holder": (
        "SELECT digest, contact_id AS number FROM {held}contact_keys"
        " WHERE digest IN (SELECT digest FROM {held}suppressions WHERE strong = 1)"
        " AND contact_id IN (SELECT id FROM {held}contacts)"
    ),
    "was_removed": (
        f"SELECT DISTINCT entity_id AS number FROM {{held}}changes WHERE removed = 1 AND entity = {_CONTACT}"
    ),
    "was_revoked": "SELECT digest, revoked_at FROM {held}api_keys WHERE revoked_at IS NOT NULL",
    "was_disabled": "SELECT id, created_at FROM {held}accounts WHERE active = 0",
    "was_counted": "SELECT name, value FROM {held}counters",
    "was_secret": (
        "SELECT s.account_id, a.created_at, s.sealed, s.changed_at"
        " FROM {held}webhook_secrets s JOIN {held}accounts a ON a.id = s.account_id"
    ),
    "was_opt_out": (
        "SELECT d.id AS number, s.token, d.payload_id, d.state, d.held, d.body, d.made_at, d.failed_at, d.reason"
        " FROM {held}deliveries d JOIN {held}subscriptions s ON s.id = d.subscription_id WHERE d.signal_id IS NULL"
    ),
    "was_installed": "SELECT name, value FROM {held}installation WHERE name = 'origin'",
}
_GUARDED = ("was_suppressed", "was_removed", "was_revoked", "was_disabled", "was_secret", "was_opt_out")
"""Those whose growth must not be missed."""

_WITH_SIGNALS, _WITH_WEBHOOKS, _WITH_SPLITS = "0004", "0005", "0010"
"""The schemas that brought them; where a backup's own script is run first (`postgresql.py`), it may be older."""

_ONE_ORIGIN = (
    "EXISTS (SELECT 1 FROM installation i JOIN was_installed w ON w.name = i.name AND w.value = i.value)"
)

_BEFORE = (
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
# of whom posts and news name there are keys; of held contacts in posts a longer digest of their numbers too
# (`signals.posts.number_digest`), and of whom their summaries may name one that is longer still (`summary_digest`)
_UNSAID = (
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
"""Before the keys of the records go."""
_WEBHOOKS = (
    "UPDATE audit_logs SET acknowledgement = NULL WHERE acknowledgement IS NOT NULL AND subscription IN"
    " (SELECT b.token FROM subscriptions b JOIN"
    " (SELECT entity, entity_id FROM signals WHERE id IN (SELECT id FROM new_unsaid)"
    f" UNION SELECT {_CONTACT}, number FROM new_erased) r ON r.entity = b.entity AND r.entity_id = b.entity_id)",
    f"DELETE FROM deliveries WHERE state = {_FAILED} AND signal_id IN (SELECT id FROM new_unsaid)",
    f"UPDATE deliveries SET state = {_CANCELLED}, body = NULL, reason = '{REASON}'"
    " WHERE signal_id IN (SELECT id FROM new_unsaid)",
    "DELETE FROM partner_reveals WHERE record_id IN (SELECT number FROM new_erased)",
    f"DELETE FROM deliveries WHERE signal_id IS NULL AND {_ONE_ORIGIN}",
    "INSERT INTO deliveries"
    " (payload_id, account_id, subscription_id, state, held, body, made_at, failed_at, reason)"
    " SELECT w.payload_id, s.account_id, s.id, w.state, w.held, w.body, w.made_at, w.failed_at, w.reason"
    f" FROM was_opt_out w JOIN subscriptions s ON s.token = w.token WHERE {_ONE_ORIGIN} ORDER BY w.number",
    # of whoever has a lease in the replaced database, the number is left far behind
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
_APPLIED = (
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
_COUNTED = ("new_suppressed", "new_erased", "new_revoked", "new_disabled")
_MADE = (*_COUNTED, "new_unsaid", "new_secret")

COUNTS = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in _COUNTED)
"""How much was carried over, as the fields of `Carried`; to be asked after `apply`."""


class Carried(NamedTuple):
    """What a restored copy took over."""

    suppressions: int = 0
    """Hashes."""
    erased: int = 0
    """Records that went."""
    revoked: int = 0
    """API keys."""
    disabled: int = 0
    """Accounts."""

    def plus(self, other: "Carried") -> "Carried":
        return Carried(*(one + another for one, another in zip(self, other, strict=True)))


def stage(held: str = "") -> list[str]:
    """Statements that note what counts of the database whose tables have this prefix."""
    drop = [f"DROP TABLE IF EXISTS {table}" for table in _STAGED]
    return drop + [
        f"CREATE TEMPORARY TABLE {table} AS {text.format(held=held)}" for table, text in _STAGED.items()
    ]


def apply(schema: str = HEAD) -> list[str]:
    """Statements that make a restored copy of this schema safe to use; they may be run again after another `stage`."""
    identity = f"UPDATE installation SET value = '{secrets.token_hex(16)}' WHERE name = 'identity'"
    told = _WEBHOOKS if schema >= _WITH_WEBHOOKS else ()
    signals = [*_UNSAID, *told, *_SIGNALS] if schema >= _WITH_SIGNALS else []
    splits = _SPLITS if schema >= _WITH_SPLITS else ()
    dropped = [f"DROP TABLE IF EXISTS {table}" for table in _MADE]
    return [*dropped, *_BEFORE, *signals, *splits, *_APPLIED, identity]


def missed(held: str) -> str:
    """Asks whether there is more by now than was staged: a row if there is."""
    more = (
        f"SELECT 1 FROM (SELECT * FROM ({_STAGED[table].format(held=held)}) a EXCEPT SELECT * FROM {table}) b"
        for table in _GUARDED
    )
    return " UNION ALL ".join(more) + " LIMIT 1"
