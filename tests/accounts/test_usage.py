import msgspec
import pytest

from account_fixtures import World
from firmograph.accounts import usage
from firmograph.bootstrap.packages import load_plans
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.any_database

MIDNIGHT = 1_790_035_200


@pytest.fixture
def at_ten_past_one(world):
    world.clock.advance(MIDNIGHT + 4_200 - world.clock.seconds())
    return world


def current(world, caller):
    with world.database.read() as session:
        return msgspec.to_builtins(usage.account_usage(session, world.limits, caller))


def test_credits_are_total_grants_total_charges_and_the_remainder(world):
    caller = world.caller(credits=10)
    world.buy(caller, [(Entity.CONTACT, 1, "phones")])
    world.accounts.grant("Acme", 7)
    assert current(world, caller)["credits"] == {"total": 17, "used": 5, "remaining": 12}


def test_each_running_window_says_when_it_resets(at_ten_past_one):
    world = at_ten_past_one
    caller = world.caller(plan="premium")
    for _ in range(3):
        world.limits.take(caller.account_id, caller.plan, None)
    assert current(world, caller)["rateLimits"] == {
        "daily": {
            "limit": 18_000,
            "used": 3,
            "remaining": 17_997,
            "resetsAt": "2026-09-23T00:00:00.000Z",
        },
        "hourly": {"limit": 1_800, "used": 3, "remaining": 1_797, "resetsAt": "2026-09-22T02:00:00.000Z"},
        "minute": {"limit": 300, "used": 3, "remaining": 297, "resetsAt": "2026-09-22T01:11:00.000Z"},
    }


def test_without_an_hourly_window_the_daily_one_takes_its_place(world):
    limits = current(world, world.caller(plan="free"))["rateLimits"]
    assert limits["hourly"] == limits["daily"]
    assert limits["daily"]["limit"] == 100


def test_the_plan_starts_when_the_account_receives_it(at_ten_past_one):
    world = at_ten_past_one
    caller = world.caller(plan="pro")
    world.accounts.set_plan("Acme", "free")
    world.clock.advance(86_400)
    world.accounts.set_plan("Acme", "pro")
    assert current(world, caller)["plan"] == {
        "category": "pro",
        "renewalType": "none",
        "startDate": "2026-09-23T01:10:00.000Z",
    }


def test_every_price_is_shown(world):
    pricing = current(world, world.caller())["pricing"]
    assert pricing["revealPhone"] == {"credits": 5, "perQuantity": 1}
    assert pricing["contactSearch"] == {"credits": 0, "perQuantity": 25}
    assert len(pricing) == 18


def test_the_legacy_answer_has_the_same_balance(world):
    caller = world.caller(credits=10)
    world.buy(caller, [(Entity.CONTACT, 1, "emails")])
    with world.database.read() as session:
        answer = msgspec.to_builtins(usage.legacy_account_usage(session, caller))
    assert answer == {"usage": {"credits": {"total": 10, "used": 1, "remaining": 9}}}


def test_either_answer_takes_one_statement(world):
    caller = world.caller()
    session = world.database.session()
    before = session.statements
    usage.account_usage(session, world.limits, caller)
    assert session.statements == before + 1
    usage.legacy_account_usage(session, caller)
    assert session.statements == before + 2


def test_a_plan_with_monthly_credits_ends_with_the_next_renewal(tmp_path):
    file = tmp_path / "plans.toml"
    file.write_text("[plans.pro]\ncredits_per_month = 10")
    world = World(tmp_path, plans=load_plans(str(file)))
    plan = current(world, world.caller(plan="pro"))
    assert (plan["plan"]["renewalType"], plan["plan"]["endDate"]) == ("monthly", "2026-10-21T00:00:00.000Z")
    assert plan["credits"] == {"total": 10, "used": 0, "remaining": 10}
    world.end()
