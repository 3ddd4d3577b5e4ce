"""An installation of the last version with the former package layout, which needs no upgrade."""

import httpx
import pytest
from release import FIXTURE, Release, unpacked

import database_fixtures
from command_fixtures import InProcess
from firmograph.database.connection import Database
from server_fixtures import Command

SNAPSHOT = FIXTURE / "schema10"


@pytest.fixture
def installation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    installation = Release(tmp_path, SNAPSHOT)
    yield installation
    installation.end()


def test_its_database_is_opened_without_an_upgrade(installation):
    assert installation.upgrade() == ""


def test_repeated_calls_are_answered_as_before_and_charge_nothing(installation):
    keyed = [call for call in installation.calls if "Idempotency-Key" in call["headers"]]
    for call in keyed:
        body = httpx.Request("POST", installation.service.client.base_url, json=call["body"]).content
        again = installation.service.post(
            call["path"], body, key=installation.keys["acme"], **call["headers"]
        ).json()
        suppressed = 1 if "contacts" in call["path"] else 0
        result_count = len(call["answer"]["results"]) - suppressed
        assert again["results"][:result_count] == call["answer"]["results"][:result_count]
        assert again["billing"]["creditsCharged"] == call["answer"]["billing"]["creditsCharged"]
    assert len(keyed) == 2


def test_its_checkpoint_is_used(installation):
    command = Command(installation.folder, installation.url)
    checkpoint = installation.folder / f"{installation.database.companion.name}.search"
    unpacked(f"{database_fixtures.KIND}.checkpoint.gz", checkpoint, SNAPSHOT)
    assert command.json("index")["rebuilt"] is False


def test_its_backup_is_restored_on_a_new_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database = Database(database_fixtures.fresh(tmp_path, "machine"))
    backup = unpacked(f"{database_fixtures.KIND}.backup.gz", tmp_path / "kept.backup", SNAPSHOT)
    restored = InProcess(tmp_path, database.url).json("restore", str(backup), "--unsigned")
    database.close()
    database_fixtures.drop(database.url)
    assert restored["holds"] == {"contacts": 10, "companies": 17, "accounts": 2, "suppressions": 5}
