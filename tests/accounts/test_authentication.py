import pytest

from firmograph.accounts.types import KeyTerms
from firmograph.database.connection import ACCOUNTS
from firmograph.kit.errors import Forbidden, TooManyRequests, Unauthorized

NAMES = {
    b"x-rate-limit-minute",
    b"x-minute-requests-left",
    b"x-minute-usage",
    b"x-rate-limit-hourly",
    b"x-hourly-requests-left",
    b"x-hourly-usage",
    b"x-rate-limit-daily",
    b"x-daily-requests-left",
    b"x-daily-usage",
}


def account_with_key(world, plan="scale"):
    account = world.accounts.create("Acme", plan)
    return account, world.accounts.create_key("Acme").api_key


def numbers(admission):
    """Return limit, remainder and use of the minute, hour and day."""
    return [int(value) for _, value in admission.headers]


def test_a_valid_key_admits_its_account_with_its_plan(world):
    account, key = account_with_key(world)
    admission = world.gate.admit(key, None)
    assert admission.refusal is None
    assert (admission.caller.account_id, admission.caller.plan.name) == (account.id, "scale")


def test_nine_headers_carry_limit_remainder_and_use(world):
    _, key = account_with_key(world)
    world.gate.admit(key, None)
    admission = world.gate.admit(key, None)
    assert {name for name, _ in admission.headers} == NAMES
    assert numbers(admission) == [300, 298, 2, 5000, 4998, 2, 50_000, 49_998, 2]


def test_without_an_hourly_window_the_daily_one_takes_its_place(world):
    _, key = account_with_key(world, "free")
    assert numbers(world.gate.admit(key, None)) == [40, 39, 1, 100, 99, 1, 100, 99, 1]


@pytest.mark.parametrize("key", [None, "", "wrong", "fg_", "é\udcff", "x" * 10_000])
def test_a_missing_or_wrong_key_is_unauthorized_and_gets_no_details(world, key):
    account_with_key(world)
    admission = world.gate.admit(key, None)
    assert isinstance(admission.refusal, Unauthorized)
    assert "api_key" in admission.refusal.message
    assert (admission.caller, admission.headers) == (None, [])


def test_a_revoked_key_is_refused_at_the_very_next_request(world):
    _, key = account_with_key(world)
    assert world.gate.admit(key, None).refusal is None
    world.accounts.revoke_key("Acme", key)
    assert isinstance(world.gate.admit(key, None).refusal, Unauthorized)


def test_after_regeneration_only_the_new_key_is_admitted(world):
    _, old = account_with_key(world)
    _, new = world.accounts.regenerate_key("Acme")
    assert isinstance(world.gate.admit(old, None).refusal, Unauthorized)
    assert world.gate.admit(new.api_key, None).refusal is None


def test_a_disabled_account_is_forbidden_with_headers_until_it_is_enabled(world):
    _, key = account_with_key(world)
    world.accounts.set_active("Acme", False)
    admission = world.gate.admit(key, None)
    assert isinstance(admission.refusal, Forbidden)
    assert "inactive" in admission.refusal.message
    assert numbers(admission)[:3] == [300, 299, 1]
    world.accounts.set_active("Acme", True)
    assert world.gate.admit(key, None).refusal is None


def test_a_disabled_account_gets_the_same_refusal_when_its_windows_are_full(world):
    _, key = account_with_key(world)
    for _ in range(30):
        world.gate.admit(key, None)
    world.accounts.set_active("Acme", False)
    assert isinstance(world.gate.admit(key, None).refusal, Forbidden)


def test_another_plan_applies_from_the_next_request_on(world):
    _, key = account_with_key(world)
    world.gate.admit(key, None)
    world.accounts.set_plan("Acme", "pro")
    admission = world.gate.admit(key, None)
    assert numbers(admission) == [50, 48, 2, 150, 148, 2, 1500, 1498, 2]
    assert admission.caller.plan.name == "pro"


def test_the_keys_of_an_account_share_its_limits(world):
    _, first = account_with_key(world)
    second = world.accounts.create_key("Acme").api_key
    refusals = [world.gate.admit(key, None).refusal for key in [first, second] * 13]
    assert [r is None for r in refusals] == [True] * 25 + [False]


