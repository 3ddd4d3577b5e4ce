import subprocess
import sys

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import database_fixtures
import firmograph.accounts.tables
import firmograph.admin.tables
import firmograph.billing.tables
import firmograph.conversations.tables
import firmograph.directory.tables
import firmograph.ingest.imports.tables
import firmograph.ingest.quality.tables
import firmograph.jobs.tables
import firmograph.lookalikes.tables
import firmograph.operator_audit.tables
import firmograph.privacy.deletion_lists.tables
import firmograph.privacy.do_not_call.tables
import firmograph.rate_limits.tables
import firmograph.record_tables.tables
import firmograph.signals.tables
import firmograph.visits.tables
import firmograph.waterfall.tables
import firmograph.webhooks.tables  # noqa: F401
from firmograph.database.connection import RECORDS, Database, metadata
from firmograph.database.schema import (
    HEAD,
    RULES,
    alembic_config,
    check_prepared,
    held_revision,
    prepare,
    take_back,
)
from firmograph.indexing import store as search_store
from firmograph.kit.errors import Refused
from next_release import NEXT
from process_server import LoadedProcess

_OBJECTS = {
    "sqlite": "SELECT type, name, tbl_name, sql FROM sqlite_master",
    "postgresql": """
        SELECT 'column', attname, relname,
            format_type(atttypid, atttypmod) || ' ' || attnotnull || coalesce(pg_get_expr(adbin, adrelid), '')
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
        UNION SELECT 'index', indexname, tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
        UNION SELECT 'constraint', conname, conrelid::regclass::text, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION SELECT 'trigger', tgname, tgrelid::regclass::text, pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal
        UNION SELECT 'function', proname, '', prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    """,
}
_GUARDS = {"sqlite": ("{}_no_update", "{}_no_delete"), "postgresql": ("{}_append_only",)}
_EXAMPLES = {int: 1, float: 1.5, str: "1", bytes: b"{}"}


def objects(database):
    """Return tables, indexes and triggers with normalised whitespace."""
    return {
        (kind, name, table, "".join(sorted((text or "").replace(",", " ").replace(")", " ) ").split())))
        for kind, name, table, text in database.session().raw.execute(_OBJECTS[database_fixtures.KIND])
        if "alembic_version" not in (table, name)
    }


def fill(database):
    """Insert an example row into each table."""
    reflected = sa.MetaData()
    reflected.reflect(database.engine)
    with database.engine.begin() as connection:
        for table in reflected.sorted_tables:
            if table.name != "alembic_version":
                row = {column.name: _EXAMPLES[column.type.python_type] for column in table.columns}
                row |= {"granted": 2} if table.name == "balances" else {}
                connection.execute(table.insert().values(row))


def rows(database):
    """Return the rows of each table, without facts about the database itself."""
    reflected = sa.MetaData()
    reflected.reflect(database.engine)
    with database.engine.connect() as connection:
        return {
            table.name: [row._asdict() for row in connection.execute(table.select())]
            for table in reflected.sorted_tables
            if table.name not in ("alembic_version", "installation")
        }


def test_the_newest_migration_is_the_one_that_starts_check_for(database):
    with database.engine.connect() as connection:
        assert ScriptDirectory.from_config(alembic_config(connection)).get_heads() == [HEAD]


def test_migrations_lead_to_the_declared_tables(database):
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_migrations_make_tables_and_indexes_in_exactly_the_declared_form(database, empty):
    metadata.create_all(empty.engine)
    made = {thing for thing in objects(database) if thing[0] not in ("trigger", "function")}
    assert made == objects(empty)


@pytest.mark.parametrize("guarded", ["ledger", "operator_actions"])
def test_migrations_protect_ledger_and_audit_from_changes(database, guarded):
    triggers = {name for kind, name, table, _ in objects(database) if kind == "trigger" and table == guarded}
    assert triggers == {name.format(guarded) for name in _GUARDS[database_fixtures.KIND]}


def test_preparing_twice_changes_nothing(database):
    before = objects(database)
    prepare(database)
    assert objects(database) == before


def test_a_prepared_database_loads_no_migration_code(database_url):
    program = (
        "import sys; from firmograph.database.schema import prepare; "
        "from firmograph.database.connection import Database;"
        f"prepare(Database('{database_url}')); sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_schema_of_a_newer_release_is_refused(database):
    with database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Refused, match="newer release of Firmograph"):
        prepare(database)


def test_the_tables_of_another_program_are_left_alone(empty):
    empty.session().raw.execute("CREATE TABLE theirs (id INTEGER)")
    with pytest.raises(Refused, match="holds the tables of another program"):
        prepare(empty)
    assert empty.session().tables() == {"theirs"}


def test_processes_that_start_together_prepare_one_schema(empty):
    program = (
        "from firmograph.database.schema import prepare; from firmograph.database.connection import Database;"
        f"prepare(Database('{empty.url}'))"
    )
    processes = [LoadedProcess(["-c", program], stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[1] for process in processes] == [""] * 4
    with empty.read() as session:
        assert session.all(sa.text("SELECT version_num FROM alembic_version")) == [(HEAD,)]


def test_a_failed_migration_leaves_nothing_behind(empty, monkeypatch):
    def half(config, revision):
        config.attributes["connection"].execute(sa.text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError

    monkeypatch.setattr(command, "upgrade", half)
    with pytest.raises(RuntimeError):
        prepare(empty)
    assert objects(empty) == set()


def test_a_database_of_the_release_before_is_upgraded_with_its_rows(database, next_release):
    fill(database)
    before = rows(database)
    next_release()
    prepare(database)
    after = rows(database)
    assert after.pop("extras") == []
    assert [row.pop("extra") for row in after["accounts"]] == ["none"]
    assert (after, held_revision(database)) == (before, NEXT)


def test_the_newest_migration_can_be_taken_back_with_the_rows_that_the_release_before_knows(
    database, next_release
):
    shape, before = objects(database), rows(database)
    next_release()
    prepare(database)
    fill(database)
    filled = {name: found for name, found in rows(database).items() if name in before}
    for row in filled["accounts"]:
        del row["extra"]
    take_back(database, HEAD)
    assert (objects(database), rows(database), held_revision(database)) == (shape, filled, HEAD)
    prepare(database)
    assert held_revision(database) == NEXT


def test_a_second_connection_finds_the_schema_that_another_one_migrated(database, next_release):
    next_release()
    another = Database(database.url)
    prepare(another)
    another.close()
    prepare(database)
    assert "extras" in database.session().tables()


def test_a_new_database_is_its_own_origin_under_the_rules_of_this_release(database):
    facts = dict(database.session().all(sa.text("SELECT name, value FROM installation")))
    assert facts == {"identity": facts["identity"], "origin": facts["identity"], "rules": RULES}


@pytest.mark.parametrize("held", ["0001", "0013"])
def test_a_database_of_before_the_first_release_is_refused_as_such(database, held):
    with database.write(RECORDS) as session:
        session.execute(sa.text(f"UPDATE alembic_version SET version_num = '{held}'"))
    for refuse in (prepare, check_prepared, lambda database: take_back(database, "0001")):
        with pytest.raises(Refused, match=rf"before 0.1.0, the first release \(schema {held}\)"):
            refuse(database)
    assert held_revision(database) == held


def test_every_database_has_an_identity_of_its_own(empty, tmp_path):
    another = Database(database_fixtures.empty(tmp_path, "another"))
    for database in (empty, another):
        prepare(database)
    identities = {search_store.identity(database.session()) for database in (empty, another)}
    another.close()
    database_fixtures.drop(another.url)
    assert len(identities - {""}) == 2
