"""Alembic environment: migrations run on the caller's connection, in its transaction."""

from alembic import context

from firmograph.database.connection import metadata
from firmograph.database.schema import declared_tables


def run() -> None:
    connection = context.config.attributes["connection"]
    if context.config.attributes.get("compare"):
        declared_tables()
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=False)
    with context.begin_transaction():
        context.run_migrations()


run()
