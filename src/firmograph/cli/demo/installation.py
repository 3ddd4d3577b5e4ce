"""Folder of the demonstration: its data files, database, and access to the API."""

import json
import os
from itertools import count
from pathlib import Path
from typing import Final

import msgspec

from firmograph.cli.demo.data_files import (
    CONVERSATIONS,
    FILES,
    NETWORKS,
    NOTICE,
    VISITS,
    DataFile,
    unpack,
    version,
)
from firmograph.cli.demo.terminal import Commands, print_step
from firmograph.kit.atomic_files import atomic_write
from firmograph.kit.errors import Refused

_CREDITS: Final = 1_000
OWNER: Final = "dana@acme.example"
"""User who owns the tables, here and in the examples at `/docs`."""


class Access(msgspec.Struct):
    account: str
    key: str


class DemoInstallation:
    def __init__(self, folder: Path) -> None:
        """Open the folder; creates it if it does not exist.

        Raises Refused if it cannot be used, or has a database that is not the demonstration's.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(
                f"The folder {folder} cannot be made: {error.strerror}; choose another with --folder"
            ) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise Refused(f"The folder {folder} is not writable; choose another with --folder")
        self._database = folder / "firmograph.db"
        self._data = folder / "data"
        # the first file that a load writes, before there is a database
        if self._database.exists() and not (self._data / NOTICE).exists():
            raise Refused(
                f"{self._database} was not made by the demonstration; choose another folder with --folder"
            )
        self._loaded = folder / "loaded"
        self._access = folder / "access.json"
        self.commands = Commands(self._database)

    @property
    def visits(self) -> Path:
        """Access log, which each new account imports."""
        return self._data / f"{VISITS.name}.{VISITS.ending}"

    def is_loaded(self) -> bool:
        """Return whether the data of this release are loaded; an interrupted load goes on where it ended."""
        if not (self._database.exists() and self._loaded.exists()):
            return False
        return self._loaded.read_bytes() == version().encode()

    def load(self) -> None:
        print_step("Load the demo data, and dated facts from which signals are detected as they come in")
        for file in FILES:
            self._import(file)
        self.commands.run("networks", "load", str(self._unpack(NETWORKS)), "--source", NETWORKS.source)
        self._unpack(VISITS)
        _write(self._loaded, version().encode())

    def _import(self, file: DataFile, *options: str) -> None:
        self.commands.run("import", file.kind, str(self._unpack(file)), "--source", file.source, *options)

    def _unpack(self, file: DataFile) -> Path:
        self._data.mkdir(exist_ok=True)
        return unpack(file, self._data)

    def access(self) -> Access | None:
        """Return the access that `new_access` made last; None if there is none or its file cannot be read."""
        try:
            return msgspec.json.decode(self._access.read_bytes(), type=Access)
        except (OSError, msgspec.DecodeError):
            return None

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
        print_step("Load recorded calls and meetings into the account; a worker analyses them")
        for file in CONVERSATIONS:
            self._import(file, "--account", name)
        _write(self._access, msgspec.json.encode(made))
        return made


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path, replace=True) as draft:
        draft.write_bytes(content)
