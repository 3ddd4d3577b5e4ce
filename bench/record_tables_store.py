"""What the bench of tables reads and does in the database itself: ids of records, sizes, holds of the writer."""

import fcntl
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import sqlalchemy as sa

from bench.record_tables_calls import EMAIL
from bench.sites import Site
from bench.workspace import environment
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.directory.tables import companies, contacts
from firmograph.kit.clock import SystemClock
from firmograph.record_tables import store
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.runs.cancel import stop_runs_of
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import load_settings

_ACCOUNT = "bench-0"
_CELLS = "record_table_cells"
_WRITER_BYTE = 120
"""Byte of the `-shm` file that SQLite locks for the one who writes (https://sqlite.org/walformat.html)."""
_LOCK = "hhqqi4x"
"""`struct flock` of Linux on 64 bits: kind, base, start, length, process."""
_LOOK_SECONDS = 0.0003
_SQLITE_BYTES = sa.text(
    "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = :name)"
)
_POSTGRESQL_BYTES = sa.text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
_DELETED = sa.text("SELECT count(*) FROM record_tables WHERE is_deleted = 1")


class Records:
    """Database of a site."""

    def __init__(self, site: Site) -> None:
        self._database = Database(site.url)
        keyring = ensure_keyring(load_settings(environment(**site.settings)), self._database)
        self._ids, self._table_ids = RecordIds(keyring), TableIds(keyring)
        accounts = Accounts(self._database, load_plans(), SystemClock())
        accounts.add_user(_ACCOUNT, EMAIL)
        self._account = accounts.find(_ACCOUNT).id
        self._shared: int | None = None

    def ids(self, kind: str, count: int) -> list[str]:
        """Return the ids of records from all over the database, in no order."""
        table, entity = (contacts, Entity.CONTACT) if kind == "contacts" else (companies, Entity.COMPANY)
        numbers = [row[0] for row in self._database.session().all(sa.select(table.c.id))]
        if len(numbers) < count:
            raise RuntimeError(f"There are too few {kind} for a table of {count:,}")
        return [self._ids.seal(entity, number) for number in Random(kind).sample(numbers, count)]

    def stop_runs(self, table_id: str) -> None:
        """Stop all open runs of a table."""
        number = self._table_ids.open_table(table_id)
        assert number is not None
        with self._database.write(account_scope(self._account)) as session:
            own = AccountSession(session, self._account)
            table = store.find_table(own, number)
            assert table is not None
            stop_runs_of(own, table, None, time.time())

    def bytes_of_cells(self) -> int:
        """Return the bytes of the cells of all tables in the database, with their index."""
        statement = _SQLITE_BYTES if self._database.embedded else _POSTGRESQL_BYTES
        row = self._database.session().one(statement, {"name": _CELLS})
        return int(row[0] or 0) if row else 0

    def has_deleted_tables(self) -> bool:
        """Return whether a worker has yet to delete the rest of a table."""
        row = self._database.session().one(_DELETED)
        return bool(row and row[0])

    @contextmanager
    def longest_hold(self) -> Iterator[list[float]]:
        """Watch the writer of an embedded database; after the block the list has its longest hold in milliseconds.

        It only looks whether another process has the lock, and never takes it. The list stays empty for a server.
        """
        found: list[float] = []
        if not self._database.embedded:
            yield found
            return
        if self._shared is None:
            self._shared = os.open(f"{self._database.path}-shm", os.O_RDWR)
        shared, done = self._shared, threading.Event()
        watching = threading.Thread(target=lambda: found.append(_watch(shared, done)))
        watching.start()
        try:
            yield found
        finally:
            done.set()
            watching.join()

    def close(self) -> None:
        self._database.close()
        # closing it earlier would give up this process's locks on that file
        if self._shared is not None:
            os.close(self._shared)


def _watch(shared: int, done: threading.Event) -> float:
    asked = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, _WRITER_BYTE, 1, 0)
    longest, since = 0.0, 0.0
    while not done.wait(_LOOK_SECONDS):
        held = struct.unpack(_LOCK, fcntl.fcntl(shared, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK
        now = time.perf_counter()
        if held:
            since = since or now
            longest = max(longest, now - since)
        else:
            since = 0.0
    return longest * 1e3
