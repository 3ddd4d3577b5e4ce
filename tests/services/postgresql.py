"""A real PostgreSQL of one's own: in a folder of its own, on a free port of the loopback, ended by its process id.

python tests/services/postgresql.py          starts one in a new folder, prints its URL, and ends it on Ctrl-C
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
"""Who runs it when the tests themselves run as root, which PostgreSQL refuses."""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "300",
    "shared_buffers": "256MB",
    "max_wal_size": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}
_CARELESS = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
"""What saves time where the server is thrown away anyway."""
_REMOVE = """
cat
kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")" && sleep 1
rm -rf "$0"
"""
"""Run beside it: when the pipe to it is closed, or whoever held it has died, nothing of the server is left."""
_MEMORY = "/dev/shm"
_ENOUGH_BYTES = 2 << 30


def binaries() -> Path | None:
    """The folder of the newest installed server, if there is one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    held = shutil.which("postgres")
    return found[-1].parent if found else Path(held).parent if held else None


class PostgreSQL:
    """One server; its data go with its folder."""

    def __init__(self, folder: Path | None = None, *, careful: bool = False, **settings: str) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="firmograph-postgresql-", dir=_place(careful)))
        self.port = free_port()
        self._settings = _SETTINGS | ({} if careful else _CARELESS) | settings
        self._process: subprocess.Popen[bytes] | None = None
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
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up and self._process.poll() is None:
            try:
                self.connect("postgres").close()
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return self
        raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT cuts connections off and ends in good order, SIGQUIT crashes, SIGTERM waits for clients to leave."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(60)

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        self.stop(how)
        self.start()

    def remove(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop(signal.SIGQUIT)
        # one that was killed leaves it, and the number may be another's by now
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

    def create(self, name: str, template: str = "template1") -> str:
        """The URL of a new database; by copies of files, which for small ones takes a third of the time."""
        with self.connect("postgres") as connection:
            # older servers copy files anyway
            how = " STRATEGY FILE_COPY" if connection.info.server_version >= 150_000 else ""
            statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}" + how)
            connection.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))
        return self.url(name)

    def cut_off(self, database: str) -> None:
        """End every connection to a database."""
        with self.connect("postgres") as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s",
                (database,),
            )

    def drop(self, name: str) -> None:
        """Whoever is still connected is cut off."""
        with self.connect("postgres") as connection:
            connection.execute(
                sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
            )

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


def _place(careful: bool) -> str | None:
    """Where new folders are made: in memory where there is enough, as a new database is some 300 files."""
    if careful or not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _ENOUGH_BYTES:
        return None
    return _MEMORY


def _as_user() -> dict[str, Any]:
    return {"user": _USER, "group": _USER, "extra_groups": []} if os.geteuid() == 0 else {}


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = PostgreSQL(careful=True).start()
    print(server.create("firmograph"), flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        print("ending", file=sys.stderr)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
