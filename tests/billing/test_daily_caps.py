"""Daily caps of keys."""

from itertools import count

import pytest

from firmograph.billing import holds, ledger
from firmograph.billing.affordable_charge import AffordableCharges, PricedGroup
from firmograph.billing.holds import Hold, Settlement
from firmograph.billing.types import Unit, UnitKind
from firmograph.caller import Spender
from firmograph.database.connection import ACCOUNTS, AccountSession
from firmograph.kit.errors import DailyCapReached, PaymentRequired

KEY = Spender("fg_12345678", 10)
_numbers = count(1)


def email(number=None):
    return Unit(UnitKind.CONTACT_DATA, next(_numbers) if number is None else number, "emails")


def buy(world, caller, number):
    """Buy a number of e-mail addresses, each for one credit."""
    return world.buy(caller, [email() for _ in range(number)]).credits


def used(world, caller):
    return world.balance(caller.account_id).used


def test_a_key_spends_up_to_its_cap_and_then_is_refused_by_name_with_the_end_of_the_day(world):
    caller = world.caller(credits=100, spender=KEY)
    assert buy(world, caller, 7) == 7
    with pytest.raises(DailyCapReached) as refused:
        buy(world, caller, 4)
    assert (refused.value.status, refused.value.message) == (
        402,
        "Daily cap reached: the key fg_12345678 may spend 10 credits a day, and of these 3 are left until"
        " 2026-09-22T00:00:00.000Z; this needs 4",
    )
    assert buy(world, caller, 3) == 3
    assert used(world, caller) == 10


def test_the_next_utc_day_begins_with_the_whole_cap(world):
    caller = world.caller(credits=100, spender=KEY)
    buy(world, caller, 10)
    world.clock.advance(86_400)
    assert buy(world, caller, 10) == 10


def test_a_cap_of_zero_allows_what_is_free_and_what_is_paid(world):
    caller, unit = world.caller(credits=100, spender=Spender("fg_free", 0)), email()
    with pytest.raises(DailyCapReached, match="0 credits a day"):
        world.buy(caller, [unit])
    assert used(world, caller) == 0
    uncapped = type(caller)(caller.account_id, caller.plan, "names")
    assert world.buy(uncapped, [unit]).credits == 1
    assert world.buy(caller, [unit]).credits == 0


def test_a_call_pays_monthly_credits_that_are_due_but_no_more_than_the_cap(monthly):
    caller = monthly.caller(plan="expiring", spender=Spender("fg_capped", 60))
    assert buy(monthly, caller, 60) == 60
    monthly.clock.advance(32 * 86_400)
    with pytest.raises(DailyCapReached, match="60 are left"):
        buy(monthly, caller, 61)
    assert buy(monthly, caller, 60) == 60
    kinds = [(entry.kind, entry.actor) for entry in monthly.entries(caller.account_id)]
    assert kinds == [
        ("renewal", ""),
        ("charge", "fg_capped"),
        ("expiry", ""),
        ("renewal", ""),
        ("charge", "fg_capped"),
    ]


def test_each_key_of_each_account_has_a_cap_of_its_own(world):
    caller, other = world.caller(credits=100, spender=KEY), world.caller("Other", credits=100, spender=KEY)
    second = type(caller)(caller.account_id, caller.plan, "names", Spender("fg_second", 5))
    assert [buy(world, caller, 10), buy(world, other, 10), buy(world, second, 5)] == [10, 10, 5]
    with pytest.raises(DailyCapReached):
        buy(world, second, 1)


def test_a_charge_that_the_account_cannot_pay_leaves_the_cap_as_it_was_even_if_it_commits(world):
    caller = world.caller(credits=4, spender=KEY)
    at, quantities = world.clock.seconds(), {"revealEmail": 9}
    with world.database.write(ACCOUNTS) as session, pytest.raises(PaymentRequired, match="4 remain"):
        ledger.charge(
            AccountSession(session, caller.account_id), caller.plan, quantities, "r", at, spender=KEY
        )
    world.accounts.grant("Acme", 100)
    assert buy(world, caller, 10) == 10


def test_work_that_goes_on_leaves_out_the_items_beyond_the_cap(world):
    caller = world.caller(credits=100, spender=Spender("fg_run", 2))
    charges = AffordableCharges(world.purchases)
    items = [(PricedGroup("revealEmail", {email()}),) for _ in range(3)]
    with world.database.write(ACCOUNTS) as session:
        charged = charges.charge(
            AccountSession(session, caller.account_id),
            caller.plan,
            items,
            {},
            100,
            "run",
            world.clock.seconds(),
            "run:1",
            caller.spender,
        )
    assert (list(charged.covered), charged.within_bound) == ([True, True, False], 3)
    with pytest.raises(DailyCapReached):
        buy(world, caller, 1)


def test_charges_and_holds_name_who_spends(world):
    caller = world.caller(credits=20, spender=KEY)
    buy(world, caller, 1)
    with world.database.write(ACCOUNTS) as session:
        own = AccountSession(session, caller.account_id)
        for key, actor in (("delivery", ""), ("call", "user:7")):
            hold = Hold(key, "showSignalsContact", 1, actor)
            holds.place_holds(own, [hold], 1.0)
            holds.settle_holds(own, [Settlement(hold, 1)], 1.0)
    rows = [(entry.kind, entry.actor) for entry in world.entries(caller.account_id)]
    assert rows == [
        ("grant", ""),
        ("charge", KEY.actor),
        ("hold", ""),
        ("capture", ""),
        ("hold", "user:7"),
        ("capture", "user:7"),
    ]


def test_a_cap_costs_one_statement_and_a_key_without_one_none(world):
    caller = world.caller(credits=100)

    def statements(spender):
        with world.database.write(ACCOUNTS) as session:
            before, own = session.statements, AccountSession(session, caller.account_id)
            ledger.charge(own, caller.plan, {"revealEmail": 1}, "r", 1.0, spender=spender)
            return session.statements - before

    assert [statements(each) for each in (Spender("fg_open"), KEY)] == [2, 3]


def test_spending_of_past_days_is_deleted(world):
    caller = world.caller(credits=100, spender=KEY)
    for _ in range(3):
        buy(world, caller, 1)
        world.clock.advance(86_400)
    with world.database.write(ACCOUNTS) as session:
        assert ledger.delete_old_spending(session, world.clock.seconds(), 10) == 2
