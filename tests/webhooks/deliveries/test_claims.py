import json

import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, OK
from structlog.testing import capture_logs
from webhook_fixtures import COMPANY, CONTACT, headcount, move

from firmograph.database.connection import RECORDS, AccountSession, account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.signals import erasure_store
from firmograph.webhooks.deliveries import claimable_store
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.tables import webhook_secrets
from firmograph.webhooks.types import Status

OTHER = "https://other.example.com/in"
DAYS = [f"2026-09-{day:02}" for day in range(1, 22)]


def tokens(attempts):
    return [each.subscription for each in attempts]


# --- claimable deliveries and their order ---


def test_a_claim_has_everything_that_sending_needs(world, queues):
    subscription = world.subscribe(types=["headcountIncrease3m"])
    queues.fan_out_signals(headcount())
    (attempt,) = queues.claim()
    (row,) = world.deliveries()
    assert (attempt.claim.key, attempt.account_id, attempt.subscription) == (
        subscription.id,
        world.first,
        subscription.token,
    )
    assert (attempt.delivery_id, attempt.payload_id, attempt.body) == (
        row["id"],
        row["payload_id"],
        row["body"],
    )
    assert (attempt.url, attempt.attempts) == (subscription.url, 0)
    assert attempt.secret == world.secret(world.first)
    body = json.loads(attempt.body)
    assert (body["id"], body["subscriptionId"]) == (attempt.payload_id, subscription.token)
    assert body["billing"] == {"creditsCharged": 1}


def test_deliveries_of_a_subscription_are_sent_one_by_one_in_the_order_of_detection(world, queues):
    world.subscribe()
    queues.fan_out_signals(*[headcount(day=day) for day in DAYS[::-1]])
    days = []
    while attempts := queues.claim():
        assert len(attempts) == 1
        assert queues.claim() == []
        assert queues.claim(queue=queues.second) == []
        days.append(json.loads(attempts[0].body)["data"]["signalDate"])
        queues.record(attempts)
    assert days == DAYS[::-1]


def test_a_delivery_claimed_by_a_dead_worker_is_claimed_by_another_after_its_lease(world, queues):
    world.subscribe()
    queues.fan_out_signals(headcount())
    (lost,) = queues.claim()
    world.clock.advance(LEASE_SECONDS - 0.1)
    assert queues.claim(queue=queues.second) == []
    world.clock.advance(0.1)
    (again,) = queues.claim(queue=queues.second)
    assert (again.payload_id, again.body, again.attempts) == (lost.payload_id, lost.body, 0)
    assert again.claim.fence == lost.claim.fence + 1
    assert queues.ledger_kinds(world.first) == ["hold"]


def test_still_claimed_returns_only_deliveries_that_no_other_worker_claimed(world, queues):
    for number in (1, 2, 3):
        world.subscribe(number=number)
    queues.fan_out_signals(*[headcount(number) for number in (1, 2, 3)])
    attempts = queues.claim()
    assert queues.first.still_claimed(attempts) == {each.claim for each in attempts}
    world.clock.advance(LEASE_SECONDS)
    queues.claim(1, queue=queues.second)
    assert queues.first.still_claimed(attempts) == set()
    assert queues.first.still_claimed([]) == set()


@pytest.mark.parametrize("how", ["subscription disabled", "blocked", "account disabled"])
def test_a_disabled_subscription_gets_nothing_until_it_is_active_again(world, queues, how):
    subscription = world.subscribe()
    queues.fan_out_signals(headcount())
    if how == "account disabled":
        world.accounts.set_active("First", False)
    else:
        world.overwrite(
            world.subscription(subscription.token)._replace(
                active=0, blocked_at=1.0 if how == "blocked" else None
            )
        )
    assert queues.claim() == []
    world.accounts.set_active("First", True)
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(
            AccountSession(session, world.first), [subscription.id], world.clock.seconds()
        )
    assert len(queues.claim()) == 1


def test_a_subscription_disabled_during_the_claim_is_released(world, queues, monkeypatch):
    subscription = world.subscribe()
    queues.fan_out_signals(headcount())
    find_claimable = claimable_store.find_claimable

    def then_disabled(session, most, now):
        found = find_claimable(session, most, now)
        queues.run_in_thread(
            lambda: world.overwrite(world.subscription(subscription.token)._replace(active=0))
        )
        return found

    monkeypatch.setattr(claimable_store, "find_claimable", then_disabled)
    assert queues.claim() == []
    assert world.subscription(subscription.token).lease_until == 0


# --- bounds and fairness ---


