"""Table of operators' actions. Triggers refuse to update or delete its rows."""

import sqlalchemy as sa

from firmograph.database.columns import id_column
from firmograph.database.connection import metadata

operator_actions = sa.Table(
    "operator_actions",
    metadata,
    id_column(),
    # random; the same in restored copies
    sa.Column("token", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("at", sa.Double, nullable=False),
    # user of the operating system
    sa.Column("actor", sa.Text, nullable=False),
    # command, such as `credits grant`
    sa.Column("action", sa.Text, nullable=False),
    # number of the account, if it was done to one
    sa.Column("account", sa.BigInteger),
    # other object, such as `key fg_1a2b3c4d` or `user 7`; empty without one
    sa.Column("subject", sa.Text, nullable=False),
    # keyed digest of a person
    sa.Column("person", sa.LargeBinary),
    # JSON of numbers and names by what they count
    sa.Column("details", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Index("operator_actions_account", "account", "id"),
    sqlite_autoincrement=True,
)
