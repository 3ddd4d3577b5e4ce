"""The collector in real processes: page views are stored by themselves, by every worker."""

import json
import os
import signal

import httpx
import pytest

import database_fixtures
from firmograph.accounts.service import Accounts
from firmograph.database.connection import AccountSession, Database
from firmograph.visits.columns import read_columns
from firmograph.visits.sites import Sites
from installation_factory import installation_of
from server_fixtures import Command, Server, eventually, free_port

AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)
COUNT = 100


@pytest.mark.slow("killed server", "visits", "serving")
def test_page_views_of_all_workers_are_there_after_a_kill(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = database_fixtures.fresh(tmp_path)
    database = Database(url)
    installation = installation_of(database)
    installation.get(Accounts).create("Acme", "unlimited", 0)
    account_id = installation.get(Accounts).find("Acme").id
    site = installation.get(Sites).track(account_id, "acme.example")
    own = AccountSession(database.session(), account_id)
    server = Server(
        Command(tmp_path, url), free_port(), "--workers", "2", FIRMOGRAPH_TRUSTED_PROXIES="127.0.0.1"
    )
    try:
        server.wait_until_ready()
        for number in range(COUNT):
            # a connection each, which either worker takes
            answer = httpx.post(
                f"{server.url}/collect/v",
                content=json.dumps({"url": f"https://acme.example/{number}"}),
                headers={
                    "origin": "https://acme.example",
                    "content-type": "text/plain",
                    "user-agent": AGENT,
                    "x-forwarded-for": f"198.51.100.{number}",
                    "x-forwarded-proto": "https",
                },
            )
            assert answer.status_code == 204

        def stored():
            return int(read_columns(own, [site.id], 0, 40_000).page_views.sum())

        eventually(lambda: stored() == COUNT, "all page views")
        os.kill(server.process.pid, signal.SIGKILL)
        assert stored() == COUNT
        assert len(set(read_columns(own, [site.id], 0, 40_000).visitor.tolist())) == COUNT
    finally:
        server.process.kill()
        server.process.communicate()
        database.close()
        database_fixtures.drop(url)