def test_all_workers_together_have_at_most_20_deliveries_in_flight_for_an_account_and_origin(world, queues):
    world.subscribe(number=1, url=OTHER)
    for number in (1, 2, 3):
        world.subscribe(world.second, number)
    queues.fan_out_signals(*[headcount(number) for number in (1, 2, 3)])
    queues.create_queues(25, "https://HOOKS.example.com:443/{}")
    first = queues.claim(10)
    second = queues.claim(queue=queues.second)
    of_origin = [each for each in first + second if each.account_id == world.first and each.url != OTHER]
    assert len(of_origin) == 20
    assert len(first + second) == 24
    queues.record(of_origin[:2])
    assert len(queues.claim()) == 2


def test_a_worker_returns_claims_that_exceed_the_bound_after_a_concurrent_claim(world, queues, monkeypatch):
    queues.create_queues(25, "https://hooks.example.com/in")
    find_claimable = claimable_store.find_claimable

    def then_overtaken(session, most, now):
        found = find_claimable(session, most, now)
        monkeypatch.undo()
        others = {
            each.claim.key for each in queues.run_in_thread(lambda: queues.claim(12, queue=queues.second))
        }
        # it chose other subscriptions
        free = [each for each in queues.run_in_thread(world.subscriptions) if each.id not in others]
        return [found[0]._replace(subscription_id=each.id) for each in free]

    monkeypatch.setattr(claimable_store, "find_claimable", then_overtaken)
    assert len(queues.claim()) == 8
    assert sum(each.lease_until > 0 for each in world.subscriptions()) == 20


def test_one_account_uses_at_most_half_of_a_workers_slots(world, queues):
    world.subscribe(world.second, 1)
    queues.fan_out_signals(headcount())
    queues.create_queues(claimable_store.MAX_PER_ACCOUNT + 5, "https://r{}.example.com/")
    attempts = queues.claim()
    assert sorted({each.account_id for each in attempts}) == [world.first, world.second]
    assert len(attempts) == claimable_store.MAX_PER_ACCOUNT + 1
    assert queues.claim(queue=queues.second) == []


def test_accounts_with_fewest_deliveries_in_flight_come_first(world, queues):
    queues.create_queues(8, "https://r{}.example.com/", world.first)
    assert len(queues.claim(2)) == 2
    world.clock.advance(1)
    for number in (1, 2, 3, 4):
        world.subscribe(world.second, number)
    queues.fan_out_signals(*[headcount(number) for number in (1, 2, 3, 4)])
    attempts = [each.account_id for each in queues.claim(4)]
    assert (attempts.count(world.first), attempts.count(world.second)) == (1, 3)


def test_some_slots_are_reserved_for_accounts_with_few_deliveries_in_flight(world, queues, monkeypatch):
    monkeypatch.setattr(claimable_store, "FAIR_PER_ACCOUNT", 2)
    queues.create_queues(9, "https://r{}.example.com/", world.first)
    free = claimable_store.RESERVED_SLOTS + 5
    assert len(queues.claim(free)) == 5
    assert queues.claim(claimable_store.RESERVED_SLOTS) == []
    queues.create_queues(9, "https://s{}.example.com/", world.second, day=DAYS[0])
    attempts = queues.claim(claimable_store.RESERVED_SLOTS)
    assert [each.account_id for each in attempts] == [world.second] * 2


def test_subscriptions_to_a_url_wait_without_attempts_while_another_one_retries(world, queues):
    first, second = world.subscribe(number=1), world.subscribe(number=2)
    elsewhere = world.subscribe(number=3, url=OTHER)
    neighbour = world.subscribe(world.second, 1)
    queues.fan_out_signals(headcount(1))
    failing = [each for each in queues.claim() if each.subscription == first.token]
    queues.record(failing, FAILED)
    queues.fan_out_signals(headcount(2), headcount(3))
    world.clock.advance(LEASE_SECONDS)
    assert sorted(tokens(queues.claim())) == sorted([first.token, elsewhere.token, neighbour.token])
    assert world.subscription(second.token).attempts == 0
    world.clock.advance(LEASE_SECONDS)
    queues.deliver(OK)
    assert tokens(queues.claim()) == [second.token]


def test_only_the_first_of_several_retrying_subscriptions_to_a_url_is_sent(world, queues):
    first, second = world.subscribe(number=1), world.subscribe(number=2)
    queues.fan_out_signals(headcount(1), headcount(2))
    queues.deliver(FAILED)
    world.clock.advance(2)
    assert tokens(queues.deliver(FAILED)) == [first.token]
    world.clock.advance(7)
    assert tokens(queues.deliver(OK)) == [first.token]
    assert tokens(queues.claim()) == [second.token]


@pytest.mark.parametrize("change", [{"active": 0}, {"queued": 0}])
def test_a_subscription_without_further_retries_does_not_block_others(world, queues, change):
    stuck = world.subscribe(number=1)
    world.overwrite(world.subscription(stuck.token)._replace(attempts=2, **{"queued": 1, **change}))
    other = world.subscribe(number=2)
    queues.fan_out_signals(headcount(2))
    assert tokens(queues.claim()) == [other.token]


