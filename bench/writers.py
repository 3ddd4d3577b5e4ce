"""A process that imports changed rows for the duration of a measurement."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import psutil

from bench.changes import write_changes
from bench.sites import Site
from bench.workspace import SUCCEEDED, Workspace, environment
from firmograph.database.connection import Database
from firmograph.indexing import store

FILES = 4
"""Number of files, so many that an interrupted import leaves few rows equal to those of the next one."""
STARTED_SECONDS = 60


def change_files(workspace: Workspace, folder: Path) -> list[Path]:
    """Write files that contain half of the contacts each, changed from file to file."""
    made = []
    for number in range(FILES):
        path = folder / f"changes-{number}.jsonl"
        rows, count, day = workspace.rows("contacts"), workspace.contacts // 2, f"2030-01-0{number + 1}"
        write_changes(rows, workspace.contacts, count, path, day, moved=number % 2 == 0)
        made.append(path)
    return made


class Writer:
    """Imports into one site."""

    def __init__(self, site: Site, files: list[Path]) -> None:
        self._site = site
        self._database = Database(site.url)
        self._files = cycle(files)
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = threading.Event()
        self._failed = b""

    @contextmanager
    def importing(self) -> Iterator[Callable[[], float]]:
        """Import file after file during the block, which begins once rows are being written; count changes."""
        self._ending.clear()
        begun = self._written()
        thread = threading.Thread(target=self._import)
        thread.start()
        try:
            until = time.monotonic() + STARTED_SECONDS
            while self._written() == begun and thread.is_alive():
                if time.monotonic() > until:
                    raise RuntimeError("The import writes nothing")
                time.sleep(0.02)
            yield self._written
        finally:
            self._ending.set()
            # a process may just be starting
            while thread.is_alive():
                if self._process:
                    _end(self._process)
                thread.join(0.05)
        if self._failed:
            raise RuntimeError(f"The import failed: {self._failed.decode()[-2000:]}")

    def close(self) -> None:
        self._database.close()

    def _import(self) -> None:
        while not self._ending.is_set():
            command = self._site.command("import", "contacts", str(next(self._files)), "--json")
            process = subprocess.Popen(
                command,
                env=environment(**self._site.settings),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            self._process = process
            _, output = process.communicate()
            if process.returncode not in SUCCEEDED and not self._ending.is_set():
                self._failed = output
                return

    def _written(self) -> float:
        """Return the sequence number of the newest committed change."""
        return float(store.sequence_state(self._database.session())[0])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the import; its current batch is rolled back."""
    try:
        parent = psutil.Process(process.pid)
        tree = [*parent.children(recursive=True), parent]
    except psutil.NoSuchProcess:
        return
    for one in tree:
        one.terminate()
    for one in psutil.wait_procs(tree, 10)[1]:
        one.kill()
