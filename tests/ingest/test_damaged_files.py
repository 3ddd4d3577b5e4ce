"""Imports of damaged files, which end with a summary or one clear line, never with a traceback."""

import json

import pytest
from file_damage import PARQUET_COLUMNS, ROWS, DamagedFile, damaged_file, parquet_file
from typer.testing import CliRunner

import database_fixtures
from firmograph.cli.ingest import app
from firmograph.kit.errors import Refused

FILES = 40 if database_fixtures.EMBEDDED else 15


@pytest.fixture
def importing(database_url, monkeypatch):
    """Return a function that imports a file as the command does, and checks how it ends."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)

    def importing(file: DamagedFile) -> None:
        done = CliRunner().invoke(app, ["contacts", str(file.path), "--json"])
        if isinstance(done.exception, Refused):
            assert not file.whole, done.exception.message
            assert "\n" not in done.exception.message
            return
        assert isinstance(done.exception, SystemExit | None), (file, done.exc_info)
        summary = json.loads(done.stdout)
        if file.whole:
            assert (summary["read"], summary["rejected"]) == (ROWS, 0), file

    return importing


def test_damaged_files_end_without_a_traceback_and_bad_values_cost_no_row(importing, tmp_path):
    for seed in range(FILES):
        importing(damaged_file(tmp_path, seed))


@pytest.mark.sqlite
def test_every_type_of_parquet_column_costs_no_row(importing, tmp_path):
    for number in range(len(PARQUET_COLUMNS)):
        importing(parquet_file(tmp_path, number))
