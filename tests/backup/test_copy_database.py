"""The command `firmograph copy-database`: from SQLite to the database of the tests and back, and its refusals."""

import re
import shutil
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import msgspec
import pytest
import sqlalchemy as sa

import database_fixtures
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.database import postgresql
from firmograph.database.connection import Database
from firmograph.database.schema import declared_tables, prepare
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Busy
from firmograph.security.keyring import load_keyring, new_keyring
from record_factory import KEYRING

LARGE = {
    sa.SmallInteger: 32_767,
    sa.Integer: 2**31 - 1,
    sa.BigInteger: 2**61,
    sa.Double: 1.7e308,
    sa.Text: "Zoë 𝒞 'quoted' \"\\.\" \\N\t\r\n\x1f☃",
    sa.LargeBinary: bytes(range(256)) + b'{"name":"\\u0000"}',
}
SMALL = {
    sa.SmallInteger: 1,
    sa.Integer: 1,
    sa.BigInteger: 1,
    sa.Double: 0.1 + 0.2,
    sa.Text: "",
    sa.LargeBinary: b"",
}
LAST_REPORT = 2**61 + 5
"""Number of a row that is gone."""
SKIP_NUMBERS = sa.text("UPDATE sqlite_sequence SET seq = :last WHERE name = 'quality_reports'")
ADD_REPORT = sa.text("INSERT INTO quality_reports (at, figures) VALUES (0, '') RETURNING id")
RECORD_KEYRING = sa.text("INSERT INTO installation (name, value) VALUES ('keyring', :fingerprint)")


class Copies:
    """Databases in a folder, by name, and the command that copies them."""

    def __init__(self, folder: Path, prepared: Path) -> None:
        self.folder = folder
        self._prepared = prepared
        self._opened: list[Database] = []

    def embedded(self, name: str, *, prepared: bool = False) -> Database:
        file = self.folder / f"{name}.db"
        if prepared:
            shutil.copyfile(self._prepared, file)
        return self._open(f"sqlite:///{file}")

    def of_tests(self, name: str, *, prepared: bool = False) -> Database:
        """Return an empty database of the kind that the tests run on."""
        return self._open(
            (database_fixtures.fresh if prepared else database_fixtures.empty)(self.folder, name)
        )

    def _open(self, url: str) -> Database:
        self._opened.append(Database(url))
        return self._opened[-1]

    def copy(self, source: Database, target: Database | str) -> CompletedProcess[str]:
        """Run the command, without other connections of the test, and return what it did."""
        for each in self._opened:
            each.close()
        to = target if isinstance(target, str) else target.url
        return InProcess(self.folder, source.url)("copy-database", "--to", to, "--json")

    def end(self) -> None:
        for each in self._opened:
            each.close()
            if not each.embedded:
                database_fixtures.drop(each.url)


@pytest.fixture(scope="module")
def make_copies(tmp_path_factory):
    """Return a function that makes databases in a new folder."""
    prepared = tmp_path_factory.mktemp("prepared") / "prepared.db"
    with closing(Database(f"sqlite:///{prepared}")) as database:
        prepare(database)
        # each copy of it would have its identity
        database.session().raw.execute("UPDATE installation SET value = 'source' WHERE name = 'identity'")
    made = []

    def make() -> Copies:
        made.append(Copies(tmp_path_factory.mktemp("copies"), prepared))
        return made[-1]

    yield make
    for each in made:
        each.end()


@pytest.fixture(scope="module")
def way(make_copies):
    """Return databases and reports of a way from a source with rows in each table to the tests' kind and back."""
    copies = make_copies()
    source, there, back = make_source(copies), copies.of_tests("there"), copies.embedded("back")
    fill(source)
    done = [copies.copy(source, there), copies.copy(there, back)]
    assert [each.stderr for each in done] == ["", ""]
    return Way(copies, source, there, back, [msgspec.json.decode(each.stdout) for each in done])


class Way(NamedTuple):
    copies: Copies
    source: Database
    there: Database
    back: Database
    reports: list[dict[str, Any]]


@pytest.fixture
def copies(make_copies):
    return make_copies()


@pytest.fixture
def source(copies) -> Database:
    """Return an embedded database with an account, written under a key file."""
    source = make_source(copies)
    accounts_of(source).create("acme", "unlimited", 10)
    return source


def make_source(copies):
    source = copies.embedded("source", prepared=True)
    with source.write(None) as session:
        session.execute(RECORD_KEYRING, {"fingerprint": KEYRING.fingerprint()})
    write_keys(source, copies.folder)
    return source


