"""The application, the command line and the server, as tests use them."""

import copy
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import httpx._transports.default as httpx_transport
import msgspec
from litestar.testing import TestClient

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.application import create_app
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings
from process_server import LoadedProcess
from services.ports import free_port

__all__ = ["Command", "Server", "Service", "eventually", "free_port"]

PATIENCE_SECONDS = 180.0
"""How long tests wait for what must happen; only a machine that is very busy needs more than a few."""

_account_numbers = count(1)

# a busy machine answers late, which no test is about; a proxy of the environment must not be used
for _waiting in ("connect", "read", "write", "pool"):
    setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, _waiting, PATIENCE_SECONDS)
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"

_DEFAULT_CONTEXT = httpx.create_ssl_context()
_create_ssl_context = httpx_transport.create_ssl_context


def _shared_ssl_context(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
    """Return one context for all clients without a certificate: reading the public ones takes longer than a call."""
    if verify is True and cert is None:
        return _DEFAULT_CONTEXT
    return _create_ssl_context(verify, cert, trust_env)


httpx_transport.create_ssl_context = _shared_ssl_context  # type: ignore[assignment]


class Service:
    """The whole application, called without a network and without a worker's unpredictable work."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        clock: SetClock,
        settings: Settings,
        *,
        background: bool = False,
    ) -> None:
        self.database = database
        self.clock = clock
        self.settings = settings
        self.installation = make_installation(settings, database, keyring, clock)
        self.accounts = self.installation.get(Accounts)
        self.app = create_app(self.installation, background=background)
        self.client = TestClient(self.app, base_url="https://firmograph.test")
        self.account = "Acme"
        self.key = self.new_key(self.account, credits=1_000_000)

    def with_account(self, *, plan: str = "unlimited", credits: int = 1_000_000) -> "Service":
        """Return the same application with a new account, for one test of those that share it."""
        own = copy.copy(self)
        own.account = f"Acme {next(_account_numbers)}"
        own.key = own.new_key(own.account, plan=plan, credits=credits)
        return own

    def new_key(self, name: str, *, plan: str = "unlimited", credits: int = 0) -> str:
        """Create an account and return its key."""
        self.accounts.create(name, plan, credits)
        return self.accounts.create_key(name).api_key

    def post(self, path: str, body: object, *, key: str | None = None, **headers: str) -> httpx.Response:
        """POST a body as JSON, or unchanged if it is bytes."""
        content = body if isinstance(body, bytes) else json.dumps(body)
        given = {"api_key": key or self.key, "content-type": "application/json", **headers}
        return self.client.post(path, content=content, headers=given)

    def get(self, path: str, *, key: str | None = None, **headers: str) -> httpx.Response:
        return self.client.get(path, headers={"api_key": key or self.key, **headers})


class Command:
    """The command line as a process on a database, in a folder of the test."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder = folder
        self.database_url = database_url
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FIRMOGRAPH_")},
            "FIRMOGRAPH_DATABASE_URL": database_url,
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return LoadedProcess(
            ["-m", "firmograph.cli.main", *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a new Python, which shows that the command loads what it needs."""
        return subprocess.run(
            [sys.executable, "-m", "firmograph.cli.main", *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    def json(self, *arguments: str) -> dict[str, object]:
        done = self(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return msgspec.json.decode(done.stdout)


class Server:
    """`firmograph serve` in a process of its own."""

    def __init__(self, command: Command, port: int, *options: str, **environment: str) -> None:
        self.command = command
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.process = command.start("serve", "--port", str(port), *options, **environment)

    def wait_until_ready(self) -> None:
        begun = time.monotonic()
        while self.process.poll() is None and time.monotonic() < begun + PATIENCE_SECONDS:
            try:
                if httpx.get(f"{self.url}/health").status_code == 200:
                    return
            except httpx.TransportError:
                pause(begun)
        raise AssertionError(f"the server did not start: {self.stop()}")

    def wait_until_searchable(self, sequence: int) -> None:
        """Wait until the search index has applied this position of the change sequence."""
        self._wait_until_applied("search", sequence)

    def wait_until_comparable(self, sequence: int) -> None:
        """Wait until the similarity index has applied this position of the change sequence."""
        self._wait_until_applied("similarity", sequence)

    def _wait_until_applied(self, index: str, sequence: int) -> None:
        begun = time.monotonic()
        while time.monotonic() < begun + PATIENCE_SECONDS:
            health = httpx.get(f"{self.url}/health").json()[index]
            if health["state"] == "ready" and health["applied"] >= sequence:
                return
            pause(begun)
        raise AssertionError(f"{sequence} cannot be found: {health}")

    def stop(self) -> str:
        """End the server and return its stderr."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=PATIENCE_SECONDS)[1]

    def exchange(self, raw: bytes) -> bytes:
        """Send bytes unchanged, shut down sending, and read until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(raw)
            received = b""
            while part := connection.recv(65536):
                received += part
            return received


def eventually(true: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Poll until the condition is true, which must be soon."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() < begun + seconds, what
        pause(begun)


def pause(begun: float) -> None:
    """Wait before asking again: longer the longer it takes, as questions take processor time from the answer."""
    time.sleep(min(max((time.monotonic() - begun) / 10, 0.02), 0.2))
