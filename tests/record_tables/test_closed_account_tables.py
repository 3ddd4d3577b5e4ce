"""Tables and runs of accounts that are closed."""

from run_fixtures import STORED, Runs

from firmograph.database.connection import AccountSession, account_scope
from firmograph.record_tables.account_wiring import ACCOUNTS
from firmograph.record_tables.types import RunState


def test_a_closed_account_has_no_open_runs_and_loses_its_tables_when_it_is_erased(world):
    runs = Runs(world)
    book, other = (runs.book(name, credits=100).add(*range(1, 11)) for name in ("Acme", "Other"))
    run, kept = book.begin(), other.begin()
    with world.database.write(account_scope(book.account)) as session:
        ACCOUNTS.close(AccountSession(session, book.account), 5.0)
    assert book.run(run).state is RunState.STOPPED
    assert other.run(kept).state is RunState.OPEN
    with world.database.write(account_scope(book.account)) as session:
        own = AccountSession(session, book.account)
        assert [ACCOUNTS.erase(own, 6.0), ACCOUNTS.erase(own, 6.0)] == [1, 0]
    runs.work()
    assert runs.stored()["record_tables"] == 1
    assert len(STORED) == len(runs.stored())
