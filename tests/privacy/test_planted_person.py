"""A person in every place that is declared: found, exported, erased, and kept out of a restored copy."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import msgspec
import pytest
from declaration_checks import (
    Trace,
    check_erased,
    check_filled,
    planted_columns,
    traces,
)
from planted_identity import contains_person
from planted_person import EMAIL, MARK, NUMBER, PERSONAL_DATA, PlantedInstallation, import_again
from planted_workspace import remove_members
from taken_out import ERASERS, NOTICES, PERSONAL_TABLES, without_effect

import database_fixtures
from command_fixtures import InProcess
from firmograph.database.connection import Database
from firmograph.privacy.declarations import Impersonal, PersonalData, TableData
from record_factory import DIGESTS, KEYRING

REVOCATIONS = [("accounts", "preservers", number) for number in range(2)]

PERSONAL_COLUMNS = [
    (table.table.name, name) for table in PERSONAL_TABLES for name in (*table.erased, *table.retained)
]

_numbers = count(1)


@pytest.fixture
def plant(filled, tmp_path, monkeypatch):
    """Return a function that makes a copy of the filled database."""
    monkeypatch.chdir(tmp_path)
    made = []

    def make(declarations: Sequence[PersonalData] = PERSONAL_DATA) -> PlantedInstallation:
        url = database_fixtures.copy(filled, tmp_path, f"planted{next(_numbers)}")
        made.append(PlantedInstallation(url, declarations))
        return made[-1]

    yield make
    for each in made:
        each.database.close()
        database_fixtures.drop(each.database.url)


def with_table(table, other):
    """Return the declarations with another one of a table."""
    return [
        replace(each, tables=tuple(other if one is table else one for one in each.tables))
        for each in PERSONAL_DATA
    ]


def named(declaration):
    return declaration.package


def remaining(planted, keys):
    return check_erased(traces(planted.rows(), keys), PERSONAL_DATA)


def opt_outs(planted):
    return [row for table, row in planted.rows() if table == "deliveries" and row["signal_id"] is None]


_OF_SUPPRESSIONS = {"suppressions", "operator_actions"}


def every_row(planted, keys):
    """Return the rows before and after a suppression, which fills tables of its own."""
    before = list(planted.rows())
    planted.suppression.suppress(planted.person)
    return [*before, *((table, row) for table, row in planted.rows() if table in _OF_SUPPRESSIONS)]


# --- found and exported ---


@pytest.fixture(scope="module")
def exported_rows(filled):
    """Return the found rows of the planted person by table."""
    planted = PlantedInstallation(filled)
    found = planted.export(planted.people())
    planted.database.close()
    return found


@pytest.fixture(scope="module")
def planted_rows(filled, tmp_path_factory):
    """Return all rows with the planted person, and the person's keys."""
    planted = PlantedInstallation(database_fixtures.copy(filled, tmp_path_factory.mktemp("rows"), "rows"))
    keys = planted.people().keys
    rows = every_row(planted, keys)
    planted.database.close()
    database_fixtures.drop(planted.database.url)
    return rows, keys


def test_every_declared_place_is_filled_and_no_other_shows_the_person(planted_rows):
    rows, keys = planted_rows
    assert check_filled(traces(rows, keys), planted_columns(rows, keys), PERSONAL_DATA) == []


@pytest.mark.parametrize("table", PERSONAL_TABLES, ids=lambda table: table.table.name)
def test_a_table_wrongly_declared_impersonal_is_found(planted_rows, table):
    rows, keys = planted_rows
    kinds = dict.fromkeys(table.table.c.keys(), Impersonal.CODE)
    found = check_filled(
        traces(rows, keys),
        planted_columns(rows, keys),
        with_table(table, TableData(table.table, impersonal=kinds)),
    )
    assert {problem.split(".")[0] for problem in found} == {table.table.name}


@pytest.mark.parametrize("column", PERSONAL_COLUMNS, ids=".".join)
def test_a_column_wrongly_declared_impersonal_is_found(planted_rows, column):
    rows, keys = planted_rows
    (table,) = [each for each in PERSONAL_TABLES if each.table.name == column[0]]
    wrong = replace(
        table,
        erased=tuple(name for name in table.erased if name != column[1]),
        retained={name: reason for name, reason in table.retained.items() if name != column[1]},
        impersonal={**table.impersonal, column[1]: Impersonal.CODE},
    )
    found = check_filled(traces(rows, keys), planted_columns(rows, keys), with_table(table, wrong))
    assert [problem.split(" shows ")[0] for problem in found] == [".".join(column)]


def test_an_export_has_every_value_that_is_planted(plant):
    planted = plant()
    people = planted.people()
    rows = [(table, row) for table, found in planted.export(people).items() for row in found]
    exported, stored = traces(rows, people.keys), traces(planted.rows(), people.keys)
    personal = {column for column in PERSONAL_COLUMNS if column in stored}
    assert {column: exported[column] for column in personal} == {
        column: stored[column] for column in personal
    }


@pytest.mark.parametrize("table", PERSONAL_TABLES, ids=lambda table: table.table.name)
def test_exported_values_can_be_read(planted_rows, exported_rows, table):
    rows, keys = planted_rows
    name = table.table.name
    shows_text = any(Trace.TEXT in shown for (of, _), shown in traces(rows, keys).items() if of == name)
    content = msgspec.json.encode([table.export(row) for row in exported_rows[name]])
    # content that cannot be decoded would be hexadecimal digits
    assert (MARK.encode() in content.lower()) == shows_text


def test_a_person_is_found_with_every_record_and_key(plant):
    people = plant().people()
    assert list(people.records) == [NUMBER]
    assert {DIGESTS.contact_email(EMAIL), DIGESTS.contact_id(NUMBER)} < people.keys


