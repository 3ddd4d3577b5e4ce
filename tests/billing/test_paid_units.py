from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from firmograph.bootstrap.packages import load_plans
from firmograph.caller import ApiKeyCaller
from firmograph.database.connection import AccountSession
from firmograph.directory.data_points import COMPANY_BASE, COMPANY_TOKENS
from firmograph.kit.errors import PaymentRequired
from firmograph.security.record_ids import Entity

EMAILS = (Entity.CONTACT, 1, "emails")
PHONES = (Entity.CONTACT, 1, "phones")
COMPANY = (Entity.COMPANY, 1, "company")


def test_each_unit_costs_its_price(world):
    caller = world.caller(credits=100)
    bought = world.buy(caller, {EMAILS, PHONES, COMPANY, (Entity.COMPANY, 1, "intent")})
    assert bought.credits == 1 + 5 + 1 + 1
    actions = {e.action: (e.quantity, e.credits) for e in world.entries(caller.account_id) if e.action}
    assert actions == {
        "revealEmail": (1, 1),
        "revealPhone": (1, 5),
        "revealCompany": (1, 1),
        "revealCompanyPremiumData": (1, 1),
    }


def test_a_paid_unit_is_ignored_by_the_next_purchase(world):
    caller = world.caller(credits=100)
    world.buy(caller, [EMAILS])
    assert world.buy(caller, [EMAILS, PHONES]) == (5, {PHONES})
    assert world.buy(caller, [EMAILS, PHONES]) == (0, frozenset())
    assert world.balance(caller.account_id).used == 6


def test_a_unit_given_twice_in_one_call_is_paid_once(world):
    caller = world.caller(credits=100)
    assert world.buy(caller, [EMAILS, EMAILS]).credits == 1


def test_a_contact_and_a_company_of_the_same_number_are_two_records(world):
    caller = world.caller(credits=100)
    world.buy(caller, [(Entity.COMPANY, 1, "company")])
    with world.database.read() as session:
        assert world.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, [1]) == set()
        assert world.purchases.paid(AccountSession(session, caller.account_id), Entity.COMPANY, [1, 2]) == {
            (1, "company")
        }


def test_one_account_pays_nothing_for_another(world):
    first, second = world.caller("First", credits=9), world.caller("Second", credits=9)
    world.buy(first, [EMAILS])
    assert world.buy(second, [EMAILS]).credits == 1


def test_a_purchase_with_too_few_credits_buys_nothing_at_all(world):
    caller = world.caller(credits=5)
    with pytest.raises(PaymentRequired):
        world.buy(caller, [EMAILS, PHONES])
    with world.database.read() as session:
        assert world.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, [1]) == set()
    assert world.balance(caller.account_id) == (5, 0, 0)


def test_only_one_of_simultaneous_calls_for_the_same_units_pays(world):
    caller = world.caller(credits=100)
    start = Barrier(4)

    def call(number):
        start.wait()
        return world.buy(caller, [EMAILS, PHONES], str(number)).credits

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(call, range(4))) == [0, 0, 0, 6]
    assert world.balance(caller.account_id).used == 6


def test_simultaneous_calls_never_spend_more_than_the_balance(world):
    caller = world.caller(credits=7)
    start = Barrier(4)

    def call(number):
        start.wait()
        try:
            return world.buy(caller, [(Entity.CONTACT, number, "phones")], str(number)).credits
        except PaymentRequired:
            return None

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(call, range(4))).count(5) == 1
    assert world.balance(caller.account_id) == (7, 5, 0)


def test_units_of_one_price_in_one_request_share_its_blocks(world, tmp_path):
    path = tmp_path / "plans.toml"
    path.write_text("[pricing]\nrevealEmail = { credits = 3, perQuantity = 10 }")
    account = world.caller(credits=100).account_id
    caller = ApiKeyCaller(account, load_plans(str(path)).named("pro"), "names")
    units = [(Entity.CONTACT, number, "emails") for number in range(11)]
    assert world.buy(caller, units).credits == 6
    assert world.purchases.credits_for(caller.plan, Entity.CONTACT, "emails") == 3


def test_free_units_are_recorded_as_paid_and_stay_free_when_the_price_rises(world, tmp_path):
    path = tmp_path / "plans.toml"
    path.write_text("[pricing]\nrevealEmail = { credits = 0 }")
    account = world.caller().account_id
    free = ApiKeyCaller(account, load_plans(str(path)).named("pro"), "names")
    assert world.buy(free, [EMAILS]) == (0, {EMAILS})
    assert world.buy(ApiKeyCaller(account, world.plans.named("pro"), "names"), [EMAILS]).credits == 0


def test_every_data_point_accepted_in_reveal_has_a_price(world):
    plan = world.caller().plan
    credits = world.purchases.credits_for
    assert [credits(plan, Entity.CONTACT, unit) for unit in ("emails", "phones")] == [1, 5]
    assert {credits(plan, Entity.COMPANY, unit) for unit in (COMPANY_BASE, *COMPANY_TOKENS)} == {1}


def test_buying_a_hundred_records_takes_as_many_statements_as_buying_two(world):
    caller = world.caller(credits=10_000)
    session = world.database.session()

    def statements(numbers):
        units = [(Entity.CONTACT, n, unit) for n in numbers for unit in ("emails", "phones")]
        units += [(Entity.COMPANY, n, unit) for n in numbers for unit in (COMPANY_BASE, *COMPANY_TOKENS)]
        before = session.statements
        world.buy(caller, units)
        return session.statements - before

    assert statements(range(2)) == statements(range(100, 200)) == 5


def test_listing_paid_units_is_one_statement_and_none_for_no_records(world):
    caller = world.caller()
    session = world.database.session()
    before = session.statements
    world.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, [])
    assert session.statements == before
    world.purchases.paid(AccountSession(session, caller.account_id), Entity.CONTACT, range(500))
    assert session.statements == before + 1
