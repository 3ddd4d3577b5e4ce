"""Data waterfall: enrich with and without something to ask, asks of a worker, and waits while a provider hangs.

A real server and worker on SQLite, and providers in a process of their own. Each account has one provider of its
own, so that no value that was found for one is reused for another.
"""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import httpx
import msgspec

from bench.client import ask, request
from bench.deliveries_world import working
from bench.mixes import ENRICH, SEARCH
from bench.receivers import Receivers, receiving
from bench.rounds import Compared, Contestant, compare
from bench.servers import Server, cores, free_port, on_core, serving
from bench.sites import CREDITS, Site
from bench.waterfall_report import Waits, WaterfallReport
from bench.workspace import PLAN
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.settings import load_settings
from firmograph.waterfall.administration import WaterfallAdministration

_PROVIDERS: Final = 10
_DELAY: Final = 0.05
_BATCH: Final = 100
_PAID: Final = 1_000
"""Contacts with a phone."""
_PACE_SECONDS: Final = 0.2
"""Time between calls of an account in a paced run."""
_PACED_BATCH: Final = 5
_PATIENCE_SECONDS: Final = 120.0
_NUMBER: Final = "+12025550134".ljust(36)
"""As long as the id that a receiver repeats in its answer."""
_PROVIDER: Final = """
[providers.p{number}]
kind = "http"
url = "{url}"
insecure = true
prices = {{phones = 1}}
[providers.p{number}.request]
body = '{{"id":"{phone}","page":"{{linkedin_url}}"}}'
[providers.p{number}.response]
phones = "webhookId"
"""

Reporter = Callable[[str], object]


class Effort(NamedTuple):
    rounds: int
    seconds: float
    """Duration of a round, and of a third of a paced run."""
    asks: int
    """Contacts that each account asks for in the run of the worker."""
    calls: int
    """Calls that ask for 100 contacts each."""


FULL, QUICK = Effort(5, 3.0, 1_500, 20), Effort(3, 1.0, 600, 5)


class _Caller(NamedTuple):
    """Account with a provider, and the contacts that it has not asked for yet."""

    key: str
    ids: Iterator[str]

    def take(self, count: int) -> bytes:
        """Return the body of an enrich of further contacts."""
        return _body(list(islice(self.ids, count)))


def measure(quick: bool, report: Reporter) -> WaterfallReport:
    effort = QUICK if quick else FULL
    with receiving(_PROVIDERS) as receivers, TemporaryDirectory(prefix="firmograph-waterfall-") as folder:
        receivers.behave(delay=_DELAY)
        bench = _Bench(Path(folder), effort, receivers, report)
        return bench.measure()


