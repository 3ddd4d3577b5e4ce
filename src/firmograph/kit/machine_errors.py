"""Error texts that are safe to show: operating-system errors only; other messages may quote personal data."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from firmograph.kit.errors import Refused


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


@contextmanager
def refuse_machine_errors(what: str) -> Iterator[None]:
    """Raise Refused with `what` and the reason in place of a machine error, such as no space or no permission."""
    try:
        yield
    except Exception as error:
        reason = machine_error_text(error)
        if reason is None:
            raise
        raise Refused(f"{what}: {reason}") from error
