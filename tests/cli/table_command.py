"""`firmograph table` in this process, on a copy of the stocked database with an account and two users."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from prospect_command import Stocked

import database_fixtures
from command_fixtures import InProcess
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock
from firmograph.record_tables import registration
from firmograph.security.keyring import load_keyring
from firmograph.settings import Settings

ACCOUNT = ("--account", "acme")
DANA, ED = "dana@acme.example.com", "ed@acme.example.com"


class TableCommands:
    """Commands on a database of their own, and a worker."""

    def __init__(self, stocked: Stocked, folder: Path) -> None:
        shutil.copy(stocked.folder / "keys", folder)
        self.folder = folder
        self.own = Stocked(database_fixtures.copy(stocked.url, folder), folder)
        self._command = InProcess(folder, self.own.url)
        self._command.environment.update(self.own.environment)
        self.answer("account", "create", "acme", "--credits", "100")
        for email in (DANA, ED):
            self.answer("user", "add", *ACCOUNT, email)

    def __call__(self, *words: object) -> Any:
        return self._command(*map(str, words))

    @property
    def environment(self) -> dict[str, str]:
        return self._command.environment

    def answer(self, *words: object) -> dict[str, Any]:
        """Return the object that a command prints with --json."""
        done = self(*words, "--json")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def refusal(self, *words: object) -> str:
        """Return why a command refuses, from its one line."""
        done = self(*words)
        assert (done.returncode, done.stdout) == (1, ""), done.stdout
        *_, line = done.stderr.splitlines()
        assert line.startswith("Error: ")
        return str(line.removeprefix("Error: "))

    def misuse(self, *words: object) -> str:
        done = self(*words)
        assert (done.returncode, done.stdout) == (2, "")
        return " ".join(done.stderr.replace("│", "").split())

    def create(self, name: str = "Sales", entity: str = "contacts", owner: str = DANA, *words: str) -> str:
        """Create a table and return its id."""
        made = self.answer("table", "create", name, *ACCOUNT, "--owner", owner, "--entity", entity, *words)
        return str(made["tableId"])

    def add(self, table: str, *lines: str) -> dict[str, Any]:
        """Add the lines of a file and return the result."""
        return self.answer("table", "add", table, self.write("rows.csv", *lines))

    def write(self, name: str, *lines: str) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    def rows(self, table: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.answer("table", "show", table)["rows"]
        return rows

    def column(self, table: str, key: str) -> dict[str, Any]:
        """Return the column of a key."""
        columns = self.answer("table", "show", table)["table"]["columns"]
        return next(one for one in columns if one["key"] == key)

    def ledger(self) -> list[dict[str, Any]]:
        done = self("ledger", "export", *ACCOUNT)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def work(self) -> None:
        """Do all that workers have to do for tables."""
        database = Database(self.own.url)
        installation = make_installation(
            Settings(), database, load_keyring(self.own.folder / "keys"), SystemClock()
        )
        try:
            for background in registration.REGISTRATION.background(installation):
                asyncio.run(background.worker.run_until_idle())
        finally:
            database.close()
