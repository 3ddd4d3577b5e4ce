"""Imports in separate processes that halt at a chosen moment, so that tests have no races."""

import subprocess
import tempfile
from pathlib import Path

from process_server import LoadedProcess
from server_fixtures import Command, eventually

_IMPORT = """
import sys
from contextlib import contextmanager
from firmograph.cli.main import run
from firmograph.ingest import commits
from firmograph.ingest import preparation_process as feed
from firmograph.ingest.service import Importer
from firmograph.database.connection import RECORDS, Database

_, rows, halt_at, own_process, *sys.argv = sys.argv
commits._MIN_ROWS = commits._START_ROWS = commits._MAX_ROWS = int(rows)
if own_process:
    feed.IN_PROCESS_BYTES = -1
writing, committing, in_commit, seen = Database.write, Importer._commit, False, 0

def moment():
    global seen
    seen += 1
    if seen == int(halt_at):
        print("halted", flush=True)
        sys.stdin.readline()

@contextmanager
def write(database, *scopes):
    with writing(database, *scopes) as session:
        yield session
        if in_commit and scopes == (RECORDS,):
            moment()
    if in_commit and scopes == (RECORDS,):
        moment()

def commit(importer, *rows):
    global in_commit
    in_commit = True
    try:
        return committing(importer, *rows)
    finally:
        in_commit = False

Database.write, Importer._commit = write, commit
run()
"""


class Halting:
    """`firmograph import contacts FILE --json` in small commits."""

    def __init__(
        self, command: Command, file: str, at: int, rows: int = 100, *, own_process: bool = False
    ) -> None:
        """Limit commits to `rows`. Halt just before the first one at 1, just after it at 2, and so on.

        With `own_process`, the rows are prepared by another process, as those of large files are.
        """
        options = [str(rows), str(at), "1" if own_process else ""]
        with tempfile.NamedTemporaryFile(dir=command.folder, suffix=".errors", delete=False) as errors:
            self._errors = Path(errors.name)
            self.process = LoadedProcess(
                ["-c", _IMPORT, *options, "firmograph", "import", "contacts", file, "--json"],
                cwd=command.folder,
                env=command.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def __enter__(self) -> "Halting":
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "halted\n", self.stderr()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def stderr(self) -> str:
        """Return the process's stderr so far."""
        return self._errors.read_text()

    def wait_for_stderr(self, what: str) -> None:
        """Wait until stderr contains the text."""
        eventually(lambda: what in self.stderr(), what)

    def end(self) -> str:
        """Wait until it ends with success; return its stdout since it halted."""
        out, _ = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, self.stderr()
        return out