def write_keys(database, folder, keyring=KEYRING):
    file = folder / f"{database.companion}.keys"
    file.write_bytes(msgspec.json.encode(keyring))
    file.chmod(0o600)
    return file


def accounts_of(database) -> Accounts:
    return Accounts(database, load_plans(), SetClock())


def fill(database):
    """Insert two rows into each table: the largest values of each type, and the smallest or none."""
    with database.write(None) as session:
        for table in declared_tables():
            if table.name != "installation":
                large = {column.name: value_of(column, LARGE) for column in table.c}
                small = {
                    column.name: None if column.nullable else value_of(column, SMALL) for column in table.c
                }
                if table.name == "balances":
                    large["granted"], small["granted"] = 2**62, 3
                session.load(table, [tuple(large.values()), tuple(small.values())])
        session.execute(SKIP_NUMBERS, {"last": LAST_REPORT})


def value_of(column, values):
    kinds = (sa.SmallInteger, sa.BigInteger, sa.Integer, sa.Double, sa.Text, sa.LargeBinary)
    return next(values[kind] for kind in kinds if isinstance(column.type, kind))


def rows(database):
    """Return the rows of all tables but those which a copy adds or changes."""
    with database.read() as session:
        held = {
            table.name: {tuple(row) for row in session.all(sa.select(*table.c))}
            for table in declared_tables()
        }
    held["installation"] = {row for row in held["installation"] if row[0] != "identity"}
    held["operator_actions"] = {row for row in held["operator_actions"] if row[4] != "copy-database"}
    return held


def identity(database):
    ((found,),) = database.session().all(sa.text("SELECT value FROM installation WHERE name = 'identity'"))
    return found


def refusal(done):
    # a process of tests may also log the outage, which a command does not
    printed = [line for line in done.stdout.splitlines() if "the database cannot be reached" not in line]
    assert (done.returncode, printed) == (1, [])
    (line,) = re.findall(r"\AError: ([^\n]+)\n$", done.stderr)
    return line


def is_blank(database):
    """Return whether nobody has made anything in a database."""
    return not Path(database.path).exists() if database.embedded else not database.session().tables()


def test_every_row_of_every_table_is_the_same_after_a_way_there_and_back(way):
    assert all(len(found) >= 2 for found in rows(way.source).values())
    assert rows(way.there) == rows(way.source)
    assert rows(way.back) == rows(way.source)


def test_a_copy_reports_its_rows_and_the_sums_of_the_ledger(way):
    for report in way.reports:
        assert report["ledger"] == {"rows": 2, "credits": 2**61 + 1}
        assert report["tables"]["contacts"] == 2
        assert report["rows"] == sum(report["tables"].values())


def test_a_copy_has_an_identity_of_its_own_by_which_indexes_notice_it(way):
    assert len({identity(each) for each in (way.source, way.there, way.back)}) == 3


def test_a_copy_stands_in_the_audit(way):
    actions = way.back.session().all(
        sa.text("SELECT details FROM operator_actions WHERE action = 'copy-database'")
    )
    assert [msgspec.json.decode(details)["rows"] for (details,) in actions] == [
        report["rows"] for report in way.reports
    ]


def test_numbers_of_deleted_rows_are_not_given_again(way):
    for database in (way.there, way.back):
        session = database.session()
        session.begin_write([])
        assert session.all(ADD_REPORT) == [(LAST_REPORT + 1,)]
        session.rollback()


def test_a_copy_has_the_indexes_and_guards_of_a_new_database(way):
    new = way.copies.of_tests("new", prepared=True)
    query = (
        "SELECT name, sql FROM sqlite_master"
        if new.embedded
        else "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' UNION"
        " SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
        " UNION SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"
    )
    made, copied = (set(each.session().raw.execute(query).fetchall()) for each in (new, way.there))
    assert made == copied


def test_the_key_file_is_copied_where_there_is_none(way):
    assert [report["keysWritten"] for report in way.reports] == [True, True]
    for database in (way.there, way.back):
        assert load_keyring(way.copies.folder / f"{database.companion}.keys") == KEYRING


def test_a_target_with_another_key_file_is_refused(copies, source):
    there = copies.of_tests("there")
    write_keys(there, copies.folder, new_keyring())
    assert "has another key than the database" in refusal(copies.copy(source, there))
    assert is_blank(there)


