"""Count of the SQL statements of the test and of the threads that answer requests."""

import asyncio
import threading

import pytest

from firmograph.database.connection import Session


def record_statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each statement is added from now on, transaction bounds excluded.

    Threads that no request waits for (indexes, models, jobs, saved rate counters) run statements at any time, so only
    those of the test's own thread, of event loops and of threads that answer requests are added.
    """
    calls: list[str] = []
    execute, many = Session.execute, Session.many
    own = threading.current_thread()

    def is_counted() -> bool:
        current = threading.current_thread()
        return current is own or current.name.startswith("request ") or _runs_event_loop()

    def counting_execute(self, *arguments, **named):
        if is_counted():
            calls.append("execute")
        return execute(self, *arguments, **named)

    def counting_many(self, statement, rows):
        rows = list(rows)
        if rows and is_counted():
            calls.append("executemany")
        return many(self, statement, rows)

    monkeypatch.setattr(Session, "execute", counting_execute)
    monkeypatch.setattr(Session, "many", counting_many)
    return calls


def _runs_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
