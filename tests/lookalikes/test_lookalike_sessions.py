"""Sessions of lookalikes in the database: their results, their end, and calls that overtake each other."""

from uuid import uuid4

import pytest

from firmograph.billing.charged_call import Outdated
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.errors import Busy, Expired
from firmograph.lookalikes import sessions
from firmograph.lookalikes.sessions import LIFETIME_SECONDS, MOST_RESULTS, NEW, SessionTurns
from firmograph.lookalikes.worker_wiring import WORKER
from firmograph.security.record_ids import Entity
from installation_factory import installation_of

NOW = 1_000_000.0


class Account:
    """Sessions of one account, each step in a transaction of its own."""

    def __init__(self, world, name="Acme"):
        self.world = world
        self.id = world.caller(name, credits=100).account_id

    def read(self, id, now=NOW, entity=Entity.CONTACT):
        with self.world.database.read() as session:
            return sessions.read_session(
                AccountSession(session, self.id), entity, str(id), now, "dedupeSessionId"
            )

    def move_on(self, read, results, now=NOW):
        with self.world.database.write(account_scope(self.id)) as session:
            own = AccountSession(session, self.id)
            return sessions.move_on(own, Entity.CONTACT, read, results, now)


@pytest.fixture
def account(world):
    return Account(world)


def test_a_session_keeps_its_results_in_their_order(account):
    added = [range(3_000, 3_007), range(100, 100 + 2_500), range(0), [2**53, 1], range(9_000, 9_000 + 1_024)]
    id = account.move_on(NEW, added[0])
    for results in added[1:]:
        assert account.move_on(account.read(id), results) == id
    assert account.read(id).numbers.tolist() == [number for results in added for number in results]
    assert account.read(str(id).upper()).room == MOST_RESULTS - len(account.read(id).numbers)


def test_a_session_ends_30_days_after_its_last_answer(account):
    id = account.move_on(NEW, [1])
    almost = NOW + LIFETIME_SECONDS - 1
    account.move_on(account.read(id, almost), [], almost)
    assert account.read(id, almost + LIFETIME_SECONDS - 1).numbers.tolist() == [1]
    with pytest.raises(Expired):
        account.read(id, almost + LIFETIME_SECONDS)


def test_a_session_of_another_account_or_kind_is_unknown(world, account):
    id = account.move_on(NEW, [1])
    for read in (
        lambda: Account(world, "Other").read(id),
        lambda: account.read(id, entity=Entity.COMPANY),
        lambda: account.read(uuid4()),
    ):
        with pytest.raises(Expired) as refused:
            read()
        assert refused.value.code == "DEDUPE_SESSION_INVALID"


def test_a_session_that_was_moved_on_since_it_was_read_is_outdated(account):
    id = account.move_on(NEW, [1, 2])
    read = account.read(id)
    account.move_on(read, [3])
    with pytest.raises(Outdated):
        account.move_on(read, [3])
    account.move_on(account.read(id), [])
    assert account.read(id).numbers.tolist() == [1, 2, 3]


def test_without_results_no_session_begins(account):
    assert account.move_on(NEW, []) is None


def test_a_full_session_has_no_room(account):
    id = account.move_on(NEW, range(MOST_RESULTS - 3))
    assert account.read(id).room == 3
    account.move_on(account.read(id), [1_000_001, 1_000_002, 1_000_003])
    assert account.read(id).room == 0


def test_the_purge_deletes_expired_sessions_with_their_results(world, account):
    other = Account(world, "Other")
    old = [account.move_on(NEW, range(2_000)) for _ in range(3)] + [other.move_on(NEW, [1])]
    kept = [account.move_on(NEW, [7], NOW + 1), other.move_on(NEW, range(1_500), NOW + 1)]
    (job,) = WORKER.periodic_jobs(installation_of(world.database, world.clock))
    for expected in (len(old), 0):
        with world.database.write(None) as session:
            assert job.part(session, NOW + LIFETIME_SECONDS) == expected
    with world.database.read() as session:
        rows = [
            {bytes(id) for (id,) in session.raw.execute(f"SELECT {column} FROM {table}").fetchall()}
            for table, column in (("lookalike_sessions", "id"), ("lookalike_results", "session_id"))
        ]
    assert rows == [{id.bytes for id in kept}] * 2


@pytest.mark.no_database
def test_calls_of_a_session_take_turns_and_do_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(sessions, "_TURN_SECONDS", 0.0)
    turns, text = SessionTurns(), str(uuid4())
    others = turns.take(2, text), turns.take(1, None), turns.take(1, None)
    with (
        turns.take(1, text),
        others[0],
        others[1],
        others[2],
        pytest.raises(Busy),
        turns.take(1, text.upper()),
    ):
        pass
    with turns.take(1, text):
        pass
    assert turns._taken == {}
