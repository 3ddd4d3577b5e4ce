"""Count of the SQL statements of answering threads."""

import pytest

from firmograph.database.connection import Session
from index_fixtures import in_index_thread


def record_statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each statement is added from now on, transaction bounds excluded."""
    calls: list[str] = []
    execute, many = Session.execute, Session.many

    def counting_execute(self, *arguments, **named):
        if not in_index_thread():
            calls.append("execute")
        return execute(self, *arguments, **named)

    def counting_many(self, statement, rows):
        rows = list(rows)
        if rows and not in_index_thread():
            calls.append("executemany")
        return many(self, statement, rows)

    monkeypatch.setattr(Session, "execute", counting_execute)
    monkeypatch.setattr(Session, "many", counting_many)
    return calls
