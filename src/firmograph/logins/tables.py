"""Tables of logins, their sessions, one-time links, and failed attempts to sign in. Ids are never reused."""

import sqlalchemy as sa

from firmograph.database.columns import id_column
from firmograph.database.connection import metadata

logins = sa.Table(
    "logins",
    metadata,
    id_column(),
    # in lower case, as in `users`
    sa.Column("email", sa.Text, nullable=False, unique=True),
    # argon2id in its encoded form, with salt and parameters
    sa.Column("password", sa.Text, nullable=False),
    sa.Column("operator", sa.SmallInteger, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("password_at", sa.Double, nullable=False),
    sqlite_autoincrement=True,
)

login_sessions = sa.Table(
    "login_sessions",
    metadata,
    # SHA-256 of the token, which the browser alone has
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("login_id", sa.BigInteger, sa.ForeignKey("logins.id"), nullable=False, index=True),
    # null before an account was chosen
    sa.Column("chosen_account", sa.BigInteger),
    sa.Column("created_at", sa.Double, nullable=False),
    # saved once a minute
    sa.Column("used_at", sa.Double, nullable=False, index=True),
    sqlite_with_rowid=False,
)

login_links = sa.Table(
    "login_links",
    metadata,
    # SHA-256 of the token
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    # empty in a first-run link
    sa.Column("email", sa.Text, nullable=False),
    # of an invitation
    sa.Column("into_account", sa.BigInteger, index=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False, index=True),
    sqlite_with_rowid=False,
)

login_failures = sa.Table(
    "login_failures",
    metadata,
    id_column(),
    # keyed digests of the e-mail address and of the client's network
    sa.Column("email", sa.LargeBinary, nullable=False, index=True),
    sa.Column("network", sa.LargeBinary, nullable=False, index=True),
    sa.Column("at", sa.Double, nullable=False, index=True),
    sqlite_autoincrement=True,
)
