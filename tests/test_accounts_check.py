import ast
from pathlib import Path
from textwrap import dedent

import pytest
from scripts.check_accounts import find_accesses, main, owned_tables, problems

pytestmark = [pytest.mark.any_database, pytest.mark.folders("scripts")]

PATH = Path("src/firmograph/notes/store.py")
KEY = "firmograph.notes.store.read"

HEAD = """
import sqlalchemy as sa
from sqlalchemy import bindparam
from firmograph.notes.tables import notes, shared

_n = notes.c
_account = bindparam("account")
"""


def accesses(source, owned=("notes",)):
    return [*find_accesses(PATH, ast.parse(HEAD + dedent(source)), owned)]


def found(source, exceptions=()):
    return [*problems(accesses(source), exceptions)]


def test_tables_with_an_account_column_are_owned():
    tables = ast.parse("""
notes = sa.Table("notes", metadata, account_column(primary_key=True), sa.Column("text", sa.Text))
older = sa.Table("older", metadata, sa.Column("account_id", sa.BigInteger))
shared = sa.Table("shared", metadata, sa.Column("text", sa.Text))
""")
    assert owned_tables({Path("src/firmograph/notes/tables.py"): tables}) == {"notes", "older"}


@pytest.mark.parametrize(
    "left_out",
    [
        """
        _READ = sa.select(notes.c.text).where(notes.c.id == bindparam("id"))
        def read(session: AccountSession, id):
            return session.one(_READ, {"id": id})
        """,
        """
        _all = sa.select(_n.text)
        _READ = _all.where(_n.account_id.in_(bindparam("accounts", expanding=True)))
        def read(session: AccountSession, ids):
            return session.all_in(_READ, "accounts", ids)
        """,
        """
        def _of(day):
            return sa.delete(notes).where(_n.day == day)
        _READ = {day: _of(day) for day in range(7)}
        def read(session: AccountSession, day):
            statement = _READ[day]
            session.execute(statement)
        """,
        """
        _joined = sa.select(_n.text).select_from(notes.join(shared, _n.account_id == shared.c.id))
        def read(session: AccountSession):
            return session.all(_joined)
        """,
        """
        def read(session: Session, rows):
            session.load(notes, rows)
        """,
        """
        _ADD = sa.insert(notes).values(text=bindparam("text"))
        class Notes:
            def read(self, session: AccountSession):
                session.many(_ADD, [])
        """,
        "read = BatchDeletion(notes, notes.c.day <= bindparam('before'))",
        """
        from firmograph.notes import tables
        def read(session: AccountSession):
            return session.all(sa.select(tables.notes.c.text))
        """,
        """
        def read(session: Session):
            return session.raw.execute("SELECT text FROM notes").fetchall()
        """,
        """
        _READ = sa.text("UPDATE notes SET text = ''")
        def read(session: AccountSession):
            session.execute(statement=_READ)
        """,
        """
        _READ = sa.select(_n.text).where(sa.or_(_n.account_id == _account, _n.shared == 1))
        def read(session: AccountSession):
            return session.all(_READ)
        """,
        """
        _owned = _n.account_id == _account
        _READ = sa.select(_n.text).where(_owned | (_n.shared == 1))
        def read(session: AccountSession):
            return session.all(_READ)
        """,
        """
        _READ = sa.select(_n.text).where(~(_n.account_id == _account))
        def read(session: AccountSession):
            return session.all(_READ)
        """,
    ],
)
def test_a_statement_that_leaves_the_account_out_is_refused(left_out):
    (problem,) = found(left_out)
    assert "the statement on notes does not name the account" in problem


@pytest.mark.parametrize(
    "accepted",
    [
        """
        _READ = sa.select(notes.c.text).where(notes.c.account_id == bindparam("account"))
        def read(session: AccountSession):
            return session.all(_READ)
        """,
        """
        _owned = _n.account_id == _account
        _all = sa.select(_n.text).where(_owned)
        _READ = _all.where(_n.id == bindparam("id"))
        def read(session: AccountSession, id):
            return session.one(_READ, {"id": id})
        """,
        """
        _either = sa.or_(_n.day == bindparam("day"), _n.shared == 1)
        _READ = sa.select(_n.text).where(_n.account_id == _account, _either)
        def read(session: AccountSession, day):
            return session.all(_READ, {"day": day})
        """,
        """
        _ADD = sa.insert(notes).values(account_id=bindparam("account"), text=bindparam("text"))
        def read(session: AccountSession, text):
            session.execute(_ADD, {"text": text})
        """,
        """
        _READ = sa.select(shared.c.text)
        def read(session: Session):
            return session.all(_READ)
        """,
        """
        def read(session: AccountSession, rows):
            session.load(notes, rows, ("text",))
        """,
    ],
)
def test_a_statement_that_names_the_account_of_its_session_is_accepted(accepted):
    assert found(accepted) == []


TAKES_NUMBER = """
_READ = sa.select(notes.c.text).where(notes.c.account_id == bindparam("account"))
def read(session: Session, account_id):
    return session.all(_READ, {"account": account_id})
"""
LEFT_OUT = """
_READ = sa.select(notes.c.text)
def read(session: AccountSession):
    return session.all(_READ)
"""


def test_the_account_is_taken_with_the_session():
    (problem,) = found(TAKES_NUMBER)
    assert "takes the account of notes outside its session; take an AccountSession" in problem


@pytest.mark.parametrize(
    "around",
    [
        """
        def read(session: AccountSession):
            return session.session.all(_READ, {"account": 1})
        """,
        """
        def read(session: AccountSession, other: Session):
            return other.all(_READ, {"account": 1})
        """,
        """
        def read(session: Session):
            return AccountSession(session, 1).all(_READ)
        """,
    ],
)
def test_another_session_than_the_accounts_is_refused(around):
    read = "_READ = sa.select(notes.c.text).where(notes.c.account_id == bindparam('account'))\n"
    (problem,) = found(read + dedent(around))
    assert "takes the account of notes outside its session" in problem


def test_listed_functions_are_accepted():
    assert found(LEFT_OUT, exceptions=[KEY]) == found(TAKES_NUMBER, exceptions=[KEY]) == []


def test_a_listed_function_that_keeps_the_rules_is_refused():
    assert found("", exceptions=[KEY]) == [f"scripts/accounts.toml: {KEY}: not needed; remove it"]


STORE = """
import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession
from firmograph.notes.tables import notes

_READ = sa.select(notes.c.text).where({condition})


def read(session: AccountSession) -> list[str]:
    return [row[0] for row in session.all(_READ)]
"""


@pytest.mark.parametrize(
    ("condition", "code", "said"),
    [
        ("notes.c.account_id == bindparam('account')", 0, ""),
        ("notes.c.day == bindparam('day')", 1, "read: the statement on notes does not name the account\n"),
    ],
)
def test_the_check_fails_on_a_module_that_leaves_the_account_out(tmp_path, capsys, condition, code, said):
    package = tmp_path / "src" / "firmograph" / "notes"
    package.mkdir(parents=True)
    (package / "tables.py").write_text(
        "import sqlalchemy as sa\n"
        "notes = sa.Table('notes', sa.MetaData(), sa.Column('account_id', sa.BigInteger), sa.Column('text', sa.Text))\n"
    )
    (package / "store.py").write_text(STORE.format(condition=condition))
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "accounts.toml").write_text("exception = []\n")
    assert main(tmp_path) == code
    assert capsys.readouterr().out.endswith(said)
