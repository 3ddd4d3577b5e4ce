"""A database with people and companies for `firmograph prospect`."""

import shutil
from collections.abc import Iterator
from functools import cache

import pytest
import typer.testing
from detected_signals import store_in
from prospect_command import Run, Stocked, runner, stock
from table_command import TableCommands
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli import ingest
from firmograph.security.keyring import load_keyring

# a process runs one command, but this one many: their parameters are built once, which takes longer than most commands
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)


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


def copied(stocked, folder) -> Iterator[Stocked]:
    """Copy the stocked database and its keys into a folder, for changes."""
    shutil.copy(stocked.folder / "keys", folder)
    own = Stocked(database_fixtures.copy(stocked.url, folder), folder)
    yield own
    database_fixtures.drop(own.url)


@pytest.fixture
def own(stocked, tmp_path) -> Iterator[Stocked]:
    """Return a copy of the database, for changes of records."""
    yield from copied(stocked, tmp_path)


@pytest.fixture(scope="module")
def shared_copy(stocked, tmp_path_factory) -> Iterator[Stocked]:
    """Return a copy of the database in which the tests of a module have an account each."""
    yield from copied(stocked, tmp_path_factory.mktemp("shared"))


@pytest.fixture
def tables(shared_copy, tmp_path) -> TableCommands:
    """Return `firmograph table` for a new account with two users."""
    return TableCommands(shared_copy, tmp_path)


@pytest.fixture
def own_tables(own, tmp_path) -> TableCommands:
    """Return the same on a database in which records may change."""
    return TableCommands(own, tmp_path)


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
