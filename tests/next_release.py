"""A next release of the schema, with one migration more than this one."""

import shutil
from pathlib import Path

import pytest

from firmograph.cli import schema as schema_command
from firmograph.database import schema
from firmograph.database.schema import HEAD

NEXT = f"{int(HEAD) + 1:04}"
_MIGRATION = f'''
"""Extras of accounts."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{HEAD}"


def upgrade() -> None:
    op.create_table("extras", sa.Column("name", sa.Text(), primary_key=True))
    op.add_column("accounts", sa.Column("extra", sa.Text(), nullable=False, server_default="none"))


def downgrade() -> None:
    op.drop_column("accounts", "extra")
    op.drop_table("extras")
'''


def become_next_release(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Make this process one of the next release; its migrations are written to the folder."""
    migrations = folder / "migrations"
    shutil.copytree(schema._MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    (migrations / "versions" / f"{NEXT}_extras.py").write_text(_MIGRATION)
    monkeypatch.setattr(schema, "_MIGRATIONS", migrations)
    for module in (schema, schema_command):
        monkeypatch.setattr(module, "HEAD", NEXT)
