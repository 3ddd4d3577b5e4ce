"""Error texts that are safe to show: operating-system errors only; other messages may quote personal data."""

import sqlite3
import sys


def machine_error_text(error: BaseException) -> str | None:
    """Return the one-line text of a database, disk or network error, None for any other error."""
    error = getattr(error, "orig", None) or error  # unwrap errors of SQLAlchemy
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    psycopg = sys.modules.get("psycopg")
    if isinstance(error, sqlite3.Error) or (psycopg and isinstance(error, psycopg.OperationalError)):
        lines = str(error).strip().splitlines()
        return lines[0] if lines else type(error).__name__
    return None
