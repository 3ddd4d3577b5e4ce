"""Schema migrations (Alembic). Each stands on its own and does not change with the tables' code.

After a change to a package's `tables.py`, write the migration with

    python -m firmograph.database.migrations "what changes"

read it through, add what Alembic cannot see (triggers), and set `firmograph.database.schema.HEAD` to its revision.
"""
