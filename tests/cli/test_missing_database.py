"""Commands that read where there is no database: they name the place and create nothing."""

import re

import pytest

from command_fixtures import InProcess

ID = "v1." + "A" * 32
READING = (
    "account list",
    "account show acme",
    "account rename acme acme-europe",
    "account close acme --yes",
    "audit",
    "credits adjust 5 --account acme --reason twice",
    "backup copy.backup",
    "buying-group --domain acme.example",
    "credits grant 5 --account acme",
    "export contacts people.csv",
    "export companies - --format jsonl --industry Finance",
    "index",
    "key create --account acme",
    "ledger export --account acme",
    "lookalike companies --domain acme.example",
    f"record show {ID}",
    "schema show",
    "signals list",
    "status",
    "suppressions export hashes.jsonl",
    "table list --account acme",
    "table export 1 rows.csv",
    "unsuppress --email ann@acme.example",
    "usage report --month 2026-11",
    "usage push http://127.0.0.1:9/events",
    "user list --account acme",
    "user remove ann@acme.example --account acme",
    "user role ann@acme.example admin --account acme",
    "prospect contacts --title sales",
)


@pytest.mark.any_database
@pytest.mark.parametrize("words", READING)
def test_a_missing_file_is_named_and_not_created(tmp_path, words):
    done = InProcess(tmp_path, f"sqlite:///{tmp_path}/none.db")(*words.split())
    assert done.returncode == 1
    assert re.fullmatch(rf"Error: There is no database at {tmp_path}/none.db; [^\n]+\n", done.stderr)
    assert (done.stdout, list(tmp_path.iterdir())) == ("", [])


def test_an_empty_database_is_named_and_stays_empty(tmp_path, empty):
    done = InProcess(tmp_path, empty.url)("account", "list")
    assert (done.returncode, done.stderr.partition(";")[0]) == (
        1,
        f"Error: There is no database at {empty.name}",
    )
    assert empty.session().tables() == set()


@pytest.mark.any_database
def test_what_brings_something_in_creates_it(tmp_path):
    command = InProcess(tmp_path, f"sqlite:///{tmp_path}/new.db")
    assert command.json("account", "create", "acme")["name"] == "acme"
    assert command.json("account", "list")
