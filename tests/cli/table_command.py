"""`firmograph table` in this process, on a copy of the stocked database, by a new account with two users."""

import asyncio
import json
from itertools import count
from pathlib import Path
from typing import Any

from prospect_command import Stocked

from command_fixtures import InProcess, import_exit_code
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock
from firmograph.record_tables.worker_wiring import WORKER
from firmograph.security.keyring import load_keyring
from firmograph.settings import Settings

_numbers = count(1)
DANA, ED = "dana@acme.example.com", "ed@acme.example.com"


class TableCommands:
    """Commands for an account of their own, and a worker."""

    def __init__(self, stocked: Stocked, folder: Path) -> None:
        self.folder = folder
        self.stocked = stocked
        self._command = InProcess(folder, stocked.url)
        self._command.environment.update(stocked.environment)
        self.name = f"acme {next(_numbers)}"
        self.account = ("--account", self.name)
        self.answer("account", "create", self.name, "--credits", "100")
        for email in (DANA, ED):
            self.answer("user", "add", *self.account, email)

    def __call__(self, *words: object) -> Any:
        return self._command(*map(str, words))

    @property
    def environment(self) -> dict[str, str]:
        return self._command.environment

    def answer(self, *words: object) -> dict[str, Any]:
        """Return the object that a command prints with --json."""
        done = self(*words, "--json")
        found: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        assert done.returncode == import_exit_code(found), done.stderr
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
        made = self.answer(
            "table", "create", name, *self.account, "--owner", owner, "--entity", entity, *words
        )
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
        done = self("ledger", "export", *self.account)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def work(self) -> None:
        """Do all that workers have to do for tables."""
        database = Database(self.stocked.url)
        keyring = load_keyring(self.stocked.folder / "keys")
        installation = make_installation(Settings(), database, keyring, SystemClock())
        try:
            for background in WORKER.background(installation):
                asyncio.run(background.worker.run_until_idle())
        finally:
            database.close()
