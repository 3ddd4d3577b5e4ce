"""What several servers and workers on one database need."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# A writer of changes says, before it takes its first place in the sequence, after which place its own will come: it
# holds a lock with that number until it ends. Readers stop before the lowest of these
# (indexing/store.py). Its later statements need not say it again, and thousands of them would fill the
# server's table of locks.
_ANNOUNCE = """
CREATE FUNCTION changes_announce() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place bigint;
BEGIN
    IF current_setting('firmograph.announced', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    SELECT last_value INTO place FROM changes_sequence_seq;
    PERFORM pg_advisory_xact_lock_shared((70::bigint << 56) | place);
    PERFORM set_config('firmograph.announced', 'yes', true);
    RETURN NULL;
END $$
"""
_TRIGGER = """
CREATE TRIGGER changes_announced BEFORE INSERT ON changes FOR EACH STATEMENT EXECUTE FUNCTION changes_announce()
"""


def upgrade() -> None:
    op.create_table(
        "duties",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )
    # the database that this one was made as: a restored copy gets an identity of its own and keeps its origin
    op.execute(
        "INSERT INTO installation (name, value) SELECT 'origin', value FROM installation WHERE name = 'identity'"
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_ANNOUNCE)
        op.execute(_TRIGGER)


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER changes_announced ON changes")
        op.execute("DROP FUNCTION changes_announce()")
    op.execute("DELETE FROM installation WHERE name = 'origin'")
    op.drop_table("duties")
