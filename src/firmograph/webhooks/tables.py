"""The tables of webhooks: who wants to be told of what, and what is still to be told.

A subscription is also the lane of its deliveries: a worker claims the subscription (`database/leases.py`), and with
it the right to send the first of its deliveries. So at most one is on its way, in the order of detection, whatever
the number of workers. Deliveries are the queue: one that arrived is deleted, and what stays of it is its row in
`audit_logs`.
"""

import sqlalchemy as sa

from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns


def _id() -> "sa.Column[int]":
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True)


def _account(*, primary_key: bool = False) -> "sa.Column[int]":
    return sa.Column(
        "account_id", sa.BigInteger, sa.ForeignKey("accounts.id"), primary_key=primary_key, nullable=False
    )


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    return sa.Index(
        name, *columns, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where)
    )


webhook_secrets = sa.Table(
    "webhook_secrets",
    metadata,
    _account(primary_key=True),
    # sealed under the keyring (`secrets.py`)
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Column("changed_at", sa.Double, nullable=False),
)

subscriptions = sa.Table(
    "subscriptions",
    metadata,
    _id(),
    # the public id: 24 hexadecimal digits
    sa.Column("token", sa.Text, nullable=False, unique=True),
    _account(),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    # number of the record; null for opt-outs, which are of everyone
    sa.Column("entity_id", sa.BigInteger),
    # the record's id as it was first sent, or the account's for opt-outs
    sa.Column("named", sa.Text, nullable=False),
    # names of types joined by commas, in the order sent; `optOut` for opt-outs
    sa.Column("types", sa.Text, nullable=False),
    # the partner of an opt-out subscription; empty for none
    sa.Column("partner", sa.Text, nullable=False),
    sa.Column("name", sa.Text),
    sa.Column("url", sa.Text, nullable=False),
    # scheme, host and port of the URL, in lower case
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("active", sa.SmallInteger, nullable=False),
    # why it was disabled by itself, and when; null where a caller disabled it
    sa.Column("block_reason", sa.Text),
    sa.Column("blocked_at", sa.Double),
    # since when it has been disabled, where its owner disabled it
    sa.Column("disabled_at", sa.Double),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("updated_at", sa.Double, nullable=False),
    # the newest signal when it was made: it is told of those after it
    sa.Column("after_signal", sa.BigInteger, nullable=False),
    # deliveries that wait, the one on its way included
    sa.Column("queued", sa.BigInteger, nullable=False),
    # failed attempts of the first of them
    sa.Column("attempts", sa.SmallInteger, nullable=False),
    # credits that its first delivery needs, once it was found that they are not there; else 0
    sa.Column("needs", sa.BigInteger, nullable=False),
    *lease_columns(),
    # the record first: it is asked for by every new signal
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
    _id(),
    # the `id` of the payload, which is the key of its hold in the ledger too
    sa.Column("payload_id", sa.Text, nullable=False, unique=True),
    _account(),
    sa.Column("subscription_id", sa.BigInteger, nullable=False),
    # `types.State`
    sa.Column("state", sa.SmallInteger, nullable=False),
    # null for opt-outs
    sa.Column("signal_id", sa.BigInteger),
    sa.Column("identity", sa.LargeBinary),
    # credits held for it; null before its first attempt, and once the hold has ended
    sa.Column("held", sa.BigInteger),
    # as it is sent, from its first attempt on; sealed for opt-outs (`opt_outs.py`)
    sa.Column("body", sa.LargeBinary),
    sa.Column("made_at", sa.Double, nullable=False),
    # when credits were first found missing
    sa.Column("withheld_at", sa.Double),
    # when its last attempt failed
    sa.Column("failed_at", sa.Double),
    # why it was cancelled, for the audit
    sa.Column("reason", sa.Text),
    sa.Index("deliveries_signal", "subscription_id", "signal_id", unique=True),
    sa.Index("deliveries_queue", "subscription_id", "state", "id"),
    # of a signal that has to go with the person it is about
    sa.Index("deliveries_of_signal", "signal_id"),
    sa.Index("deliveries_account", "account_id"),
    _partial("deliveries_cancelled", "account_id", where="state = 3"),
    # by age, for what ends them one day (`ageing.py`)
    _partial("deliveries_withheld", "withheld_at", where="withheld_at IS NOT NULL"),
    _partial("deliveries_failed", "failed_at", where="state = 2"),
    _partial("deliveries_opt_outs", "made_at", where="signal_id IS NULL"),
    sqlite_autoincrement=True,
)

coming_deliveries = sa.Table(
    "coming_deliveries",
    metadata,
    # of signals whose day is still to come: each joins the queue when that begins
    sa.Column("payload_id", sa.Text, primary_key=True),
    _account(),
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
    _id(),
    _account(),
    # the public id of the subscription, which may be gone
    sa.Column("subscription", sa.Text, nullable=False),
    sa.Column("payload_id", sa.Text, nullable=False),
    # `types.Status`
    sa.Column("status", sa.SmallInteger, nullable=False),
    # null where no answer came, or nothing was sent
    sa.Column("status_code", sa.Integer),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("duration_ms", sa.Integer),
    sa.Column("error", sa.Text),
    # what the receiver answered
    sa.Column("acknowledgement", sa.LargeBinary),
    # captured
    sa.Column("credits", sa.BigInteger, nullable=False),
    # until the answer began; null where none did
    sa.Column("response_ms", sa.Integer),
    # 1 of a test that a caller asked for
    sa.Column("is_test", sa.SmallInteger, nullable=False, server_default="0"),
    sa.Index("audit_logs_account", "account_id", "at", "id"),
    sa.Index("audit_logs_subscription", "account_id", "subscription", "at", "id"),
    sa.Index("audit_logs_age", "status", "at"),
    # `types.Status`; few among many, and they are looked for
    _partial("audit_logs_failed", "account_id", "at", "id", where="status = 2"),
    _partial("audit_logs_ended", "account_id", "at", "id", where="status = 3"),
    sqlite_autoincrement=True,
)

audit_totals = sa.Table(
    "audit_totals",
    metadata,
    # of the rows of `audit_logs`, so that nobody counts a million of them
    _account(primary_key=True),
    sa.Column("subscription", sa.Text, primary_key=True),
    sa.Column("status", sa.SmallInteger, primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    # of the count, those that are tests
    sa.Column("tests", sa.BigInteger, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

fanout_positions = sa.Table(
    "fanout_positions",
    metadata,
    # `signals`
    sa.Column("name", sa.Text, primary_key=True),
    # the last signal of which deliveries were made
    sa.Column("signal_id", sa.BigInteger, nullable=False),
)

partner_reveals = sa.Table(
    "partner_reveals",
    metadata,
    # what of a contact an account was shown on behalf of which of its partners, and when first
    _account(primary_key=True),
    sa.Column("record_id", sa.BigInteger, primary_key=True),
    sa.Column("partner", sa.Text, primary_key=True),
    # emails or phones
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("first_at", sa.Double, nullable=False),
    sa.Index("partner_reveals_record", "record_id"),
    sqlite_with_rowid=False,
)