def test_a_target_that_was_opened_with_another_key_file_is_refused(copies, source):
    there = copies.of_tests("there", prepared=True)
    with there.write(None) as session:
        session.execute(RECORD_KEYRING, {"fingerprint": "another"})
    assert "was opened with another key file" in refusal(copies.copy(source, there))


def test_a_target_that_is_not_empty_is_refused_and_left_as_it_is(copies, source):
    there = copies.of_tests("there", prepared=True)
    accounts_of(there).create("other", "unlimited", 5)
    before = rows(there)
    assert "is not empty (rows in accounts" in refusal(copies.copy(source, there))
    assert rows(there) == before


def test_a_prepared_target_without_rows_is_filled(copies, source):
    there = copies.of_tests("there", prepared=True)
    assert copies.copy(source, there).returncode == 0
    assert [account.name for account in accounts_of(there).all()] == ["acme"]


def test_the_source_itself_is_refused(way):
    for database in (way.source, way.there):
        assert "is the database that would be copied" in refusal(way.copies.copy(database, database))


def test_a_target_of_another_release_is_refused(copies, source):
    there = copies.of_tests("there", prepared=True)
    with there.write(None) as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = '0019'"))
    assert "was made by another release (schema 0019" in refusal(copies.copy(source, there))


def test_the_tables_of_another_program_are_refused(copies, source):
    there = copies.of_tests("there")
    there.session().raw.execute("CREATE TABLE theirs (id INTEGER)")
    assert "holds the tables of another program" in refusal(copies.copy(source, there))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://root:hidden@localhost/there", "mysql databases are not supported"),
        ("postgresql+psycopg://root:hidden@127.0.0.1:1/there", "port 1 failed: Connection refused"),
    ],
)
def test_a_target_that_cannot_be_reached_is_refused_without_its_password(copies, source, url, why):
    line = refusal(copies.copy(source, url))
    assert why in line
    assert "hidden" not in line


@pytest.mark.parametrize("opened", ["source", "there"])
def test_a_source_that_another_process_has_open_is_refused(way, monkeypatch, opened):
    """An idle connection stands for a server, which always has one."""
    for engine in ("copy_sqlite", "copy_postgresql"):
        monkeypatch.setattr(f"firmograph.backup.{engine}._WAIT_SECONDS", 0)
    source, target = getattr(way, opened), way.copies.embedded(f"after_{opened}")
    with closing(Database(source.url)) as other:
        other.session().tables()
        assert "end its servers, workers and commands" in refusal(way.copies.copy(source, target))
    assert is_blank(target)
    assert not (way.copies.folder / f"{target.companion}.keys").exists()


@pytest.mark.postgresql
def test_a_nul_in_a_text_becomes_a_replacement_character(copies, source):
    with source.write(None) as session:
        session.execute(sa.text("UPDATE accounts SET name = 'a' || char(0) || 'b'"))
    there = copies.of_tests("there")
    assert copies.copy(source, there).returncode == 0
    assert [account.name for account in accounts_of(there).all()] == ["a\ufffdb"]


@pytest.mark.postgresql
@pytest.mark.parametrize("value", ["40000", "'text'"])
def test_a_value_that_postgresql_cannot_hold_ends_the_copy_with_nothing_done(copies, source, value):
    with source.write(None) as session:
        session.execute(sa.text(f"UPDATE accounts SET active = {value}"))
    there = copies.of_tests("there")
    assert "The table accounts has a row that PostgreSQL refuses" in refusal(copies.copy(source, there))
    assert is_blank(there)


@pytest.mark.parametrize("read", ["source", "there"])
def test_nobody_else_reads_a_database_while_it_is_copied(way, monkeypatch, read):
    monkeypatch.setattr("firmograph.database.sqlite.WRITER_WAIT_SECONDS", 0.01)
    monkeypatch.setitem(postgresql._SETTINGS, "lock_timeout", "10ms")
    database, met = getattr(way, read), []

    class Stopped(Exception):
        """End of a copy that has shown what it should."""

    def look(*_):
        with closing(Database(database.url)) as other:
            try:
                accounts_of(other).all()
            except Busy:
                met.append("busy")
        raise Stopped

    monkeypatch.setattr("firmograph.backup.copying.store.count_rows", look)
    with pytest.raises(Stopped):
        way.copies.copy(database, way.copies.embedded(f"never_{read}"))
    assert met == ["busy"]
    assert accounts_of(database).all() != []
