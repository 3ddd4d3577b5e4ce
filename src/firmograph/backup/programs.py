"""Lookup and execution of PostgreSQL's client programs."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from firmograph.database.connection import Session
from firmograph.database.postgresql import library_url
from firmograph.kit.errors import Refused

_DEBIAN_FOLDER: Final = Path("/usr/lib/postgresql")
"""Folder of each version's programs on Debian."""
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_FAILURE = re.compile(r"(?:ERROR|FATAL|error|fatal): +(.*)")
_server_version = sa.text("SELECT current_setting('server_version_num')::int / 10000")


class Programs:
    """Client programs that match the server's version.

    If there is none of its version, the next newer one is used; the newest may write statements that older servers do
    not know.
    """

    def __init__(self, url: str, session: Session) -> None:
        connection = conninfo_to_dict(library_url(url))
        password = connection.pop("password", None)
        self._connection = make_conninfo("", **connection)
        self.environment = {**os.environ, "PGCONNECT_TIMEOUT": "10", "LC_ALL": "C"}
        if password:
            # every local user can read command lines
            self.environment["PGPASSWORD"] = str(password)
        self._server = int(session.all(_server_version)[0][0])

    def command(self, name: str, *options: str, connect: bool = True) -> list[str]:
        """Return a command line. Raises Refused if the program is missing or too old."""
        connection = [f"--dbname={self._connection}"] if connect else []
        return [self._find(name), *options, *connection]

    def _find(self, name: str) -> str:
        first = shutil.which(name)
        paths = [first] if first else []
        paths += [str(path) for path in _DEBIAN_FOLDER.glob(f"*/bin/{name}")]
        versions = {path: _version(path) for path in reversed(paths)}
        fitting = [path for path, version in versions.items() if version >= self._server]
        if fitting:
            return min(fitting, key=lambda path: versions[path])
        package = (
            f"install the client programs of PostgreSQL {self._server} (postgresql-client-{self._server})"
        )
        if versions:
            newest = max(versions.values())
            raise Refused(f"{name} {newest} is older than the server ({self._server}); {package}")
        raise Refused(f"{name} is missing; {package}")


def _version(path: str) -> int:
    """Return the major version of a program; 0 if it does not run."""
    try:
        output = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    found = _VERSION.search(output)
    return int(found[1]) if found else 0


@contextmanager
def run_program(
    command: Sequence[str], environment: dict[str, str], **pipes: Any
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a process, killed if the block raises. Raises Refused with one line if the process fails."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **pipes}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, env=environment, stderr=errors, **pipes)
        try:
            yield process
            if process.stdin is not None:
                process.stdin.close()
            process.wait()
        finally:
            # it has exited already unless the block raised
            process.kill()
            process.wait()
        if process.returncode:
            errors.seek(0)
            raise Refused(
                f"{Path(command[0]).name} failed: {_first_error(errors.read().decode(errors='replace'))}"
            )


def _first_error(output: str) -> str:
    """Return the first error; the lines around it may quote personal data."""
    found = _FAILURE.search(output)
    return found[1] if found else "it gave no reason"
