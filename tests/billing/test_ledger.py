import pytest

from firmograph.billing import ledger
from firmograph.database.connection import ACCOUNTS, AccountSession
from firmograph.kit.errors import PaymentRequired, Refused


def _charge(world, caller, quantities):
    with world.database.write(ACCOUNTS) as session:
        return ledger.charge(
            AccountSession(session, caller.account_id), caller.plan, quantities, "r", world.clock.seconds()
        )


def test_a_grant_and_a_charge_leave_rows_that_carry_the_running_balance(world):
    caller = world.caller(credits=20)
    assert _charge(world, caller, {"revealEmail": 2, "revealPhone": 3}) == 17
    rows = [(e.kind, e.action, e.quantity, e.credits, e.balance) for e in world.entries(caller.account_id)]
    assert rows == [
        ("grant", "", 1, 20, 20),
        ("charge", "revealEmail", 2, 2, 18),
        ("charge", "revealPhone", 3, 15, 3),
    ]


def test_the_last_credits_can_be_spent_but_not_one_more(world):
    caller = world.caller(credits=5)
    assert _charge(world, caller, {"revealPhone": 1}) == 5
    with pytest.raises(PaymentRequired):
        _charge(world, caller, {"revealEmail": 1})
    assert world.balance(caller.account_id) == (5, 5, 0)


def test_a_refused_charge_names_the_required_and_the_remaining_credits(world):
    caller = world.caller(credits=4)
    with pytest.raises(PaymentRequired, match="needs 5 and 4 remain") as refused:
        _charge(world, caller, {"revealPhone": 1})
    assert refused.value.status == 402


def test_a_refused_charge_has_written_nothing_even_if_its_transaction_commits(world):
    caller = world.caller(credits=4)
    with world.database.write(ACCOUNTS) as session, pytest.raises(PaymentRequired):
        ledger.charge(AccountSession(session, caller.account_id), caller.plan, {"revealPhone": 1}, "r", 0.0)
    assert world.balance(caller.account_id) == (4, 0, 0)
    assert [e.kind for e in world.entries(caller.account_id)] == ["grant"]


@pytest.mark.parametrize("credits", [0, -1])
def test_a_grant_of_zero_or_less_is_refused(world, credits):
    world.caller()
    with pytest.raises(Refused, match="1 or more"):
        world.accounts.grant("Acme", credits)


def test_grants_stay_within_the_range_that_every_json_reader_keeps_exact(world):
    world.caller(credits=ledger.MAX_CREDITS - 1)
    assert world.accounts.grant("Acme", 1).granted == ledger.MAX_CREDITS
    for more in (1, 10**30):
        with pytest.raises(Refused, match="more than"):
            world.accounts.grant("Acme", more)


def test_an_adjustment_takes_back_credits_down_to_nothing_and_no_further(world):
    caller = world.caller(credits=20)
    _charge(world, caller, {"revealEmail": 2})
    world.accounts.adjust("Acme", 8, "granted twice")
    with pytest.raises(Refused, match="Only 10 credits remain, so 11 cannot be taken back"):
        world.accounts.adjust("Acme", 11, "too many")
    account = world.accounts.adjust("Acme", 10, "the rest")
    assert (account.granted, account.used, account.remaining) == (2, 2, 0)
    rows = [(entry.kind, entry.credits, entry.balance) for entry in world.entries(caller.account_id)]
    assert rows[2:] == [("adjustment", 8, 10), ("adjustment", 10, 0)]


@pytest.mark.parametrize("credits", [0, -1, 10**30])
def test_an_adjustment_by_none_or_far_too_many_changes_nothing(world, credits):
    caller = world.caller(credits=3)
    with pytest.raises(Refused):
        world.accounts.adjust("Acme", credits, "wrong")
    assert world.balance(caller.account_id).remaining == 3


@pytest.mark.parametrize("statement", ["UPDATE ledger SET credits = 0", "DELETE FROM ledger"])
def test_the_database_refuses_to_change_or_delete_ledger_rows(world, statement):
    caller = world.caller(credits=3)
    with (
        pytest.raises(Exception, match="append-only"),
        world.database.write(ACCOUNTS) as session,
    ):
        session.raw.execute(statement)
    assert [e.credits for e in world.entries(caller.account_id)] == [3]


def test_the_database_refuses_a_balance_below_zero(world):
    world.caller(credits=3)
    with (
        pytest.raises(Exception, match="balances_covered"),
        world.database.write(ACCOUNTS) as session,
    ):
        session.raw.execute("UPDATE balances SET used = 4")


def test_a_long_ledger_is_read_completely_and_in_order(world):
    caller = world.caller(credits=5000)
    with world.database.write(ACCOUNTS) as session:
        for number in range(1_100):
            ledger.charge(
                AccountSession(session, caller.account_id), caller.plan, {"revealEmail": 1}, str(number), 0.0
            )
    entries = world.entries(caller.account_id)
    assert [e.request_id for e in entries[1:]] == [str(number) for number in range(1_100)]
    assert entries[-1].balance == 3900
