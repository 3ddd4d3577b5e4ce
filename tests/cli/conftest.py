"""A database with people and companies for `firmograph prospect`."""

from collections.abc import Iterator

import pytest
from detected_signals import store_in
from prospect_command import Run, Stocked, runner, stock
from table_command import TableCommands
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli import ingest
from firmograph.security.keyring import load_keyring


@pytest.fixture(scope="session")
def stocked(tmp_path_factory) -> Iterator[Stocked]:
    """Return a database with these people and companies, without a checkpoint."""
    folder = tmp_path_factory.mktemp("stocked")
    stocked = Stocked(database_fixtures.fresh(folder), folder)
    stock(stocked)
    yield stocked
    database_fixtures.drop(stocked.url)


@pytest.fixture(scope="session")
def run(stocked) -> Run:
    """Return a function that runs `firmograph prospect` with these arguments."""
    return runner(stocked)


@pytest.fixture
def tables(stocked, tmp_path) -> Iterator[TableCommands]:
    """Return `firmograph table` on a copy of the stocked database with an account and two users."""
    tables = TableCommands(stocked, tmp_path)
    yield tables
    database_fixtures.drop(tables.own.url)


@pytest.fixture
def ann_and_companies(database_url, database, monkeypatch, tmp_path):
    """Store Old Ltd and New Ltd, and Ann, who works at New Ltd."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)
    companies = tmp_path / "companies.csv"
    companies.write_text("name,domain\nOld Ltd,old.example.com\nNew Ltd,new.example.com\n")
    people = tmp_path / "people.csv"
    people.write_text("Full Name,Email,Company\nAnn Roe,ann@new.example.com,New Ltd\n")
    for kind, path in (("companies", companies), ("contacts", people)):
        assert CliRunner().invoke(ingest.app, [kind, str(path)]).exit_code == 0
    return database


@pytest.fixture
def first_keyring(tmp_path):
    """Return the keyring that the first command made."""
    return load_keyring(next(tmp_path.glob("*.keys")))


@pytest.fixture
def store_detected(ann_and_companies, first_keyring):
    """Return a function that stores signals of these records."""
    return lambda *detected, at=1_780_000_000.0: store_in(ann_and_companies, first_keyring, detected, at)
