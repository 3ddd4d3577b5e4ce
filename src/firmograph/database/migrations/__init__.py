"""Schema migrations (Alembic). Each stands on its own: what it does never changes with the tables' code.

After a change to some room's `tables.py`, write the migration with

    python -m firmograph.database.migrations "what changes"

read it through, add what Alembic cannot see (triggers), and set `firmograph.database.schema.HEAD` to its revision.
"""
