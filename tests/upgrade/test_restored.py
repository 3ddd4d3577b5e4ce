"""A backup of the previous version, restored by this one on a new machine."""

import signal

import httpx
import msgspec
import pytest
from release import MADE, run_changed, unpacked

import database_fixtures
from command_fixtures import InProcess
from firmograph.database.connection import Database
from firmograph.database.schema import HEAD, RULES, held_revision, held_rules
from firmograph.kit.clock import SetClock
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings
from server_fixtures import Service
from stored_records import stored_companies


class Machine:
    def __init__(self, folder):
        self.url = database_fixtures.fresh(folder, "machine")
        self.database = Database(self.url)
        self.command = InProcess(folder, self.url)
        self.backup = unpacked(f"{database_fixtures.KIND}.backup.gz", folder / "kept.backup")
        self.key_file = folder / f"{self.database.companion}.keys"

    def restore(self):
        return self.command.json("restore", str(self.backup), "--unsigned")

    def service(self):
        keyring = msgspec.json.decode(self.key_file.read_bytes(), type=Keyring)
        return Service(self.database, keyring, SetClock(), Settings(database_url=self.url))


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    machine = Machine(tmp_path)
    yield machine
    machine.database.close()
    database_fixtures.drop(machine.url)


def test_its_records_follow_the_current_rules(machine):
    done = machine.restore()
    assert done["holds"] == {"contacts": 12, "companies": 19, "accounts": 2, "suppressions": 5}
    assert (held_revision(machine.database), held_rules(machine.database.session())) == (HEAD, RULES)
    codes = {
        one.name: [code.code for code in one.naics_codes]
        for one in stored_companies(machine.database).values()
    }
    assert codes["Juniper Mills"] == [31, 32, 33]


KILLED = """
import os, signal
from firmograph.cli import context, record_upgrade
from firmograph.cli.main import run

record_upgrade.upgrade_records = lambda settings, database: os.kill(os.getpid(), signal.SIGKILL)
run()
"""
"""The command line, killed when the backup is in its place and its records are as they were in it."""


def test_the_next_command_finishes_a_killed_restore(machine):
    arguments = ("restore", str(machine.backup), "--unsigned")
    assert run_changed(machine.command, KILLED, *arguments) == -signal.SIGKILL
    assert held_rules(machine.database.session()) == ""
    assert "32 of 32" in machine.command("account", "list").stderr
    assert held_rules(machine.database.session()) == RULES


def test_keys_credits_and_suppressions_still_apply(machine):
    machine.restore()
    service = machine.service()
    for call in (one for one in MADE["calls"] if "search-and-enrich" in one["path"]):
        body = httpx.Request("POST", service.client.base_url, json=call["body"]).content
        answer = service.post(call["path"], body, key=MADE["keys"]["acme"]).json()
        assert answer["billing"]["creditsCharged"] == 0
        if "contacts" in call["path"]:
            assert answer["results"][-1]["error"]["code"] == "COMPLIANCE_RESTRICTED"
