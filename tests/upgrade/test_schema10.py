"""An installation of the last version with the former package layout: no record needs an upgrade."""

import httpx
import pytest
import sqlalchemy as sa
from release import FIXTURE, Release, unpacked

import database_fixtures
from command_fixtures import InProcess
from firmograph.database.connection import Database
from firmograph.database.schema import HEAD, held_revision
from server_fixtures import Command

SNAPSHOT = FIXTURE / "schema10"


@pytest.fixture
def installation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    installation = Release(tmp_path, SNAPSHOT)
    yield installation
    installation.end()


def test_its_database_is_opened_without_an_upgrade_of_records(installation):
    assert installation.upgrade() == ""


_SIGNAL = 3
_UNITS = sa.text("SELECT kind, count(*) FROM paid_units GROUP BY kind ORDER BY kind")
_FORMER = sa.text(
    "SELECT entity, count(*) FROM paid_units GROUP BY entity"
    f" UNION ALL SELECT {_SIGNAL}, count(*) FROM paid_signals ORDER BY 1"
)
_PAYMENTS = sa.text("SELECT unit, paid_at, request_id FROM paid_units WHERE kind = :kind ORDER BY unit")
_FORMER_PAYMENTS = sa.text("SELECT identity, paid_at, request_id FROM paid_signals ORDER BY identity")


def test_its_paid_data_points_and_signals_become_paid_units(installation):
    session = installation.database.session()
    counts, payments = session.all(_FORMER), session.all(_FORMER_PAYMENTS)
    assert {kind for kind, count in counts if count} == {1, 2, _SIGNAL}
    installation.upgrade()
    assert held_revision(installation.database) == HEAD
    assert session.all(_UNITS) == counts
    assert session.all(_PAYMENTS, {"kind": _SIGNAL}) == payments


def test_its_paid_signals_are_free(installation):
    installation.upgrade()
    (call,) = [each for each in installation.calls if each["path"] == "/v3/companies/signals"]
    assert call["answer"]["billing"]["creditsCharged"] > 0
    body = httpx.Request("POST", installation.service.client.base_url, json=call["body"]).content
    again = installation.service.post(call["path"], body, key=installation.keys["acme"]).json()
    assert again["results"] == call["answer"]["results"]
    assert again["billing"]["creditsCharged"] == 0


def test_repeated_calls_are_answered_as_before_and_charge_nothing(installation):
    installation.upgrade()
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
    assert held_revision(database) == HEAD
    assert {kind for kind, _ in database.session().all(_UNITS)} == {1, 2, _SIGNAL}
    database.close()
    database_fixtures.drop(database.url)
    assert restored["holds"] == {"contacts": 10, "companies": 17, "accounts": 2, "suppressions": 5}
