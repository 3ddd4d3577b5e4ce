"""Steps of a call: when the engine is asked, and when a writer of an account is held."""

from contextlib import contextmanager

from firmograph.database.connection import Database
from firmograph.database.session import ACCOUNT_SCOPES
from firmograph.prospecting.engines.memory.engine import MemoryEngine


def record_steps(monkeypatch, method):
    """Return a list that gets `begin` and `commit` of writers of accounts, and the name of the engine's method."""
    steps, write, ask = [], Database.write, getattr(MemoryEngine, method)

    @contextmanager
    def recorded_write(database, *scopes):
        of_account = any(scope and scope >= ACCOUNT_SCOPES for scope in scopes)
        with write(database, *scopes) as session:
            steps.extend(["begin"] * of_account)
            yield session
        steps.extend(["commit"] * of_account)

    def recorded(engine, *arguments):
        steps.append(method)
        return ask(engine, *arguments)

    monkeypatch.setattr(Database, "write", recorded_write)
    monkeypatch.setattr(MemoryEngine, method, recorded)
    return steps
