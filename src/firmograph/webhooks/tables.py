"""Tables of webhooks: subscriptions, their delivery queues, the audit and secrets.

A subscription row is also the head of its delivery queue: a worker claims the subscription with a lease, and thereby
the right to send its first delivery. So at most one of its deliveries is in flight, in the order of detection, whatever
the number of workers. Deliveries that arrived are deleted; their rows in `audit_logs` stay.
"""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    return sa.Index(
        name, *columns, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where)
    )


webhook_secrets = sa.Table(
    "webhook_secrets",
    metadata,
    account_column(primary_key=True),
    # encrypted under the keyring
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Column("changed_at", sa.Double, nullable=False),
)

subscriptions = sa.Table(
    "subscriptions",
    metadata,
    id_column(),
    # the public id: 24 hexadecimal digits
    sa.Column("token", sa.Text, nullable=False, unique=True),
    account_column(),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    # number of the record; null for opt-outs
    sa.Column("entity_id", sa.BigInteger),
    # record id as it was first sent; account id for opt-outs
    sa.Column("named", sa.Text, nullable=False),
    # types joined by commas, in the order sent; `optOut` for opt-outs
    sa.Column("types", sa.Text, nullable=False),
    # the partner of an opt-out subscription; empty for none
    sa.Column("partner", sa.Text, nullable=False),
    sa.Column("name", sa.Text),
    sa.Column("url", sa.Text, nullable=False),
    # scheme, host and port of the URL, in lower case
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("active", sa.SmallInteger, nullable=False),
    # why and when failures disabled it; null if a caller disabled it
    sa.Column("block_reason", sa.Text),
    sa.Column("blocked_at", sa.Double),
    # time since which its owner has disabled it
    sa.Column("disabled_at", sa.Double),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("updated_at", sa.Double, nullable=False),
    # newest signal at its creation: it receives those after it
    sa.Column("after_signal", sa.BigInteger, nullable=False),
    # queued deliveries, including the one in flight
    sa.Column("queued", sa.BigInteger, nullable=False),
    # failed attempts of its first delivery
    sa.Column("attempts", sa.SmallInteger, nullable=False),
    # credits that its first delivery lacks, once it was withheld; else 0
    sa.Column("needs", sa.BigInteger, nullable=False),
    *lease_columns(),
    # record first, as the fan-out looks up the record of every signal
    sa.Index("subscriptions_record", "entity_id", "entity", "account_id", unique=True),
    _partial("subscriptions_partner", "account_id", "partner", where="entity_id IS NULL", unique=True),
    sa.Index("subscriptions_account", "account_id", "id"),
    _partial("subscriptions_due", "due_at", where="queued > 0 AND active = 1"),
    _partial("subscriptions_leased", "account_id", "origin", where="lease_until > 0"),
    _partial("subscriptions_retrying", "account_id", "url", where="attempts > 0"),
    sqlite_autoincrement=True,
)

deliveries = sa.Table(
    "deliveries",
    metadata,
    # in the order of detection
    id_column(),
    # the payload's `id`, also the key of its hold in the ledger
    sa.Column("payload_id", sa.Text, nullable=False, unique=True),
    account_column(),
    sa.Column("subscription_id", sa.BigInteger, nullable=False),
    # `types.State`
    sa.Column("state", sa.SmallInteger, nullable=False),
    # null for opt-outs
    sa.Column("signal_id", sa.BigInteger),
    sa.Column("identity", sa.LargeBinary),
    # credits held; null before the first attempt, and once the hold is settled
    sa.Column("held", sa.BigInteger),
    # body as sent, from the first attempt on; encrypted for opt-outs
    sa.Column("body", sa.LargeBinary),
    sa.Column("made_at", sa.Double, nullable=False),
    # first time that credits were lacking
    sa.Column("withheld_at", sa.Double),
    # time of its last failed attempt
    sa.Column("failed_at", sa.Double),
    # reason of cancellation, for the audit
    sa.Column("reason", sa.Text),
    sa.Index("deliveries_signal", "subscription_id", "signal_id", unique=True),
    sa.Index("deliveries_queue", "subscription_id", "state", "id"),
    # for signals deleted with the person they are about
    sa.Index("deliveries_of_signal", "signal_id"),
    sa.Index("deliveries_account", "account_id"),
    _partial("deliveries_cancelled", "account_id", where="state = 3"),
    # by age, for expiry
    _partial("deliveries_withheld", "withheld_at", where="withheld_at IS NOT NULL"),
    _partial("deliveries_failed", "failed_at", where="state = 2"),
    _partial("deliveries_opt_outs", "made_at", where="signal_id IS NULL"),
    sqlite_autoincrement=True,
)

coming_deliveries = sa.Table(
    "coming_deliveries",
    metadata,
    # deliveries of signals dated in the future; each joins the queue when that day begins
    sa.Column("payload_id", sa.Text, primary_key=True),
    account_column(),
    sa.Column("subscription_id", sa.BigInteger, nullable=False),
    sa.Column("signal_id", sa.BigInteger, nullable=False),
    sa.Column("identity", sa.LargeBinary, nullable=False),
    sa.Column("due_at", sa.Double, nullable=False),
    sa.Index("coming_deliveries_account", "account_id"),
    sa.Index("coming_deliveries_due", "due_at"),
    sa.Index("coming_deliveries_signal", "signal_id"),
    sa.Index("coming_deliveries_subscription", "subscription_id"),
)

audit_logs = sa.Table(
    "audit_logs",
    metadata,
    id_column(),
    account_column(),
    # public id of the subscription, which may be deleted
    sa.Column("subscription", sa.Text, nullable=False),
    sa.Column("payload_id", sa.Text, nullable=False),
    # `types.Status`
    sa.Column("status", sa.SmallInteger, nullable=False),
    # null if nothing was sent or there was no response
    sa.Column("status_code", sa.Integer),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("duration_ms", sa.Integer),
    sa.Column("error", sa.Text),
    # body of the receiver's response
    sa.Column("acknowledgement", sa.LargeBinary),
    # captured credits
    sa.Column("credits", sa.BigInteger, nullable=False),
    # milliseconds until the response began; null if there was none
    sa.Column("response_ms", sa.Integer),
    # 1 for a requested test
    sa.Column("is_test", sa.SmallInteger, nullable=False, server_default="0"),
    sa.Index("audit_logs_account", "account_id", "at", "id"),
    sa.Index("audit_logs_subscription", "account_id", "subscription", "at", "id"),
    sa.Index("audit_logs_age", "status", "at"),
    # `types.Status`; rare statuses that callers filter by
    _partial("audit_logs_failed", "account_id", "at", "id", where="status = 2"),
    _partial("audit_logs_ended", "account_id", "at", "id", where="status = 3"),
    sqlite_autoincrement=True,
)

audit_totals = sa.Table(
    "audit_totals",
    metadata,
    # totals of `audit_logs`, so that no request counts its rows
    account_column(primary_key=True),
    sa.Column("subscription", sa.Text, primary_key=True),
    sa.Column("status", sa.SmallInteger, primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    # how many of `count` are tests
    sa.Column("tests", sa.BigInteger, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

fanout_positions = sa.Table(
    "fanout_positions",
    metadata,
    # `signals`
    sa.Column("name", sa.Text, primary_key=True),
    # last signal whose deliveries were created
    sa.Column("signal_id", sa.BigInteger, nullable=False),
)