def test_another_person_is_not_exported(plant):
    planted = plant()
    with planted.database.read() as session:
        other = planted.suppression.find(session, planted.suppression.person(email="ann@acme.test"))
    found = {table: rows for table, rows in planted.export(other).items() if rows}
    assert found.keys() == {"changes", "contact_keys", "contact_rows", "contacts"}
    assert not any(contains_person(str(row).encode()) for rows in found.values() for row in rows)


# --- erased ---


def test_a_suppression_leaves_nothing_of_the_person(plant):
    planted = plant()
    people = planted.people()
    assert planted.suppression.suppress(planted.person) == 1
    assert remaining(planted, people.keys) == []
    assert len(opt_outs(planted)) == 1
    found = {table for table, rows in planted.export(people).items() if rows}
    assert found == {table.table.name for table in PERSONAL_TABLES if table.retained}


@pytest.mark.parametrize(("package", "field", "number"), [*ERASERS, *NOTICES])
def test_an_eraser_that_does_nothing_is_found(plant, package, field, number):
    planted = plant(without_effect(package, field, number))
    keys = planted.people().keys
    planted.suppression.suppress(planted.person)
    assert remaining(planted, keys) or not opt_outs(planted)


@pytest.mark.parametrize("declaration", [each for each in PERSONAL_DATA if each.erasers], ids=named)
def test_a_package_without_its_declaration_is_found(plant, declaration):
    planted = plant([each for each in PERSONAL_DATA if each is not declaration])
    keys = planted.people().keys
    planted.suppression.suppress(planted.person)
    assert remaining(planted, keys)


# --- kept out of a restored copy ---


@pytest.fixture(scope="module")
def backup_file(filled, tmp_path_factory):
    """Return a backup of the filled database."""
    folder = tmp_path_factory.mktemp("backup")
    planted = PlantedInstallation(filled)
    planted.back_up(folder / "backup")
    planted.database.close()
    return folder / "backup"


_ENDED = {"login_links"}
"""Tables that a restore empties."""


def protect(planted):
    """Suppress the person, and shut an account and a key."""
    keys = planted.people().keys
    planted.suppression.suppress(planted.person)
    planted.accounts.revoke_key("Acme")
    planted.accounts.set_active("Acme", False)
    return keys


def test_a_restored_older_backup_and_the_next_import_have_nothing_of_the_person(plant, backup_file, tmp_path):
    planted = plant()
    people = planted.people()
    protect(planted)
    restored = planted.restore(backup_file)
    assert (restored.erased, restored.revoked, restored.disabled) == (1, 1, 1)
    assert remaining(planted, people.keys) == []
    assert len(opt_outs(planted)) == 1
    found = {table for table, rows in planted.export(people).items() if rows}
    assert found == {table.table.name for table in PERSONAL_TABLES if table.retained} - _ENDED
    import_again(planted.database, tmp_path)
    assert remaining(planted, people.keys) == []


@pytest.mark.parametrize(("package", "field", "number"), [*ERASERS[1:], *REVOCATIONS])
def test_what_does_nothing_at_a_restore_is_found(plant, backup_file, package, field, number):
    planted = plant()
    keys = protect(planted)
    planted.declarations = without_effect(package, field, number)
    planted.restore(backup_file)
    assert (
        remaining(planted, keys)
        or any(account.active for account in planted.accounts.all())
        or any(key.revoked_at is None for key in planted.accounts.keys("Acme"))
    )


# --- files ---

STAYING = {
    "backup": "backup.service",
    "export.csv": "cli.output",
    "rejects.jsonl": "ingest.rejects",
}
"""Files that stay where the operator has put them, with their modules."""


@pytest.mark.sqlite
def test_files_have_nothing_of_the_person_but_those_that_stay(filled, tmp_path):
    database = Database(database_fixtures.copy(filled, tmp_path))
    command = InProcess(tmp_path, database.url)
    erased = {f"{database.companion.name}{end}" for end in ("", ".search")} | {"copy.db"}
    remove_members(database)
    plant_files(tmp_path, database, command)
    assert files_with_person(tmp_path) == {*erased, *STAYING}
    for words in (("suppress", "--email", EMAIL), ("index",)):
        done = command(*words)
        assert done.returncode == 0, done.stderr
    assert files_with_person(tmp_path) == set(STAYING)


def test_files_that_stay_are_declared_so():
    declared = {file.module: file for each in PERSONAL_DATA for file in each.files}
    assert all(declared[module].erased.startswith("stays") for module in STAYING.values())


def plant_files(folder, database, command):
    """Write the files that hold data of people, by commands."""
    key_file = folder / f"{database.companion}.keys"
    key_file.write_bytes(msgspec.json.encode(KEYRING))
    key_file.chmod(0o600)
    rows = folder / "rows.jsonl"
    rows.write_text(f'{{"sourceId": "{MARK}-rejected"}}\n')
    for *words, code in (
        ("import", "contacts", str(rows), "--rejects", "rejects.jsonl", 1),
        ("index", 0),
        ("backup", "backup", 0),
        ("prospect", "contacts", "--domain", "acme.test", "--all", "--output", "export.csv", 0),
    ):
        done = command(*words)
        assert done.returncode == code, done.stderr
    rows.unlink()
    # as a killed dry run leaves it
    abandoned = folder / f".{database.companion.name}.dry-run.part"
    abandoned.mkdir(mode=0o700)
    shutil.copyfile(database.path, abandoned / "copy.db")


def files_with_person(folder):
    """Return the names of files with data of the person, members of archives among them."""
    return {path.name for path in folder.rglob("*") if path.is_file() and contains_person(path.read_bytes())}