def test_a_refused_call_has_headers_and_uses_nothing_up(world):
    _, key = account_with_key(world)
    for _ in range(25):
        world.gate.admit(key, None)
    for _ in range(3):
        admission = world.gate.admit(key, None)
        assert isinstance(admission.refusal, TooManyRequests)
        assert numbers(admission)[:3] == [300, 275, 25]


def spend(world, key, requests):
    for _ in range(requests):
        assert world.gate.admit(key, None).refusal is None
        world.clock.advance(0.25)


def refusal(world, key, path=None):
    error = world.gate.admit(key, path).refusal
    return error.message, error.headers()["retry-after"]


def test_each_window_names_itself_and_the_seconds_until_it_resets(world, tmp_path):
    world.clock.advance(-world.clock.seconds() % 86_400)
    _, key = account_with_key(world, "legacy")
    for _ in range(25):
        world.gate.admit(key, None)
    assert refusal(world, key) == ("Too many requests: at most 25 in any second; resets in 1 second", "1")
    world.clock.advance(1)
    for _ in range(5):
        world.gate.admit(key, "usage")
    assert refusal(world, key, "usage") == (
        "Too many requests: at most 5 a minute to this path and those that share its limit; resets in 59 seconds",
        "59",
    )


@pytest.mark.parametrize(
    ("plan", "requests", "pause", "expected"),
    [
        ("free", 40, 0, ("Minute limit exceeded: 40 requests a minute; resets in 50 seconds", "50")),
        ("pro", 150, 60, ("Hourly limit exceeded: 150 requests an hour; resets in 3383 seconds", "3383")),
        ("free", 100, 60, ("Daily quota exceeded: 100 requests a day; resets in 86255 seconds", "86255")),
    ],
)
def test_a_plans_full_window_is_named(world, plan, requests, pause, expected):
    world.clock.advance(-world.clock.seconds() % 86_400)
    _, key = account_with_key(world, plan)
    for start in range(0, requests, 40):
        spend(world, key, min(40, requests - start))
        world.clock.advance(pause if start + 40 < requests else 0)
    assert refusal(world, key) == expected


@pytest.mark.parametrize(
    ("account", "server", "form"), [(None, "priced", "priced"), ("names", "priced", "names")]
)
def test_an_account_may_override_the_servers_form_of_can_reveal(world, account, server, form):
    from firmograph.accounts.authentication import ApiKeyAuthenticator

    _, key = account_with_key(world)
    world.accounts.set_can_reveal("Acme", account)
    gate = ApiKeyAuthenticator(world.database, world.plans, world.limits, world.clock, server)
    assert gate.admit(key, None).caller.can_reveal == form


def test_an_account_whose_plan_was_removed_is_directed_to_the_operator(world):
    _, key = account_with_key(world)
    with world.database.write(ACCOUNTS) as session:
        session.raw.execute("UPDATE accounts SET plan = 'gone'")
    error = world.gate.admit(key, None).refusal
    assert isinstance(error, Forbidden)
    assert "plan" in error.message
    assert error.errors == ("plan not set up",)


def test_admission_takes_one_statement(world):
    _, key = account_with_key(world)
    session = world.database.session()
    before = session.statements
    for _ in range(5):
        world.gate.admit(key, "usage")
    assert session.statements - before == 5


def test_an_expired_key_is_unauthorized_from_its_end_on(world):
    world.accounts.create("Acme")
    end = world.clock.seconds() + 60
    key = world.accounts.create_key("Acme", KeyTerms(expires_at=end)).api_key
    world.clock.advance(59.5)
    assert world.gate.admit(key, None).refusal is None
    world.clock.advance(0.5)
    refusal = world.gate.admit(key, None).refusal
    assert isinstance(refusal, Unauthorized)
    assert "expired" in refusal.message


def test_the_caller_names_its_key_and_cap(world):
    world.accounts.create("Acme")
    key = world.accounts.create_key("Acme", KeyTerms(daily_credits=7))
    assert world.gate.admit(key.api_key, None).caller.spender == (key.prefix, 7)