# --- reasons not to send ---


def test_a_deleted_signal_is_not_delivered(world, queues):
    world.subscribe()
    queues.fan_out_signals(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    with world.database.write(RECORDS) as session:
        erasure_store.delete_signals(session, [1])
    assert queues.claim() == []
    assert queues.first.finish_cancelled() == 1
    (row,) = world.audit()
    assert (row["status"], row["status_code"]) == (Status.PERMANENT_FAILURE, None)
    assert row["error"] == "Cancelled: the signal or its record no longer exists"
    (attempt,) = queues.claim()
    assert json.loads(attempt.body)["data"]["signalDate"] == DAYS[1]
    assert queues.ledger_kinds(world.first) == ["hold"]


OF_FIRST = webhook_secrets.c.account_id == 1
LOSSES = {
    "secret": (sa.delete(webhook_secrets).where(OF_FIRST), "secret"),
    "key of the secret": (sa.update(webhook_secrets).where(OF_FIRST).values(sealed=bytes(52)), "secret"),
    "plan": (sa.text("UPDATE accounts SET plan = 'older' WHERE id = 1"), "plan"),
}


@pytest.mark.parametrize(("loss", "missing"), LOSSES.values(), ids=LOSSES)
def test_a_missing_secret_or_plan_blocks_only_its_own_account(world, queues, loss, missing):
    assert world.first == 1
    world.subscribe()
    world.subscribe(world.second)
    queues.fan_out_signals(headcount())
    with world.database.write(account_scope(world.first)) as session:
        session.execute(loss)
    with capture_logs() as logs:
        assert [each.account_id for each in queues.claim()] == [world.second]
    assert [(each["account"], each["missing"]) for each in logs] == [(world.first, missing)]
    assert world.subscription(world.subscriptions()[0].token).lease_until == 0
    assert queues.claim() == []


def test_an_undecodable_event_does_not_block_other_deliveries(world, queues):
    world.subscribe(number=1, entity=CONTACT)
    world.subscribe(number=1, entity=COMPANY, url=OTHER)
    queues.fan_out_signals(move(), headcount())
    with world.database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE signals SET event = :event WHERE entity = 1"), {"event": b"{}"})
    with capture_logs() as logs:
        assert [each.url for each in queues.claim()] == [OTHER]
    assert [each["log_level"] for each in logs] == ["error"]
    assert queues.ledger_kinds(world.first) == ["hold"]


def test_an_undecryptable_opt_out_does_not_block_others_to_its_url(world, queues):
    opt_outs = world.subscribe(number=None)
    other = world.subscribe(number=1)
    queues.opt_out(opt_outs.token, b"{}")
    queues.deliver(FAILED)
    queues.fan_out_signals(headcount())
    with world.database.write(None) as session:
        session.execute(sa.text("UPDATE deliveries SET body = :body WHERE held = 0"), {"body": b"damaged"})
    assert queues.claim() == []
    world.clock.advance(2)
    with capture_logs():
        assert queues.claim() == []
    assert tokens(queues.claim()) == [other.token]


def test_opt_outs_are_decrypted_when_sent_and_free(world, queues):
    payload_id = queues.opt_out(world.subscribe(number=None).token, b'{"fullName":"Ann Example"}')
    (attempt,) = queues.claim()
    assert (attempt.payload_id, attempt.body) == (payload_id, b'{"fullName":"Ann Example"}')
    (row,) = world.deliveries()
    assert b"Ann" not in row["body"]
    queues.record([attempt], OK)
    (audited,) = world.audit()
    assert (audited["acknowledgement"], audited["credits"]) == (None, 0)
    assert queues.ledger_kinds(world.first) == []


def test_an_erased_body_is_composed_again_and_stored(world, queues):
    world.subscribe()
    queues.fan_out_signals(headcount())
    queues.deliver(FAILED)
    with world.database.write(account_scope(world.first)) as session:
        session.execute(sa.text("UPDATE deliveries SET body = NULL"))
    world.clock.advance(2)
    (attempt,) = queues.claim()
    (row,) = world.deliveries()
    assert row["body"] == attempt.body
    assert queues.ledger_kinds(world.first) == ["hold"]


def test_the_number_of_statements_of_a_claim_does_not_depend_on_its_size(world, queues):
    queues.create_queues(30, "https://r{}.example.com/")
    counts = []
    for most in (1, 20):
        before = world.database.session().statements
        attempts = queues.claim(most)
        queues.record(attempts)
        counts.append(world.database.session().statements - before)
    assert counts[0] == counts[1]


def test_an_empty_queue_causes_no_write(world, queues, monkeypatch):
    world.subscribe()
    monkeypatch.setattr(world.database, "write", None)
    assert queues.claim() == []
    assert queues.first.record([]) == []
    assert queues.first.finish_cancelled() == 0
    queues.first.give_back([])
