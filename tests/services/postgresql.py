"""A PostgreSQL server for tests, in its own folder on a free loopback port.

`python tests/services/postgresql.py` starts one in a new folder, prints its URL, and stops it on Ctrl-C.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

sys.path.insert(0, str(Path(__file__).parents[1]))

from services.ports import free_port

_USER = "postgres"
"""System user of the server when the tests run as root: PostgreSQL refuses to run as root."""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "max_wal_size": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}
_WITHOUT_DURABILITY = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
"""Faster settings for a server whose data need not survive a crash."""
_REMOVE = """
cat
kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")" && sleep 1
rm -rf "$0"
"""
"""Cleanup process: stops the server and removes its folder when its standard input is closed, also by a crash."""
_MEMORY = "/dev/shm"
_ENOUGH_BYTES = 2 << 30


def binaries() -> Path | None:
    """Return the folder of the newest installed server's programs, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("postgres")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class PostgreSQL:
    """One server; removing it deletes its data."""

    def __init__(self, folder: Path | None = None, *, durable: bool = False, **settings: str) -> None:
        self.folder = folder or Path(
            tempfile.mkdtemp(prefix="firmograph-postgresql-", dir=_parent_folder(durable))
        )
        self.port = free_port()
        self._settings = _SETTINGS | ({} if durable else _WITHOUT_DURABILITY) | settings
        self._process: subprocess.Popen[bytes] | None = None
        self._maintaining: psycopg.Connection[Any] | None = None
        self._remover = subprocess.Popen(
            ["sh", "-c", _REMOVE, str(self.folder)],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._own(self.folder)
        self._run(
            "initdb",
            "-D",
            str(self._data),
            "-U",
            "firmograph",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> "PostgreSQL":
        options = [f"-c{name}={value}" for name, value in self._settings.items()]
        command = [str(self._binary("postgres")), "-D", str(self._data), "-p", str(self.port), *options]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(command, cwd="/", stdout=log, stderr=log, **_as_user())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.connect("postgres").close()
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return self
        raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server.

        SIGINT closes connections and shuts down cleanly, SIGQUIT crashes, SIGTERM waits until clients disconnect.
        """
        assert self._process is not None
        if self._maintaining is not None:
            self._maintaining.close()
            self._maintaining = None
        self._process.send_signal(how)
        self._process.wait(60)

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        self.stop(how)
        self.start()

    def remove(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop(signal.SIGQUIT)
        # a killed server leaves this file, and another process may have its process id since
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        self._remover.communicate()

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://firmograph@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str) -> "psycopg.Connection[Any]":
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="firmograph",
            dbname=database,
            autocommit=True,
            connect_timeout=60,
        )

    @property
    def _maintenance(self) -> "psycopg.Connection[Any]":
        """The connection that creates and drops databases: opening one takes as long as dropping."""
        if self._maintaining is None or self._maintaining.closed:
            self._maintaining = self.connect("postgres")
        return self._maintaining

    def create(self, name: str, template: str = "template1") -> str:
        """Create a database and return its URL.

        Copying the template's files takes a third of the time of the default strategy for small databases.
        """
        connection = self._maintenance
        # older servers always copy files
        how = " STRATEGY FILE_COPY" if connection.info.server_version >= 150_000 else ""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}" + how)
        connection.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))
        return self.url(name)

    def close_connections(self, database: str) -> None:
        """Close every connection to a database."""
        self._maintenance.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s", (database,)
        )

    def drop(self, name: str) -> None:
        """Drop a database; close the connections to it."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        self._maintenance.execute(statement.format(sql.Identifier(name)))

    def _binary(self, name: str) -> Path:
        folder = binaries()
        if folder is None:
            raise FileNotFoundError("PostgreSQL is not installed: its package is called postgresql")
        return folder / name

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._binary(program)), *arguments],
            cwd="/",
            check=False,
            capture_output=True,
            text=True,
            **_as_user(),
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")

    def _own(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755 if os.geteuid() else 0o700)
        if os.geteuid() == 0:
            shutil.chown(folder, _USER)


def _parent_folder(durable: bool) -> str | None:
    """Return the parent of new folders, or None for the default; in memory if it has room for 300 files a database."""
    if durable or not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _ENOUGH_BYTES:
        return None
    return _MEMORY


def _as_user() -> dict[str, Any]:
    return {"user": _USER, "group": _USER, "extra_groups": []} if os.geteuid() == 0 else {}


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = PostgreSQL(durable=True).start()
    print(server.create("firmograph"), flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        print("stopping", file=sys.stderr)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
