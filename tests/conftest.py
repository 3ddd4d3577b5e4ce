"""What most tests stand on: a fresh database file, a keyring, a clock that stands still, a served application."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import msgspec
import pytest
from litestar.testing import TestClient

from firmograph.accounts.plans import load_plans
from firmograph.accounts.service import Accounts
from firmograph.app import create_app
from firmograph.kit.clock import SetClock
from firmograph.kit.database import Database
from firmograph.kit.keyring import Keyring
from firmograph.schema import prepare
from firmograph.settings import Settings

KEYRING = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory) -> bytes:
    """The bytes of a database with nothing but its schema: migrating once is enough."""
    path = tmp_path_factory.mktemp("prepared") / "empty.db"
    database = Database(f"sqlite:///{path}")
    prepare(database)
    database.session().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path.read_bytes()


@pytest.fixture
def database_file(tmp_path, prepared_file) -> Path:
    path = tmp_path / "firmograph.db"
    path.write_bytes(prepared_file)
    return path


@pytest.fixture
def database(database_file):
    database = Database(f"sqlite:///{database_file}")
    yield database
    database.close()


@pytest.fixture
def keyring() -> Keyring:
    return KEYRING


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


class Service:
    """The whole application, called without a network."""

    def __init__(self, database: Database, keyring: Keyring, clock: SetClock, settings: Settings) -> None:
        self.database = database
        self.clock = clock
        self.settings = settings
        self.accounts = Accounts(database, load_plans(), clock)
        self.app = create_app(settings, database, keyring, clock)
        self.client = TestClient(self.app)
        self.key = self.new_key("Acme", credits=1_000_000)

    def new_key(self, name: str, *, plan: str = "unlimited", credits: int = 0) -> str:
        """The key of a new account."""
        self.accounts.create(name, plan, credits)
        return self.accounts.create_key(name).api_key

    def post(self, path: str, body: object, *, key: str | None = None, **headers: str) -> httpx.Response:
        """POST a body as JSON, or as it is when it is bytes."""
        content = body if isinstance(body, bytes) else json.dumps(body)
        given = {"api_key": key or self.key, "content-type": "application/json", **headers}
        return self.client.post(path, content=content, headers=given)

    def get(self, path: str, *, key: str | None = None, **headers: str) -> httpx.Response:
        return self.client.get(path, headers={"api_key": key or self.key, **headers})


@pytest.fixture
def make_service(database, keyring, clock):
    """Makes the application with the settings given, on this test's database."""
    entered = []

    def make(**settings: object) -> Service:
        service = Service(database, keyring, clock, Settings(**settings))
        entered.append(service.client.__enter__())
        return service

    yield make
    for client in entered:
        client.__exit__(None, None, None)


@pytest.fixture
def service(make_service) -> Service:
    return make_service()


class Command:
    """The command line, run as a process of its own on this test's database."""

    def __init__(self, folder: Path, database_file: Path) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FIRMOGRAPH_")},
            "FIRMOGRAPH_DATABASE_URL": f"sqlite:///{database_file}",
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "firmograph.cli.main", *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def json(self, *arguments: str) -> dict[str, object]:
        done = self(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return msgspec.json.decode(done.stdout)


@pytest.fixture
def command(tmp_path, database_file) -> Command:
    return Command(tmp_path, database_file)


class Server:
    """`firmograph serve` in a process of its own."""

    def __init__(self, command: Command, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.process = command.start("serve", "--port", str(port))

    def wait_until_ready(self) -> None:
        give_up = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < give_up:
            try:
                if httpx.get(f"{self.url}/health").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.02)
        raise AssertionError(f"the server did not start: {self.stop()}")

    def stop(self) -> str:
        """Ends the server; what it wrote to stderr."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=30)[1]

    def exchange(self, raw: bytes) -> bytes:
        """Sends bytes as they are, says that no more will come, and reads until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(raw)
            received = b""
            while part := connection.recv(65536):
                received += part
            return received


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
def server(command):
    """A served, empty database; a real process on a free port of the loopback."""
    server = Server(command, free_port())
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()
