"""Modules that commands load: only what they use, so that they start quickly."""

import subprocess
import sys

import pytest

HEAVY = {
    "aiohttp",
    "cryptography",
    "litestar",
    "phonenumbers",
    "prometheus_client",
    "pyarrow",
    "pyroaring",
    "rapidfuzz",
    "uvicorn",
}
"""Libraries that take long to load: of the server, deliveries, metrics, normalisation, the search engine."""
FEATURES = {
    "enrichment",
    "indexing",
    "ingest",
    "legacy",
    "prospecting",
    "signal_score",
    "signals",
    "webhooks",
}

PROGRAM = """
import sys
from contextlib import suppress
from firmograph.cli.main import run
try:
    for line in sys.argv[1:]:
        sys.argv[1:] = line.split()
        with suppress(SystemExit):
            run()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.fixture
def loaded_modules(command):
    """Return a function that runs commands in one process and returns the names of the modules that they loaded."""

    def run(*lines):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *lines],
            cwd=command.folder,
            env=command.environment,
            capture_output=True,
            text=True,
        )
        *messages, loaded = done.stderr.splitlines()
        assert done.returncode == 0, done.stderr
        assert not [line for line in messages if line.startswith("Error")], done.stderr
        return set(loaded.split())

    return run


def used_features(modules):
    """Return the features of which more is loaded than the registration, which names the package's prices."""
    names = (name.split(".") for name in modules)
    return {
        parts[1]
        for parts in names
        if len(parts) > 2 and parts[0] == "firmograph" and parts[1] in FEATURES and parts[2] != "registration"
    }


@pytest.mark.any_database
def test_commands_on_accounts_load_no_feature_and_no_heavy_library(loaded_modules):
    modules = loaded_modules("account create Acme", "account list", "key create --account Acme")
    assert "firmograph.accounts.service" in modules
    assert used_features(modules) == set()
    assert modules & HEAVY == set()


@pytest.mark.any_database
def test_listing_signals_loads_neither_the_server_nor_the_search_engine(loaded_modules):
    modules = loaded_modules("signals list")
    assert used_features(modules) == {"signals"}
    assert modules.isdisjoint({"litestar", "uvicorn", "aiohttp", "pyroaring", "prometheus_client"})


@pytest.mark.any_database
def test_suppressing_a_person_loads_neither_the_server_nor_the_search_engine(loaded_modules):
    modules = loaded_modules("suppress --email ann@example.com")
    assert "firmograph.privacy.suppression" in modules
    assert modules.isdisjoint({"litestar", "uvicorn", "pyroaring", "prometheus_client"})


@pytest.mark.any_database
def test_help_loads_no_package(loaded_modules):
    modules = loaded_modules("--help")
    assert not any(name.startswith("firmograph.bootstrap") for name in modules)
    assert used_features(modules) == set()
