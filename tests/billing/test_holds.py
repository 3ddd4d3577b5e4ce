import pytest

from firmograph.billing import holds, ledger
from firmograph.billing.holds import Hold, Settlement
from firmograph.database.connection import account_scope
from firmograph.kit.errors import PaymentRequired

_PRICE = "showSignalsContact"


def _place(world, caller, *credits):
    requested = [Hold(f"d{place}", _PRICE, each) for place, each in enumerate(credits)]
    with world.database.write(account_scope(caller.account_id)) as session:
        return holds.place_holds(session, caller.account_id, requested, world.clock.seconds())


def _settle(world, caller, key, credits, *, captured):
    with world.database.write(account_scope(caller.account_id)) as session:
        settled = [Settlement(Hold(key, _PRICE, credits), captured)]
        holds.settle_holds(session, caller.account_id, settled, world.clock.seconds())


def _rows(world, caller):
    return [(e.kind, e.request_id, e.credits, e.balance) for e in world.entries(caller.account_id)[1:]]


def test_a_hold_lowers_the_remainder_and_uses_nothing(world):
    caller = world.caller(credits=5)
    assert _place(world, caller, 2) == [True]
    balance = world.balance(caller.account_id)
    assert (balance, balance.remaining) == ((5, 0, 2), 3)
    assert _rows(world, caller) == [("hold", "d0", 2, 3)]


def test_a_capture_uses_held_credits_and_a_release_returns_them(world):
    caller = world.caller(credits=5)
    _place(world, caller, 2, 1)
    _settle(world, caller, "d0", 2, captured=True)
    _settle(world, caller, "d1", 1, captured=False)
    assert world.balance(caller.account_id) == (5, 2, 0)
    assert _rows(world, caller)[2:] == [("capture", "d0", 2, 2), ("release", "d1", 1, 3)]


def test_several_settlements_in_one_transaction_carry_the_running_balance(world):
    caller = world.caller(credits=9)
    _place(world, caller, 1, 2, 3)
    ends = [Settlement(Hold(f"d{at}", _PRICE, at + 1), captured=at == 1) for at in range(3)]
    with world.database.write(account_scope(caller.account_id)) as session:
        holds.settle_holds(session, caller.account_id, ends, world.clock.seconds())
    assert [row[3] for row in _rows(world, caller)] == [8, 6, 3, 4, 4, 7]
    assert world.balance(caller.account_id).remaining == 7


def test_holds_are_placed_first_come_first_served_and_a_smaller_one_may_still_fit(world):
    caller = world.caller(credits=4)
    assert _place(world, caller, 3, 2, 0, 1) == [True, False, True, True]
    assert world.balance(caller.account_id).remaining == 0


def test_a_free_hold_needs_no_row_and_no_credits(world):
    caller = world.caller()
    assert _place(world, caller, 0, 0) == [True, True]
    _settle(world, caller, "d0", 0, captured=True)
    assert world.entries(caller.account_id) == []


def test_held_credits_cannot_be_charged(world):
    caller = world.caller(credits=5)
    _place(world, caller, 1)
    with (
        pytest.raises(PaymentRequired, match="needs 5 and 4 remain"),
        world.database.write(account_scope(caller.account_id)) as session,
    ):
        ledger.charge(session, caller.account_id, caller.plan, {"revealPhone": 1}, "r", 0.0)


def test_the_ledger_refuses_a_second_capture_of_one_key(world):
    caller = world.caller(credits=5)
    _place(world, caller, 2)
    _settle(world, caller, "d0", 1, captured=True)
    with pytest.raises(Exception, match=r"ledger_captures|ledger\.account_id"):
        _settle(world, caller, "d0", 1, captured=True)
    assert world.balance(caller.account_id) == (5, 1, 1)


def test_more_credits_than_held_cannot_be_used(world):
    caller = world.caller(credits=5)
    _place(world, caller, 1)
    with pytest.raises(Exception, match="balances_covered"):
        _settle(world, caller, "d0", 2, captured=True)
    assert world.balance(caller.account_id) == (5, 0, 1)
