"""The programs that come with PostgreSQL: found, given the way to the database, run, and their failures told."""

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
from firmograph.kit.errors import Refused

_INSTALLED: Final = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs of each version."""
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_FAILURE = re.compile(r"(?:ERROR|FATAL|error|fatal): +(.*)")
_server_version = sa.text("SELECT current_setting('server_version_num')::int / 10000")


class Programs:
    """The programs that fit the server of a database: of its version, else of the next one.

    Newer ones than need be are not taken: they write statements that an older server does not know.
    """

    def __init__(self, url: str, session: Session) -> None:
        address = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        way = conninfo_to_dict(address)
        password = way.pop("password", None)
        self._way = make_conninfo("", **way)
        self.environment = {**os.environ, "PGCONNECT_TIMEOUT": "10", "LC_ALL": "C"}
        if password:
            # every user of the machine can read a command line
            self.environment["PGPASSWORD"] = str(password)
        self._server = int(session.all(_server_version)[0][0])

    def command(self, name: str, *options: str, connect: bool = True) -> list[str]:
        """A command line. Raises Refused when there is no such program, or only older ones."""
        way = [f"--dbname={self._way}"] if connect else []
        return [self._found(name), *options, *way]

    def _found(self, name: str) -> str:
        first = shutil.which(name)
        paths = [first] if first else []
        paths += [str(path) for path in _INSTALLED.glob(f"*/bin/{name}")]
        versions = {path: _version(path) for path in reversed(paths)}
        fitting = [path for path, version in versions.items() if version >= self._server]
        if fitting:
            return min(fitting, key=lambda path: versions[path])
        package = f"install PostgreSQL's client programs of version {self._server} (postgresql-client-{self._server})"
        if versions:
            newest = max(versions.values())
            raise Refused(f"{name} {newest} is older than the server, which is {self._server}; {package}")
        raise Refused(f"{name} is missing; {package}")


def _version(path: str) -> int:
    """The major version of a program; 0 when it does not run."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    found = _VERSION.search(said)
    return int(found[1]) if found else 0


@contextmanager
def running(
    command: Sequence[str], environment: dict[str, str], **pipes: Any
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process, ended when the block ends by an exception. Raises Refused, in one line, when it failed itself."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **pipes}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, env=environment, stderr=errors, **pipes)
        try:
            yield process
            if process.stdin is not None:
                process.stdin.close()
            process.wait()
        finally:
            # it has ended, unless something was raised
            process.kill()
            process.wait()
        if process.returncode:
            errors.seek(0)
            raise Refused(f"{Path(command[0]).name} failed: {_told(errors.read().decode(errors='replace'))}")


def _told(said: str) -> str:
    """The first failure. What stands around it may quote what people sent or are."""
    found = _FAILURE.search(said)
    return found[1] if found else "it did not say why"
