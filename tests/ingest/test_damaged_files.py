"""Imports of damaged files, which end with a summary or one clear line, never with a traceback."""

import json

import pytest
from file_damage import PARQUET_COLUMNS, ROWS, DamagedFile, damaged_file, parquet_file
from typer.testing import CliRunner, Result

import database_fixtures
from effort import examples
from firmograph.cli.ingest import app
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.any_database

FILES = examples(100 if database_fixtures.EMBEDDED else 50)


@pytest.fixture
def importing(database_url, monkeypatch):
    """Return a function that imports files as the command does."""
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", database_url)

    def importing(*files: DamagedFile) -> Result:
        return CliRunner().invoke(app, ["contacts", *(str(file.path) for file in files), "--json"])

    return importing


def check(done: Result, *files: DamagedFile) -> None:
    """Check how the import of some whole files, or of one, ended."""
    whole = all(file.whole for file in files)
    if isinstance(done.exception, Refused):
        # bytes that are no text in any encoding are no values that could be left out
        assert not whole or "in no usual encoding" in done.exception.message, done.exception.message
        assert "\n" not in done.exception.message
        return
    assert isinstance(done.exception, SystemExit | None), (files, done.exc_info)
    summary = json.loads(done.stdout)
    if whole:
        assert (summary["read"], summary["rejected"]) == (ROWS * len(files), 0), (files, done.stderr)


def test_damaged_files_end_without_a_traceback_and_bad_values_cost_no_row(importing, tmp_path):
    for seed in range(FILES):
        file = damaged_file(tmp_path, seed)
        check(importing(file), file)


@pytest.mark.sqlite
def test_every_type_of_parquet_column_costs_no_row(importing, tmp_path):
    files = [parquet_file(tmp_path, number) for number in range(len(PARQUET_COLUMNS))]
    check(importing(*files), *files)
