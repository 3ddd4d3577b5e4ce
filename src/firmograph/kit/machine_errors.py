"""Which failures may be told: those of this machine. The message of any other may quote what people sent or are."""

import sqlite3
import sys


def told_of_machine(error: BaseException) -> str | None:
    """What a failure of a database, a disk or a network says, in one line; None for any other error."""
    error = getattr(error, "orig", None) or error  # what SQLAlchemy has wrapped
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    psycopg = sys.modules.get("psycopg")
    if isinstance(error, sqlite3.Error) or (psycopg and isinstance(error, psycopg.OperationalError)):
        lines = str(error).strip().splitlines()
        return lines[0] if lines else type(error).__name__
    return None
