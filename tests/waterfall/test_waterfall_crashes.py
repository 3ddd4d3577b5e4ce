"""Workers that are killed while they ask: no ask is lost, and nothing is paid twice."""

import random
import subprocess
import time

import msgspec
import pytest
from fake_providers import add_contact, balance_of, ledger_of

from firmograph.database.connection import AccountSession
from firmograph.waterfall.administration import WaterfallAdministration
from firmograph.waterfall.asks import ask_store
from process_server import LoadedProcess
from record_factory import KEYRING
from server_fixtures import Command, eventually

WORKER = """
from firmograph.database import leases
leases.LEASE_SECONDS = 1.5
from firmograph.cli.main import run
run()
"""
"""`firmograph worker` with short leases."""
PEOPLE, KILLS = 60, 3


@pytest.fixture
def asking(make_service, clock, tmp_path):
    """Return an application whose account has asked a file for people and knows every second one."""
    # the workers are processes, with the clock of the machine
    clock.advance(time.time() - clock.seconds())
    names = [f"P{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(PEOPLE)]
    file = tmp_path / "people.csv"
    lines = [
        f"https://www.linkedin.com/in/{name.lower()}-doe,+1 202 555 01{n:02}" for n, name in enumerate(names)
    ]
    file.write_text("\n".join(["linkedinUrl,phone", *lines[::2], ""]))
    settings = tmp_path / "providers.toml"
    settings.write_text(f'[providers.bought]\nkind = "file"\nfile = "{file}"\nprices = {{phones = 3}}\n')
    service = make_service(waterfall_wait_seconds=0, providers_file=str(settings))
    account_id = service.accounts.find(service.account).id
    service.installation.get(WaterfallAdministration).enable(account_id, ["bought"])
    body = {"ids": [add_contact(service, name) for name in names], "reveal": ["phones"]}
    assert service.post("/v3/contacts/enrich", body).json()["status"] == "partial"
    return service


@pytest.mark.slow("killed worker", "waterfall", "jobs", "database", "billing", "cli.worker")
def test_a_worker_killed_while_it_asks_loses_no_ask_and_pays_nothing_twice(asking, tmp_path):
    database, account_id = asking.database, asking.accounts.find(asking.account).id

    def still_open():
        with database.read() as session:
            return len(ask_store.select_every_open(AccountSession(session, account_id)))

    environment = Command(tmp_path, database.url).environment | {
        "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
        "FIRMOGRAPH_LOG_LEVEL": "error",
        "FIRMOGRAPH_PROVIDERS_FILE": str(tmp_path / "providers.toml"),
    }
    moments = random.Random(5)
    for kill in range(KILLS + 1):
        worker = LoadedProcess(
            ["-c", WORKER, "worker"], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL
        )
        try:
            most = PEOPLE - 1 if kill < KILLS else 0
            eventually(lambda most=most: still_open() <= most, "nothing was asked")
            time.sleep(moments.uniform(0, 0.05) if kill < KILLS else 0)
        finally:
            worker.kill()
            worker.wait()
    captured = [row for row in ledger_of(asking) if row[0] == "capture"]
    assert len(captured) == PEOPLE // 2
    assert balance_of(asking) == (3 * PEOPLE // 2, 0)
