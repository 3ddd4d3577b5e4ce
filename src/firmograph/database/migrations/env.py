"""Alembic environment: migrations run on the caller's connection, in its transaction."""

from importlib import import_module

from alembic import context

from firmograph.database.connection import metadata

TABLES = (
    "firmograph.directory.tables",
    "firmograph.accounts.tables",
    "firmograph.billing.tables",
    "firmograph.ingest.imports.tables",
    "firmograph.ingest.quality.tables",
    "firmograph.jobs.tables",
    "firmograph.lookalikes.tables",
    "firmograph.operator_audit.tables",
    "firmograph.rate_limits.tables",
    "firmograph.record_tables.tables",
    "firmograph.signals.tables",
    "firmograph.visits.tables",
    "firmograph.webhooks.tables",
)
"""Modules of all tables, which only the generation of migrations needs."""


def run() -> None:
    connection = context.config.attributes["connection"]
    if context.config.attributes.get("compare"):
        for name in TABLES:
            import_module(name)
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=False)
    with context.begin_transaction():
        context.run_migrations()


run()
