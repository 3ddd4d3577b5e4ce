import subprocess
import sys

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import firmograph.accounts.tables
import firmograph.directory.tables
import firmograph.upkeep.tables  # noqa: F401
from firmograph.kit.database import RECORDS, Database, metadata
from firmograph.kit.errors import Refused
from firmograph.prospecting import store as search_store
from firmograph.schema import HEAD, alembic_config, locked, prepare

_OBJECTS = sa.text("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name <> 'alembic_version'")


@pytest.fixture
def empty(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    yield database
    database.close()


def objects(database):
    """Tables, indexes and triggers, however their text is laid out."""
    return {
        (kind, name, table, "".join(sorted((text or "").replace(",", " ").split())))
        for kind, name, table, text in database.session().all(_OBJECTS)
        if "alembic_version" not in name
    }


def test_migrations_lead_to_the_tables_as_they_are_declared(database):
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_migrations_make_tables_and_indexes_in_the_very_form_declared(database, empty):
    metadata.create_all(empty.engine)
    assert {thing for thing in objects(database) if thing[0] != "trigger"} == objects(empty)


def test_migrations_keep_the_ledger_from_being_changed(database):
    triggers = {name for kind, name, table, _ in objects(database) if kind == "trigger" and table == "ledger"}
    assert triggers == {"ledger_no_update", "ledger_no_delete"}


def test_preparing_again_changes_nothing(database):
    before = objects(database)
    prepare(database)
    assert objects(database) == before


def test_a_prepared_database_loads_no_migration_code(database_file):
    program = (
        "import sys; from firmograph.schema import prepare; from firmograph.kit.database import Database;"
        f"prepare(Database('sqlite:///{database_file}')); sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_schema_of_a_newer_release_is_refused(database):
    with database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Refused, match="newer release of Firmograph"):
        prepare(database)


def test_processes_that_start_at_once_prepare_one_schema(tmp_path, empty):
    program = (
        "from firmograph.schema import prepare; from firmograph.kit.database import Database;"
        f"prepare(Database('{empty.url}'))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [process.communicate()[1] for process in processes] == [""] * 4
    with empty.read() as session:
        assert session.all(sa.text("SELECT version_num FROM alembic_version")) == [(HEAD,)]


def test_a_migration_that_fails_leaves_nothing_behind(empty, monkeypatch):
    def half(config, revision):
        config.attributes["connection"].execute(sa.text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError

    monkeypatch.setattr(command, "upgrade", half)
    with pytest.raises(RuntimeError):
        prepare(empty)
    assert objects(empty) == set()


def test_a_database_of_the_first_schema_is_upgraded_with_its_rows(empty):
    with locked(empty) as connection:
        command.upgrade(alembic_config(connection), "0001")
    with empty.write(RECORDS) as session:
        for entity, number in ((1, 7), (1, 8), (2, 3)):
            session.execute(
                sa.text(f"INSERT INTO changes (entity, entity_id) VALUES ({entity}, {number})"),
            )
        session.execute(sa.text("INSERT INTO contacts (id, preview, profile) VALUES (8, x'7b7d', x'7b7d')"))
    prepare(empty)
    rows = empty.session().all(sa.text("SELECT sequence, entity, entity_id, removed FROM changes"))
    assert rows == [(1, 1, 7, 1), (2, 1, 8, 0), (3, 2, 3, 0)]
    assert search_store.removed_since(empty.session(), 0) == [7]


def test_every_database_has_an_identity_of_its_own(tmp_path):
    identities = set()
    for name in ("one.db", "two.db"):
        database = Database(f"sqlite:///{tmp_path / name}")
        prepare(database)
        identities.add(search_store.identity(database.session()))
        database.close()
    assert len(identities - {""}) == 2
