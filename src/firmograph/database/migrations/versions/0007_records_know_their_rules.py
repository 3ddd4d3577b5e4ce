"""Records know by which rules they were written."""

from alembic import op

from firmograph.database.schema import RULES

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    # a database without records has none to write again
    op.execute(
        f"INSERT INTO installation (name, value) SELECT 'rules', '{RULES}'"
        " WHERE NOT EXISTS (SELECT 1 FROM contacts) AND NOT EXISTS (SELECT 1 FROM companies)"
    )


def downgrade() -> None:
    # what an older release imports follows older rules
    op.execute("DELETE FROM installation WHERE name = 'rules'")
