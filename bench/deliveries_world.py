"""The data of the deliveries run: accounts with subscriptions made through the real API, and new signals."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil

from bench.receivers import Receivers
from bench.servers import cores, cpu_seconds
from bench.sites import CREDITS, Site
from bench.workspace import PLAN, environment
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, Database
from firmograph.directory.identity import Digests
from firmograph.kit.clock import SystemClock, iso
from firmograph.security.record_ids import Entity
from firmograph.settings import load_settings
from firmograph.signals import store
from firmograph.signals.events import Detected, NewsEvent

_TYPE = "commercialActivityNews"
_BATCH = 10
"""Subscriptions to one URL in a request, and of an account to one receiver."""


class Made(NamedTuple):
    """A signal."""

    at: float
    receiver: int
    """Number of the account's receiver that gets it."""


class World:
    """Companies that all accounts have subscribed to, and as many without subscriptions."""

    def __init__(self, site: Site, accounts: int, companies: int, receivers: Receivers) -> None:
        self.site = site
        self.accounts = accounts
        self.companies = companies
        self.receivers = receivers
        site.settings["allow_insecure_webhooks"] = "true"
        self._import_companies()
        self._serial = 0
        settings = load_settings(environment(**site.settings))
        self.database = Database(site.url)
        self.digests = Digests(ensure_keyring(settings, self.database))
        self._subscribe()

    def _import_companies(self) -> None:
        rows = self.site.folder / "companies.jsonl"
        rows.write_text(
            "".join(
                json.dumps({"name": f"Company {n}", "domain": _domain(n)}) + "\n"
                for n in range(1, 2 * self.companies + 1)
            )
        )
        self.site.run("import", "companies", str(rows))

    def _subscribe(self) -> None:
        accounts = Accounts(self.database, load_plans(), SystemClock())
        with self.site.served({*cores()}, "--no-worker") as server:
            for number in range(self.accounts):
                name = f"bench-{number}"
                accounts.create(name, PLAN, CREDITS)
                key = accounts.create_key(name).api_key
                with httpx.Client(
                    base_url=f"http://127.0.0.1:{server.port}", headers={"api_key": key}, timeout=60
                ) as client:
                    _subscribe(client, self._urls(number), self.companies)

    def _urls(self, account: int) -> Sequence[str]:
        """Return the receivers of an account, which no other account has."""
        each = self.companies // _BATCH
        return self.receivers.urls[account * each : (account + 1) * each]

    def detect(self, count: int, *, subscribed: bool = True) -> dict[str, Made]:
        """Store signals of the companies in turn, as imports do; return them by their ids."""
        at = time.time()
        found = [self._news(at, 0 if subscribed else self.companies) for _ in range(count)]
        with self.database.write(RECORDS) as session:
            store.store_signals(session, self.digests, found, at)
        return {one.identity(self.digests).hex(): Made(at, self._place(one.number)) for one in found}

    @staticmethod
    def _place(company: int) -> int:
        return (company - 1) // _BATCH

    def _news(self, at: float, beyond: int) -> Detected:
        self._serial += 1
        day, url = iso(at)[:10], f"https://news.example.com/{self._serial}"
        event = NewsEvent(
            "partnership",
            "Two companies that do not exist work together from now on.",
            day,
            "A partnership that nobody heard of",
            "They work together from now on.",
            day,
            url,
        )
        # record numbers follow the order of the file
        number = 1 + beyond + self._serial % self.companies
        return Detected(Entity.COMPANY, number, _TYPE, url, day, event, "Partnership")


def _subscribe(client: httpx.Client, urls: Sequence[str], companies: int) -> None:
    _checked(client.post("/api/account/secret/regenerate"))
    body = {"companies": [{"domain": _domain(n)} for n in range(1, companies + 1)]}
    ids = [one["id"] for one in _checked(client.post("/v3/companies/search", json=body))["results"]]
    for place, url in enumerate(urls):
        batch = [{"entityId": id} for id in ids[place * _BATCH : (place + 1) * _BATCH]]
        made = _checked(
            client.post(
                "/api/subscriptions",
                json={
                    "defaults": {"url": url, "entityType": "company", "signalTypes": ["allSignals"]},
                    "subscriptions": batch,
                },
            )
        )
        if made["successful"] != len(batch):
            raise RuntimeError(f"Subscriptions were refused: {made['results'][0]}")


def _checked(answer: httpx.Response) -> Any:
    if not answer.is_success:
        raise RuntimeError(f"{answer.request.url.path}: {answer.text}")
    return answer.json()


def _domain(number: int) -> str:
    return f"corp{number}.example.com"


class Worker:
    """`firmograph worker`, on all cores."""

    def __init__(self, process: psutil.Popen) -> None:
        self._process = process

    def lives(self) -> bool:
        return self._process.poll() is None

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._process.pid)

    def memory(self) -> int:
        """Return its private memory in bytes: without pages of the database's file, which the system reclaims."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        (own,) = [line for line in lines if line.startswith("RssAnon")]
        return int(own.split()[1]) * 1024


@contextmanager
def working(site: Site) -> Iterator[Worker]:
    log = site.folder / "worker.log"
    with log.open("wb") as out:
        process = psutil.Popen(
            site.command("worker"), env=environment(**site.settings), stdout=out, stderr=out
        )
        try:
            yield Worker(process)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except psutil.TimeoutExpired:
                process.kill()
                process.wait()
