"""Imports in processes that are killed at a chosen moment.

Run as a program, this module forks such processes after it has loaded everything: loading takes longer than imports.
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
from process_server import LoadedProcess

_TESTS = str(Path(__file__).parents[1])


class ImportRun(NamedTuple):
    code: int
    """Exit code of the process; `-signal.SIGKILL` if it was killed."""
    started: int
    """Number of started imports."""
    errors: str


class Imports:
    """Runner of several `firmograph import` in one process, with commits of one row."""

    def __init__(self) -> None:
        program = (
            f"import runpy, sys; sys.path[0] = {_TESTS!r}; runpy.run_path({__file__!r}, run_name='__main__')"
        )
        self._process = LoadedProcess(
            ["-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(
        self, folder: Path, environment: dict[str, str], imports: Sequence[str], kill_at: int = 0
    ) -> ImportRun:
        """Run imports; kill the process at this moment unless it is 0. Moments lie before and after each commit."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"folder": str(folder), "environment": environment, "imports": imports, "kill_at": kill_at}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        started = (folder / "out").read_text().splitlines().count("started")
        return ImportRun(code, started, (folder / "errors").read_text())

    def end(self) -> None:
        self._process.communicate()


def main() -> None:
    with TemporaryDirectory() as folder:
        _load_everything(Path(folder))
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _run_forked(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _load_everything(folder: Path) -> None:
    """Load all modules by imports into a scratch database."""
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


def _run_forked(request: dict[str, Any]) -> None:
    """Run the imports of a forked process; it does not return."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for name, number in (("out", 1), ("errors", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    code = 1
    try:
        _kill_self_at(request["kill_at"])
        _import(request["imports"])
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _import(imports: Sequence[str]) -> None:
    from firmograph.cli.main import run
    from firmograph.ingest import commits

    commits._MIN_ROWS = commits._START_ROWS = commits._MAX_ROWS = 1
    for arguments in imports:
        print("started", flush=True)
        sys.argv = ["firmograph", "import", *arguments.split()]
        try:
            run()
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"{arguments} ended with {ended.code}") from ended


def _kill_self_at(kill_at: int) -> None:
    writing, seen = Database.write, 0

    def pass_moment() -> None:
        nonlocal seen
        seen += 1
        if seen == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def write(database: Database, *scopes: int) -> Iterator[Any]:
        with writing(database, *scopes) as session:
            yield session
            pass_moment()
        pass_moment()

    Database.write = write  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    main()
