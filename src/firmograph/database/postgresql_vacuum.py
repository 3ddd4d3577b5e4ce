"""Vacuum of tables, after which no version of a deleted row is in use.

The server keeps versions of rows that a session may still read. The bytes of removed ones stay in the free space of a
page until it is used again.
"""

import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any, Final

import psycopg
from psycopg import sql

_REMEMBER_TRANSACTION: Final = "SELECT set_config('firmograph.vacuum', pg_current_xact_id()::text, false)"
_EARLIER_SESSIONS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
AND age(backend_xmin) > age(current_setting('firmograph.vacuum')::xid8::xid)
"""
_POLL_SECONDS: Final = 0.2


def vacuum_tables(raw: "psycopg.Connection[Any]", tables: Iterable[str], wait_seconds: float) -> int:
    """Vacuum tables, and close the connection.

    Waits for sessions that read an earlier state. Returns the number of those that still do, whose versions stay.
    """
    with closing(raw):
        raw.execute("SET statement_timeout = 0; SET lock_timeout = 0")
        raw.execute(_REMEMBER_TRANSACTION)
        until = time.monotonic() + wait_seconds
        while (left := _earlier_sessions(raw)) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        for table in sorted(tables):
            raw.execute(sql.SQL("VACUUM {}").format(sql.Identifier(table)))
        return left


def _earlier_sessions(raw: "psycopg.Connection[Any]") -> int:
    row = raw.execute(_EARLIER_SESSIONS).fetchone()
    return int(row[0]) if row else 0
