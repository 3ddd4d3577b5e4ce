"""One database of a run over several: loaded through the real command line, with accounts that pay."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench import mixes
from bench.client import ask, request
from bench.latencies import Pool
from bench.mixes import Mix, Person
from bench.servers import Server, free_port, serving
from bench.workspace import PLAN, SUCCEEDED, Workspace, environment
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock

CREDITS = 100_000_000
ACCOUNTS = 16
"""Accounts of charged calls: each pays once for a person."""


class Site:
    """A database under a URL; its key file and checkpoints are in `folder`."""

    def __init__(self, name: str, url: str, folder: Path, apart: Sequence[int] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.url = url
        self.folder = folder
        self.apart = apart
        """The processes of the database itself."""
        self.settings = {"database_url": url, "keys_file": str(folder / "keys"), "search_folder": str(folder)}

    def load(self, workspace: Workspace) -> None:
        """Fill the database, and make the accounts of the callers."""
        for entity in ("companies", "contacts"):
            self.run("import", entity, str(workspace.rows(entity)))
        accounts = Accounts(database := Database(self.url), load_plans(), SystemClock())
        for number in range(1 + ACCOUNTS):
            accounts.create(f"bench-{number}", PLAN, CREDITS)
        made = [accounts.create_key(f"bench-{number}").api_key for number in range(1 + ACCOUNTS)]
        database.close()
        self.key, *self.payers = made

    def run(self, *arguments: str) -> None:
        done = subprocess.run(
            self.command(*arguments, "--json"),
            env=environment(**self.settings),
            check=False,
            text=True,
            capture_output=True,
        )
        if done.returncode not in SUCCEEDED:
            raise RuntimeError(f"firmograph {' '.join(arguments)} failed: {done.stderr.strip()}")

    def command(self, *arguments: str) -> list[str]:
        return [str(Path(sys.executable).with_name("firmograph")), *arguments]

    @contextmanager
    def served(
        self,
        places: set[int],
        *options: str,
        settings: Mapping[str, str] | None = None,
        program: Sequence[str] = (),
    ) -> Iterator[Server]:
        """Run `firmograph serve` on some cores with a loaded index; `program` is a Python program in its place."""
        port = free_port()
        command = self.command("serve", "--port", str(port), *options)
        if program:
            command = [sys.executable, *program, *command[1:]]
        log = self.folder / f"serve-{port}.log"
        given = {**self.settings, **(settings or {})}
        with serving(f"firmograph on {self.name}", command, port, log, places, given) as server:
            server.wait_for_search()
            yield server

    # --- requests ---

    def people(self, rows: Sequence[dict[str, Any]], server: Server) -> list[Person]:
        return mixes.people(rows, partial(self._post, server))

    def pay(self, mix: Mix, server: Server) -> None:
        """Let the main account pay for everything that the mix reveals."""
        self._post(server, mix.path, mix.bodies)

    def pool(self, mix: Mix) -> Pool:
        return Pool(mix.requests(self.key), partial(mixes.check, mix))

    def charging_pool(self, mix: Mix) -> Pool:
        """Return requests for each person by each account, the accounts in turn."""
        bodies, keys = mix.bodies, self.payers
        requests = [
            request(mix.path, body, keys[(place + turn) % len(keys)])
            for turn in range(len(keys))
            for place, body in enumerate(bodies)
        ]
        return Pool(requests, partial(mixes.check, mix))

    def _post(self, server: Server, path: str, bodies: Sequence[bytes]) -> list[bytes]:
        return ask(server.port, [request(path, body, self.key) for body in bodies])
