"""Server and worker processes on one PostgreSQL database, and callers that retry."""

import copy
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, cycle
from pathlib import Path

import httpx
import sqlalchemy as sa

from command_fixtures import InProcess
from firmograph.billing import ledger_store
from firmograph.billing.types import Balance
from firmograph.database.connection import AccountSession, Database
from server_fixtures import Command, Server, free_port

PEOPLE = 100
_PAID_UNITS = sa.text("SELECT unit, count(*) FROM paid_units WHERE account_id = :account GROUP BY unit")
_ACCOUNT = sa.text("SELECT id FROM accounts WHERE name = :name")
_SETTLED_WITHIN = 120.0
_RETRY_SECONDS = 0.02


class Nodes:
    """A database with contacts and an account, on which tests start servers and workers."""

    def __init__(self, folder: Path, database_url: str, **environment: str) -> None:
        self.folder = folder
        self.url = database_url
        # nobody reads the pipe, and a warning for every refused call would fill it
        quiet = {"FIRMOGRAPH_LOG_LEVEL": "error"}
        self._environment = {"FIRMOGRAPH_KEYS_FILE": str(folder / "keys"), **quiet, **environment}
        self._started: list[Server] = []
        self._workers = []
        self._numbers = count()
        self.command = self._command("operator", InProcess)
        assert self.command("import", "contacts", str(people_file(folder))).returncode == 0
        self.account = "acme"
        self.key = self.new_key(self.account)

    def with_account(self) -> "Nodes":
        """Return the same database with a new account, and no servers and workers yet."""
        own = copy.copy(self)
        own._started, own._workers = [], []
        own.account = f"acme {next(self._numbers)}"
        own.key = own.new_key(own.account)
        return own

    def new_key(self, name: str) -> str:
        """Create an account with credits and return its API key."""
        self.command("account", "create", name, "--credits", "1000000")
        return str(self.command.json("key", "create", "--account", name)["apiKey"])

    def _command(self, name: str, kind: type[Command] = Command) -> Command:
        """Return the command line of one machine, with a working folder of its own."""
        (self.folder / name).mkdir()
        command = kind(self.folder / name, self.url)
        command.environment |= self._environment
        return command

    def serve(self, *options: str, **environment: str) -> Server:
        command = self._command(f"server{next(self._numbers)}")
        server = Server(command, free_port(), *options, **environment)
        self._started.append(server)
        server.wait_until_ready()
        return server

    def work(self):
        process = self._command(f"worker{next(self._numbers)}").start("worker")
        self._workers.append(process)
        return process

    def end(self) -> None:
        processes = [*(server.process for server in self._started), *self._workers]
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in processes:
            process.communicate(timeout=60)

    def money(self) -> tuple[Balance, int, Counter[str]]:
        """Return the balance, the sum of the ledger's charges, and the number of paid units of each kind."""
        database = Database(self.url)
        with database.read() as session:
            (account,) = session.one(_ACCOUNT, {"name": self.account})
            own = AccountSession(session, account)
            balance = ledger_store.select_balance(own)
            rows = [entry for _, entry in ledger_store.select_entries(own)]
            units = session.all(_PAID_UNITS, {"account": account})
            paid = Counter({unit.decode(): number for unit, number in units})
        database.close()
        charged = sum(entry.credits for entry in rows if entry.kind == "charge")
        assert [entry.balance for entry in rows][-1] == balance.remaining
        return balance, charged, paid


def people_file(folder: Path) -> Path:
    path = folder / "people.jsonl"
    rows = (
        {
            "sourceId": str(n),
            "firstName": f"Pat{n}",
            "lastName": f"Quill{n}",
            "emails": [address(n)],
            "phones": [f"+1 202 555 {n % 10_000:04}"],
        }
        for n in range(PEOPLE)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def address(n: int) -> str:
    return f"p{n}@acme.example"


class Callers:
    """Threads that reveal one contact after another and retry until they succeed.

    Contacts numbered `pause_from` and above are requested only after `release`.

    After a refused or lost connection, 503 or 409, a thread retries at the next server with the same Idempotency-Key,
    as a load balancer and a careful client do.
    """

    def __init__(
        self,
        servers: Sequence[Server],
        key: str,
        numbers: Sequence[int],
        threads: int = 4,
        pause_from: int | None = None,
    ) -> None:
        self.statuses: Counter[int] = Counter()
        self.revealed: dict[int, list[str]] = {}
        self.faulty_refusals: list[str] = []
        self._key = key
        self._servers = servers
        self._remaining = iter(numbers)
        self._pause_from = pause_from
        self._lock = threading.Lock()
        self._more = threading.Condition(self._lock)
        self._threads = [threading.Thread(target=self._call_all) for _ in range(threads)]

    def __enter__(self) -> "Callers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.release()
        for thread in self._threads:
            thread.join()

    def _call_all(self) -> None:
        with httpx.Client() as client:
            servers = cycle(self._servers)
            while (n := self._next()) is not None:
                self._call_until_answered(client, servers, n)

    def _next(self) -> int | None:
        with self._more:
            n = next(self._remaining, None)
            self._more.wait_for(lambda: n is None or self._pause_from is None or n < self._pause_from)
            return n

    def release(self) -> None:
        with self._more:
            self._pause_from = None
            self._more.notify_all()

    def _call_until_answered(self, client: httpx.Client, servers: Iterator[Server], n: int) -> None:
        for server in servers:
            try:
                answer = self._reveal(client, server, n)
            except httpx.TransportError:
                self._count(0)
                time.sleep(_RETRY_SECONDS)
                continue
            self._count(answer.status_code)
            if answer.status_code == 503 and "retry-after" not in answer.headers:
                self.faulty_refusals.append("503 without Retry-After")
            if answer.status_code not in (503, 409):
                self._store_answer(n, answer)
                return
            time.sleep(_RETRY_SECONDS)

    def _store_answer(self, n: int, answer: httpx.Response) -> None:
        (result,) = answer.json()["results"]
        with self._more:
            self.revealed[n] = [email["email"] for email in result.get("emails", [])]
            self._more.notify_all()

    def wait_for(self, answered: int) -> None:
        """Wait until this many contacts are revealed."""
        with self._more:
            assert self._more.wait_for(lambda: len(self.revealed) >= answered, _SETTLED_WITHIN), self.statuses

    def wait_until_refused(self) -> None:
        """Wait until a call is refused with 503."""
        with self._more:
            assert self._more.wait_for(lambda: self.statuses[503], _SETTLED_WITHIN), self.statuses

    def _reveal(self, client: httpx.Client, server: Server, n: int) -> httpx.Response:
        return client.post(
            f"{server.url}/v3/contacts/search-and-enrich",
            json={"contacts": [{"email": address(n)}], "reveal": ["emails"]},
            headers={"api_key": self._key, "idempotency-key": f"person-{n}"},
        )

    def _count(self, status: int) -> None:
        with self._more:
            self.statuses[status] += 1
            self._more.notify_all()
