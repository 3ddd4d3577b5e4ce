"""The installation that the version before left behind (`fixture/README.md`), in a folder of a test's."""

import gzip
import json
import shutil
import subprocess
import sys
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
from server_fixtures import Command, Service

FIXTURE = Path(__file__).parent / "fixture"
KEPT = FIXTURE / "kept"
MADE = json.loads((KEPT / f"{database_fixtures.KIND}.json").read_text())
KEYRING = msgspec.json.decode((KEPT / "keys.json").read_bytes(), type=Keyring)


def unpacked(name: str, to: Path, kept: Path = KEPT) -> Path:
    """Unpack one of the kept files."""
    with gzip.open(kept / name) as packed, to.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return to


def run_changed(command: Command, program: str, *arguments: str) -> int:
    """Run a command line in a process that a program has changed; how it ends."""
    line = [sys.executable, "-c", program, *arguments]
    return subprocess.run(line, cwd=command.folder, env=command.environment, capture_output=True).returncode


class Release:
    """The database of an earlier version, with the commands and the application of this one."""

    def __init__(self, folder: Path, kept: Path = KEPT) -> None:
        self.folder, self.kept = folder, kept
        made = json.loads((kept / f"{database_fixtures.KIND}.json").read_text())
        self.url = database_fixtures.empty(folder, "release")
        if database_fixtures.EMBEDDED:
            unpacked("database.gz", Path(Database(self.url).path), kept)
        else:
            _fill_server(self.url, folder, kept)
        self.database = Database(self.url)
        self.keys = made["keys"]
        self.calls: list[dict[str, Any]] = made["calls"]
        self.key_file = folder / f"{self.database.companion}.keys"
        if database_fixtures.EMBEDDED:
            shutil.copyfile(kept / "keys.json", self.key_file)
        else:
            keyring = _member(folder, "keys.json", kept).read_bytes()
            self.key_file.write_bytes(keyring)
        self.key_file.chmod(0o600)
        self.command = InProcess(folder, self.url)

    def upgrade(self) -> str:
        """Open it with a command of today; what the command says while it works."""
        done = self.command("account", "list")
        assert done.returncode == 0, done.stderr
        return done.stderr

    def run(self, program: str, *arguments: str) -> int:
        return run_changed(self.command, program, *arguments)

    def keyring(self) -> Keyring:
        return msgspec.json.decode(self.key_file.read_bytes(), type=Keyring)

    @cached_property
    def service(self) -> Service:
        """The application of today, on the day on which the fixture was made."""
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


def _fill_server(url: str, folder: Path, kept: Path) -> None:
    """Put the tables of the kept backup into an empty database, as they are."""
    dump = _member(folder, "database.pgdump", kept)
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


def _member(folder: Path, name: str, kept: Path) -> Path:
    """A member of the kept backup of this kind."""
    backup = unpacked(f"{database_fixtures.KIND}.backup.gz", folder / "kept.backup", kept)
    with tarfile.open(backup) as archive:
        archive.extract(name, folder, filter="data")
    return folder / name