class _Bench:
    def __init__(self, folder: Path, effort: Effort, receivers: Receivers, report: Reporter) -> None:
        self._effort = effort
        self._receivers = receivers
        self._report = report
        self._site = Site("SQLite", f"sqlite:///{folder / 'bench.db'}", folder)
        self._without = Site("SQLite", self._site.url, folder)
        file = folder / "providers.toml"
        tables = (
            _PROVIDER.format(number=at, url=url, phone=_NUMBER) for at, url in enumerate(receivers.urls)
        )
        file.write_text("".join(tables))
        self._site.settings["providers_file"] = str(file)
        paced = 2 * round(3 * effort.seconds / _PACE_SECONDS) * _PACED_BATCH
        self._people = effort.asks + effort.calls * _BATCH + paced
        self._import()
        self._keys = self._make_accounts()

    def _import(self) -> None:
        rows = self._site.folder / "contacts.jsonl"
        with rows.open("w") as file:
            for number in range(_PAID + self._people):
                phones = {"phones": [f"+1202555{number % 10_000:04}"]} if number < _PAID else {}
                person = {"firstName": "Ann", "lastName": "Doe", "linkedinUrl": _page(number)}
                file.write(json.dumps(person | phones) + "\n")
        self._site.run("import", "contacts", str(rows))

    def _make_accounts(self) -> list[str]:
        """Return the keys of an account for each provider, and of one without."""
        settings = load_settings({f"FIRMOGRAPH_{k.upper()}": v for k, v in self._site.settings.items()})
        database = Database(self._site.url)
        installation = make_installation(settings, database)
        accounts, keys = installation.get(Accounts), []
        for number in range(_PROVIDERS + 1):
            account = accounts.create(f"bench-{number}", PLAN, CREDITS)
            keys.append(accounts.create_key(account.name).api_key)
            if number < _PROVIDERS:
                installation.get(WaterfallAdministration).enable(account.id, [f"p{number}"])
        database.close()
        return keys

    def measure(self) -> WaterfallReport:
        with on_core(cores()[1]), self._serve(self._site, "--no-worker") as server:
            ids = self._find(server, range(_PAID + self._people))
            paid, others = ids[:_PAID], ids[_PAID:]
            callers = [_Caller(key, iter(others)) for key in self._keys[:_PROVIDERS]]
            on, without = self._compare(server, paid)
        asks, per_second, micros = self._worker(callers)
        with self._serve(self._site) as server:
            server.wait_for_search()
            whole = self._whole(server, callers[1])
            paced = [
                self._paced(server, callers, "5 contacts, all providers answer", 0),
                self._paced(server, callers, "5 contacts, a tenth of the providers hangs", _PROVIDERS),
            ]
        return WaterfallReport(_PROVIDERS, _DELAY, on, without, asks, per_second, micros, whole, paced)

    def _serve(self, site: Site, *options: str, **settings: str) -> Any:
        port = free_port()
        command = site.command("serve", "--port", str(port), *options)
        places = {cores()[0]} if options else {*cores()}
        log = site.folder / "serve.log"
        return serving("firmograph", command, port, log, places, site.settings | settings)

    def _find(self, server: Server, numbers: range) -> list[str]:
        key, found = self._keys[-1], []
        for start in numbers[::_BATCH]:
            pages = [{"linkedinUrl": _page(number)} for number in numbers[start : start + _BATCH]]
            body = msgspec.json.encode({"contacts": pages})
            (answer,) = ask(server.port, [request(SEARCH, body, key)])
            found += [one["id"] for one in msgspec.json.decode(answer)["results"]]
        return found

    # --- nothing to ask ---

    def _compare(self, server: Server, paid: list[str]) -> tuple[Compared, Compared]:
        bodies = [_body(paid[start : start + _BATCH]) for start in range(0, _PAID, _BATCH)]

        def contestant(name: str, at: Server, key: str) -> Contestant:
            requests = [request(ENRICH, body, key) for body in bodies]
            ask(at.port, requests)
            return Contestant(name, at, requests)

        with self._serve(self._without, "--no-worker") as other:
            on = contestant("with a provider", server, self._keys[0])
            off = contestant("without a provider", server, self._keys[-1])
            plain = contestant("no providers file", other, self._keys[-1])
            rounds, seconds = self._effort.rounds, self._effort.seconds
            self._report("enrich with nothing to ask")
            return (
                compare("account with a provider", [on, off], rounds, seconds),
                compare(
                    "account without one, of a server with a providers file", [off, plain], rounds, seconds
                ),
            )

    # --- asks of a worker ---

    def _worker(self, callers: list[_Caller]) -> tuple[int, float, float]:
        self._report("asks of a worker")
        with self._serve(self._site, "--no-worker", waterfall_wait_seconds="0") as server:
            for caller in callers:
                for _ in range(self._effort.asks // _BATCH):
                    ask(server.port, [request(ENRICH, caller.take(_BATCH), caller.key)])
        asks = self._effort.asks // _BATCH * _BATCH * len(callers)
        self._receivers.take_arrivals()
        with working(self._site) as worker:
            self._receivers.wait_for(1, _PATIENCE_SECONDS, worker.lives)
            used = worker.cpu_seconds()
            self._receivers.wait_for(asks, _PATIENCE_SECONDS, worker.lives)
            used = worker.cpu_seconds() - used
        times = sorted(at for at, _ in self._receivers.take_arrivals())
        return asks, (asks - 1) / (times[-1] - times[0]), used / asks * 1e6

    # --- calls that wait ---

    def _whole(self, server: Server, caller: _Caller) -> Waits:
        self._report("enrich of 100 contacts with 100 asks")
        with _client(server, caller) as client:
            waits = [_timed(client, caller.take(_BATCH)) for _ in range(self._effort.calls)]
        return _summary("100 contacts", waits)

    def _paced(self, server: Server, callers: list[_Caller], title: str, silent: int) -> Waits:
        """Call at an even rate with all accounts; return the waits of those whose provider answers."""
        self._report(title)
        self._receivers.behave(silent=silent, delay=_DELAY)
        until = time.perf_counter() + 3 * self._effort.seconds

        def call(place: int) -> list[float]:
            waits, due = [], time.perf_counter() + place * _PACE_SECONDS / len(callers)
            with _client(server, callers[place]) as client:
                while due < until:
                    time.sleep(max(0.0, due - time.perf_counter()))
                    waits.append(_timed(client, callers[place].take(_PACED_BATCH), hangs=place == 0))
                    due += _PACE_SECONDS
            return waits

        with ThreadPoolExecutor(len(callers)) as threads:
            _, *others = threads.map(call, range(len(callers)))
        return _summary(title, [wait for waits in others for wait in waits])


def _client(server: Server, caller: _Caller) -> httpx.Client:
    headers = {"api_key": caller.key, "content-type": "application/json"}
    return httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers=headers, timeout=60)


def _timed(client: httpx.Client, body: bytes, *, hangs: bool = False) -> float:
    """Return the seconds of a call. Raises if it was not completed, unless its provider may hang."""
    began = time.perf_counter()
    answer = client.post(ENRICH, content=body)
    seconds = time.perf_counter() - began
    if not answer.is_success or (answer.json()["status"] != "completed" and not hangs):
        raise RuntimeError(f"An enrich was not completed: {answer.text[:300]}")
    return seconds


def _summary(title: str, waits: list[float]) -> Waits:
    ordered = sorted(waits)
    return Waits(title, len(ordered), ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)])


def _body(ids: list[str]) -> bytes:
    return msgspec.json.encode({"ids": ids, "reveal": ["phones"]})


def _page(number: int) -> str:
    return f"https://www.linkedin.com/in/ann-doe-{number}"
