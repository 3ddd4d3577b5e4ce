"""Changes know what was removed, and the database has an identity."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column(
        "changes", sa.Column("removed", sa.SmallInteger(), nullable=False, server_default=sa.text("0"))
    )
    op.create_index(
        "changes_removed",
        "changes",
        ["removed", "sequence"],
        unique=False,
        sqlite_where=sa.text("removed = 1"),
        postgresql_where=sa.text("removed = 1"),
    )
    # what was suppressed before now
    op.execute(
        "UPDATE changes SET removed = 1 WHERE entity = 1"
        " AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.id = changes.entity_id)"
    )
    op.execute(
        sa.text("INSERT INTO installation (name, value) VALUES ('identity', :identity)").bindparams(
            identity=secrets.token_hex(16)
        )
    )


def downgrade() -> None:
    op.execute("DELETE FROM installation WHERE name = 'identity'")
    op.drop_index("changes_removed", "changes")
    op.drop_column("changes", "removed")
