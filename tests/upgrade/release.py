"""The installation left by the previous version (`fixture/README.md`), in a test's folder."""

import gzip
import json
import shutil
import subprocess
import tarfile
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

import database_fixtures
from command_fixtures import InProcess
from firmograph.backup.programs import Programs
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings
from process_server import run_loaded
from server_fixtures import Command, Service

FIXTURE = Path(__file__).parent / "fixture"
SNAPSHOT = FIXTURE / "snapshot"
MADE = json.loads((SNAPSHOT / f"{database_fixtures.KIND}.json").read_text())
KEYRING = msgspec.json.decode((SNAPSHOT / "keys.json").read_bytes(), type=Keyring)


def unpacked(name: str, to: Path, snapshot: Path = SNAPSHOT) -> Path:
    """Unpack a file of the snapshot."""
    with gzip.open(snapshot / name) as packed, to.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return to


def run_changed(command: Command, program: str, *arguments: str) -> int:
    """Run a command line in a process changed by a program; return its exit code."""
    return run_loaded(["-c", program, *arguments], command.folder, command.environment).returncode


class Release:
    """The database of an earlier version, with the commands and the application of this one."""

    def __init__(self, folder: Path, snapshot: Path = SNAPSHOT) -> None:
        self.folder, self.snapshot = folder, snapshot
        made = json.loads((snapshot / f"{database_fixtures.KIND}.json").read_text())
        self.url = database_fixtures.empty(folder, "release")
        if database_fixtures.EMBEDDED:
            unpacked("database.gz", Path(Database(self.url).path), snapshot)
        else:
            _fill_server(self.url, folder, snapshot)
        self.database = Database(self.url)
        self.keys = made["keys"]
        self.calls: list[dict[str, Any]] = made["calls"]
        self.key_file = folder / f"{self.database.companion}.keys"
        if database_fixtures.EMBEDDED:
            shutil.copyfile(snapshot / "keys.json", self.key_file)
        else:
            keyring = _member(folder, "keys.json", snapshot).read_bytes()
            self.key_file.write_bytes(keyring)
        self.key_file.chmod(0o600)
        self.command = InProcess(folder, self.url)

    def upgrade(self) -> str:
        """Open the database with a current command; return the command's progress messages."""
        done = self.command("account", "list")
        assert done.returncode == 0, done.stderr
        return done.stderr

    def run(self, program: str, *arguments: str) -> int:
        return run_changed(self.command, program, *arguments)

    def keyring(self) -> Keyring:
        return msgspec.json.decode(self.key_file.read_bytes(), type=Keyring)

    @cached_property
    def service(self) -> Service:
        """Return the current application, with the clock at the day when the fixture was made."""
        return Service(self.database, self.keyring(), SetClock(), Settings(database_url=self.url))

    def load(self, number: int) -> dict[str, Any]:
        """Import one of the files of the fixture."""
        (path,) = (FIXTURE / "files").glob(f"{number}-*.jsonl")
        _, kind, source = path.stem.split("-")
        copied = shutil.copy(path, self.folder)
        return self.command.json("import", kind, str(copied), "--source", source)

    def end(self) -> None:
        self.database.close()
        database_fixtures.drop(self.url)


def _fill_server(url: str, folder: Path, snapshot: Path) -> None:
    """Restore the tables of the snapshot's backup into an empty database, unchanged."""
    dump = _member(folder, "database.pgdump", snapshot)
    database = Database(url)
    session = database.session()
    session.raw.execute("DROP SCHEMA public CASCADE")
    programs = Programs(url, session)
    subprocess.run(
        programs.command("pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", str(dump)),
        env=programs.environment,
        check=True,
        capture_output=True,
    )
    database.close()


def _member(folder: Path, name: str, snapshot: Path) -> Path:
    """Extract a member of the snapshot's backup of this kind."""
    backup = unpacked(f"{database_fixtures.KIND}.backup.gz", folder / "snapshot.backup", snapshot)
    with tarfile.open(backup) as archive:
        archive.extract(name, folder, filter="data")
    return folder / name
