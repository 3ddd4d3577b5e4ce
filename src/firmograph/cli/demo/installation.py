"""Folder of the demonstration: its data files, database, and access to the API."""

import json
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from firmograph.cli.demo.data_files import FILES, unpack, version
from firmograph.cli.demo.terminal import Commands, print_step
from firmograph.kit.atomic_files import atomic_write
from firmograph.kit.errors import Refused

_CREDITS: Final = 1_000
OWNER: Final = "dana@acme.example"
"""User who owns the tables, here and in the examples at `/docs`."""


class Access(NamedTuple):
    account: str
    key: str


class DemoInstallation:
    def __init__(self, folder: Path) -> None:
        """Open the folder; creates it if it does not exist. Raises Refused if it cannot be used."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(
                f"The folder {folder} cannot be made: {error.strerror}; choose another with --folder"
            ) from error
        self._folder = folder
        self._loaded = folder / "loaded"
        self._access = folder / "access.json"
        self.commands = Commands(folder / "firmograph.db")

    def is_loaded(self) -> bool:
        """Return whether the data of this release are loaded; an interrupted load goes on where it ended."""
        return self._loaded.exists() and self._loaded.read_text() == version()

    def load(self) -> None:
        print_step("Load the demo data, and dated facts from which signals are detected as they come in")
        data = self._folder / "data"
        data.mkdir(exist_ok=True)
        for file in FILES:
            self.commands.run("import", file.kind, str(unpack(file, data)), "--source", file.source)
        _write(self._loaded, version())

    def access(self) -> Access | None:
        """Return the access that `new_access` made last, if any."""
        if not self._access.exists():
            return None
        return Access(**json.loads(self._access.read_text()))

    def new_access(self) -> Access:
        """Return a new account, which has bought nothing yet so that the bill shows the prices, and its key."""
        print_step("Make an account with credits, and an API key")
        known = {
            one["name"] for one in json.loads(self.commands.output("account", "list", "--json"))["accounts"]
        }
        name = next(name for number in count(1) if (name := f"demo-{number}") not in known)
        self.commands.answer("account", "create", name, "--credits", str(_CREDITS))
        self.commands.run("user", "add", "--account", name, OWNER)
        made = Access(name, str(self.commands.answer("key", "create", "--account", name)["apiKey"]))
        _write(self._access, json.dumps(made._asdict()))
        return made


def _write(path: Path, text: str) -> None:
    with atomic_write(path, replace=True) as draft:
        draft.write_text(text)
