"""Imports in a process of their own that is killed at a chosen moment. Run as a program, it makes such processes.

Each is forked from one that has made imports before, for loading everything takes longer than the imports do.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from firmograph.database.connection import Database


class Done(NamedTuple):
    code: int
    """What the process ended with; `-signal.SIGKILL` when it was killed."""
    begun: int
    """How many of the imports were begun."""
    errors: str


class Imports:
    """Runs `firmograph import` several times in one process, one row in each commit."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(
        self, folder: Path, environment: dict[str, str], imports: Sequence[str], deadly: int = 0
    ) -> Done:
        """Killed at one moment, just before or just after a commit, unless that is 0."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"folder": str(folder), "environment": environment, "imports": imports, "deadly": deadly}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        begun = (folder / "out").read_text().splitlines().count("begun")
        return Done(code, begun, (folder / "errors").read_text())

    def end(self) -> None:
        self._process.communicate()


def main() -> None:
    with TemporaryDirectory() as folder:
        _have_everything_loaded(Path(folder))
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _be_killed(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _have_everything_loaded(folder: Path) -> None:
    """By imports into a database that nobody asks."""
    os.chdir(folder)
    os.environ["FIRMOGRAPH_DATABASE_URL"] = "sqlite:///loaded.db"
    rows = {
        "companies": {"name": "Acme", "domain": "acme.example"},
        "news": {"url": "https://n.example/1", "date": "2024-01-01", "title": "Acme wins", "text": "It did."},
    }
    for kind, row in rows.items():
        Path(kind).write_text(json.dumps(row))
    with redirect_stdout(sys.stderr):
        _import([f"{kind} {kind}" for kind in rows])
    os.chdir("/")


def _be_killed(asked: dict[str, Any]) -> None:
    """What the forked process does; it does not come back."""
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    for name, number in (("out", 1), ("errors", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    code = 1
    try:
        _die_at(asked["deadly"])
        _import(asked["imports"])
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _import(imports: Sequence[str]) -> None:
    from firmograph.cli.main import run
    from firmograph.ingest import commits

    commits._FEWEST = commits._FIRST = commits._MOST = 1
    for arguments in imports:
        print("begun", flush=True)
        sys.argv = ["firmograph", "import", *arguments.split()]
        try:
            run()
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"{arguments} ended with {ended.code}") from ended


def _die_at(deadly: int) -> None:
    writing, seen = Database.write, 0

    def moment() -> None:
        nonlocal seen
        seen += 1
        if seen == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def write(database: Database, *scopes: int) -> Iterator[Any]:
        with writing(database, *scopes) as session:
            yield session
            moment()
        moment()

    Database.write = write  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    main()
