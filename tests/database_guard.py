"""Guards of the marks that leave tests out on PostgreSQL: `no_database` and `any_database`."""

import multiprocessing.process
import os
import re
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import ModuleType
from typing import Any

import psycopg
import pytest

from firmograph.database.connection import Database

_WAYS = (
    (Database, "session", "uses a database"),
    (sqlite3, "connect", "opens a database"),
    (psycopg.Connection, "connect", "connects to a database"),
    (subprocess.Popen, "__init__", "starts a process"),
    (multiprocessing.process.BaseProcess, "start", "starts a process"),
    (os, "fork", "starts a process"),
)
"""The ways to a database. A process is one of them, as nobody here sees what it opens."""
_STATEMENTS = re.compile(r"sqlalchemy\b|firmograph\.(database\.(?!connection\b)|.*(store|tables)$)")
"""Modules of statements. A test that needs one of them is about the database."""


def refuse_statements(items: list[pytest.Item]) -> None:
    """Refuse the mark `any_database` for modules that import statements or what executes them."""
    modules = {item.module for item in items if item.get_closest_marker("any_database")}  # type: ignore[attr-defined]
    for module in modules:
        for name, value in vars(module).items():
            origin = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(origin, str) and _STATEMENTS.match(origin):
                raise pytest.UsageError(
                    f"{module.__name__} is marked any_database, but imports {name} of {origin}"
                )


def guarded(item: pytest.Item) -> AbstractContextManager[None]:
    """Refuse every way to a database while a phase of a test marked `no_database` runs."""
    return _no_database() if item.get_closest_marker("no_database") else nullcontext()


@contextmanager
def _no_database() -> Iterator[None]:
    """Refuse every way to a database, and fail at the end if the code under test continued after a refusal.

    Running threads, such as those of an application that other tests share, are not guarded.
    """
    refused: list[str] = []
    earlier = set(threading.enumerate()) - {threading.current_thread()}

    def refusing(way: Callable[..., Any], deed: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if threading.current_thread() in earlier:
                return way(*given, **named)
            refused.append(deed)
            raise AssertionError(f"the test is marked no_database, but {deed}")

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name, deed in _WAYS:
            patch.setattr(owner, name, refusing(getattr(owner, name), deed))
        yield
    assert not refused, f"the test is marked no_database, but {refused[0]}"
