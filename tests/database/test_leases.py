import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from lease_fixtures import errands, leases, make_table, replace_rows, rows

from firmograph.database.leases import LEASE_SECONDS, Claim, Leases
from firmograph.kit.errors import Busy

NOW = 1_000.0


@pytest.fixture(scope="module")
def database_with_table(shared_database):
    make_table(shared_database)
    return shared_database


@pytest.fixture
def errand_database(database_with_table):
    replace_rows(database_with_table, {1: 900.0, 2: 800.0, 3: 700.0, 4: NOW + 1})
    return database_with_table


@pytest.fixture
def write(errand_database):
    """Run one function of leases in a transaction of its own."""

    def run(function, *arguments):
        with errand_database.write(None) as session:
            return function(session, *arguments)

    return run


def test_the_longest_due_rows_are_claimed_up_to_the_limit(write):
    assert sorted(write(leases.claim, 2, NOW)) == [Claim(2, 1), Claim(3, 1)]
    assert write(leases.claim, 2, NOW) == [Claim(1, 1)]
    assert write(leases.claim, 2, NOW) == []


def test_a_claim_among_given_rows_takes_no_other(write):
    assert sorted(write(leases.claim_among, [1, 2, 4, 99], 400, NOW)) == [Claim(1, 1), Claim(2, 1)]
    assert write(leases.claim_among, [1, 3], 1, NOW) == [Claim(3, 1)]


def test_a_row_is_free_again_when_its_lease_ends(write):
    write(leases.claim_among, [1], 1, NOW)
    assert write(leases.claim_among, [1], 1, NOW + LEASE_SECONDS - 0.1) == []
    assert write(leases.claim_among, [1], 1, NOW + LEASE_SECONDS) == [Claim(1, 2)]


def test_a_renewed_claim_lasts_a_whole_lease_more(write):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    assert write(leases.renew, claim, NOW + 20)
    assert write(leases.claim_among, [1], 1, NOW + 20 + LEASE_SECONDS - 0.1) == []
    assert write(leases.still_claimed, [claim], NOW + 20 + LEASE_SECONDS - 0.1) == {claim}


def test_a_completed_row_is_due_at_the_given_time(write):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    assert write(leases.complete, claim, NOW + 5)
    assert write(leases.claim_among, [1], 1, NOW + 4.9) == []
    assert write(leases.claim_among, [1], 1, NOW + 5) == [Claim(1, 2)]


def test_a_released_row_can_be_claimed_at_once(write):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    assert write(leases.release, claim)
    assert write(leases.claim_among, [1], 1, NOW) == [Claim(1, 2)]


@pytest.mark.parametrize("late", ["renew", "complete", "release"])
def test_a_worker_paused_past_its_lease_changes_nothing_once_another_has_the_row(
    errand_database, write, late
):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    write(leases.claim_among, [1], 1, NOW + LEASE_SECONDS)
    before = rows(errand_database)
    more = [] if late == "release" else [NOW + 31]
    assert not write(getattr(leases, late), claim, *more)
    assert rows(errand_database) == before
    assert write(leases.still_claimed, [claim], NOW + 31) == set()


def test_an_expired_lease_is_lost_even_if_nobody_claimed_the_row(write):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    assert write(leases.still_claimed, [claim], NOW + LEASE_SECONDS - 0.1) == {claim}
    assert write(leases.still_claimed, [claim], NOW + LEASE_SECONDS) == set()
    # results are recorded all the same: nobody else has done the work
    assert write(leases.complete, claim, NOW + 60)


def test_several_claims_are_renewed_or_completed_except_those_that_another_worker_owns(
    errand_database, write
):
    mine = write(leases.claim_among, [1, 2], 2, NOW)
    stale = [Claim(3, 0), Claim(2, 7)]
    write(leases.renew_all, [*stale, *mine], NOW + 20)
    assert {number: until for number, (_, until, _) in rows(errand_database).items()} == {
        1: NOW + 20 + LEASE_SECONDS,
        2: NOW + 20 + LEASE_SECONDS,
        3: 0,
        4: 0,
    }
    write(leases.complete_all, [*stale, mine[0]], NOW + 5)
    assert rows(errand_database)[1] == (NOW + 5, 0, 1)
    assert rows(errand_database)[2] == (800.0, NOW + 20 + LEASE_SECONDS, 1)
    assert rows(errand_database)[3] == (700.0, 0, 0)


def test_a_table_may_have_leases_of_its_own_duration(errand_database, write):
    short = Leases(errands, 5.0)
    (claim,) = write(short.claim_among, [1], 1, NOW)
    assert write(short.still_claimed, [claim], NOW + 4.9) == {claim}
    assert write(short.claim_among, [1], 1, NOW + 5) == [Claim(1, 2)]


@pytest.mark.parametrize("again", ["renew", "complete", "release"])
def test_a_claim_can_be_completed_only_once(write, again):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    assert write(leases.complete, claim, NOW + 60)
    assert not write(getattr(leases, again), claim, *([] if again == "release" else [NOW]))


def test_a_statement_of_the_tables_own_can_check_the_fence(errand_database, write):
    (claim,) = write(leases.claim_among, [1], 1, NOW)
    finish = sa.delete(errands).where(leases.held)
    with errand_database.write(None) as session:
        assert session.execute(finish, Claim(1, 0).holding()).rowcount == 0
        assert session.execute(finish, claim.holding()).rowcount == 1
    assert set(rows(errand_database)) == {2, 3, 4}


def test_an_uncommitted_claim_has_no_effect(errand_database):
    def fail():
        with errand_database.write(None) as session:
            assert leases.claim(session, 400, NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert {fence for _, _, fence in rows(errand_database).values()} == {0}


def test_simultaneous_workers_claim_disjoint_rows(errand_database):
    replace_rows(errand_database, {number: float(number) for number in range(1, 501)})
    begin = threading.Barrier(4)

    def claim_all() -> list[Claim[int]]:
        begin.wait()
        claimed: list[Claim[int]] = []
        while True:
            try:
                with errand_database.write(None) as session:
                    claims = leases.claim(session, 7, NOW)
            except Busy:
                # on a slow disk the one writer of the embedded database is not free in time: retry, as workers do
                continue
            claimed += claims
            if not claims:
                return claimed

    with ThreadPoolExecutor(4) as pool:
        shares = list(pool.map(lambda _: claim_all(), range(4)))
    assert sorted(claim for share in shares for claim in share) == [Claim(n, 1) for n in range(1, 501)]


@pytest.mark.postgresql
def test_no_worker_waits_for_rows_that_another_is_claiming(errand_database):
    with errand_database.write(None) as first:
        assert leases.claim(first, 2, NOW) != []
        with ThreadPoolExecutor(1) as pool:
            # inside the first one's transaction; waiting for it would end as busy
            def claim_too() -> list[Claim[int]]:
                with errand_database.write(None) as session:
                    return leases.claim(session, 400, NOW)

            assert pool.submit(claim_too).result() == [Claim(1, 1)]
