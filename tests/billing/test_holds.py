import pytest

from firmograph.billing import holds, ledger
from firmograph.billing.holds import Hold, Settlement
from firmograph.billing.types import UnitKind, signal_unit
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.errors import PaymentRequired

_PRICE = "showSignalsContact"


def _place(world, caller, *credits):
    requested = [Hold(f"d{place}", _PRICE, each) for place, each in enumerate(credits)]
    with world.database.write(account_scope(caller.account_id)) as session:
        return holds.place_holds(AccountSession(session, caller.account_id), requested, world.clock.seconds())


def _settle(world, caller, key, credits, *, captured):
    with world.database.write(account_scope(caller.account_id)) as session:
        settled = [Settlement(Hold(key, _PRICE, credits), credits if captured else 0)]
        holds.settle_holds(AccountSession(session, caller.account_id), settled, world.clock.seconds())


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
    ends = [Settlement(Hold(f"d{at}", _PRICE, at + 1), 2 if at == 1 else 0) for at in range(3)]
    with world.database.write(account_scope(caller.account_id)) as session:
        holds.settle_holds(AccountSession(session, caller.account_id), ends, world.clock.seconds())
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
        ledger.charge(AccountSession(session, caller.account_id), caller.plan, {"revealPhone": 1}, "r", 0.0)


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


UNIT = signal_unit(b"\x01" * 16)


def _paid(world, caller):
    rows = world.database.session().raw.execute("SELECT account_id, kind, unit, request_id FROM paid_units")
    return [(account, kind, bytes(unit), key) for account, kind, unit, key in rows]


def _settle_unit(world, caller, hold, captured):
    with world.database.write(account_scope(caller.account_id)) as session:
        settled = [Settlement(hold, captured, UNIT)]
        holds.settle_holds(AccountSession(session, caller.account_id), settled, world.clock.seconds())


def test_a_capture_of_part_of_a_hold_releases_the_rest(world):
    caller = world.caller(credits=5)
    _place(world, caller, 4)
    _settle_unit(world, caller, Hold("d0", _PRICE, 4), 3)
    assert world.balance(caller.account_id) == (5, 3, 0)
    assert _rows(world, caller)[1:] == [("capture", "d0", 3, 1), ("release", "d0", 1, 2)]


def test_a_capture_records_its_unit_as_paid_under_the_key_of_the_hold(world):
    caller = world.caller(credits=5)
    _place(world, caller, 4)
    _settle_unit(world, caller, Hold("d0", _PRICE, 4), 1)
    assert _paid(world, caller) == [(caller.account_id, UnitKind.SIGNAL, UNIT.name, "d0")]


def test_a_release_leaves_its_unit_unpaid(world):
    caller = world.caller(credits=5)
    _place(world, caller, 4)
    _settle_unit(world, caller, Hold("d0", _PRICE, 4), 0)
    assert _paid(world, caller) == []


def test_settling_with_units_takes_four_statements_for_any_number_of_holds(world):
    caller = world.caller(credits=500)

    def statements(first, count):
        keys = [Hold(f"h{n}", _PRICE, 1) for n in range(first, first + count)]
        with world.database.write(account_scope(caller.account_id)) as session:
            own = AccountSession(session, caller.account_id)
            holds.place_holds(own, keys, 1.0)
            before = session.statements
            settled = [Settlement(hold, 1, signal_unit(hold.key.encode())) for hold in keys]
            holds.settle_holds(own, settled, 1.0)
            return session.statements - before

    assert statements(0, 1) == statements(1, 100) == 4
