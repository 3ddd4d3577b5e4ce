import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, GONE, OK, SILENT
from webhook_fixtures import headcount

from firmograph.database.connection import AccountSession, account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs.claimed_queue import GIVE_BACK_SECONDS
from firmograph.signals import paid_store
from firmograph.webhooks import erasure_store
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import SendResult, State, Status

DAYS = [f"2026-09-{day:02}" for day in range(1, 22)]


@pytest.fixture
def subscription(world, queues):
    """Create a subscription with two deliveries."""
    subscription = world.subscribe()
    queues.fan_out_signals(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    return subscription


def statuses(world):
    return [row["status"] for row in world.audit()]


# --- successes ---


def test_a_success_is_charged_recorded_as_paid_audited_and_removed_from_the_queue(
    world, queues, subscription
):
    (attempt,) = queues.claim()
    world.clock.advance(3)
    (recorded,) = queues.record([attempt], OK)
    assert (recorded.status, recorded.credits) == (Status.SUCCESS, 1)
    assert recorded.seconds == pytest.approx(3.012)
    assert queues.ledger_kinds(world.first) == ["hold", "capture"]
    assert world.balance(world.first) == (1_000, 1, 0)
    (row,) = world.audit()
    assert row == {
        "id": 1,
        "account_id": world.first,
        "subscription": subscription.token,
        "payload_id": attempt.payload_id,
        "status": Status.SUCCESS,
        "status_code": 200,
        "url": subscription.url,
        "at": world.clock.seconds(),
        "duration_ms": 12,
        "error": None,
        "acknowledgement": OK.body,
        "credits": 1,
        "response_ms": 11,
        "is_test": 0,
    }
    (remaining,) = world.deliveries()
    assert remaining["id"] == attempt.delivery_id + 1
    now = world.subscription(subscription.token)
    assert (now.queued, now.attempts, now.lease_until, now.due_at) == (1, 0, 0, world.clock.seconds())
    world.subscribe(number=2)
    with world.database.read() as session:
        (first, second) = paid_store.signals_of_records(
            AccountSession(session, world.first), 2, [1], ["headcountIncrease3m"], DAYS[0], DAYS[-1]
        )
    assert (first.paid_at, second.paid_at) == (None, world.clock.seconds())


def test_a_signal_paid_by_a_call_during_its_delivery_is_not_charged_again(world, queues, subscription):
    (attempt,) = queues.claim()
    queues.pay(world.first, 1)
    queues.record([attempt], OK)
    assert queues.ledger_kinds(world.first) == ["hold", "charge", "release"]
    (row,) = world.audit()
    assert (row["status"], row["credits"]) == (Status.SUCCESS, 0)
    assert world.balance(world.first) == (1_000, 1, 0)


def test_results_of_many_queues_and_accounts_are_recorded_together(world, queues):
    for account, day in ((world.first, DAYS[1]), (world.second, DAYS[2])):
        queues.create_queues(5, "https://r{}.example.com/", account, day=day)
    attempts = queues.claim()
    queues.first.record([*queues.results(attempts[:4], OK), *queues.results(attempts[4:8], FAILED)])
    queues.give_up(attempts[8:])
    assert statuses(world) == [Status.SUCCESS] * 4 + [Status.FAILED] * 4 + [Status.PERMANENT_FAILURE] * 2
    balances = [world.balance(account) for account in (world.first, world.second)]
    assert (sum(each.used for each in balances), sum(each.held for each in balances)) == (4, 4)


# --- failures ---


def test_a_failure_is_retried_after_1_5_and_25_seconds_and_then_disables(world, queues, subscription):
    waits = []
    for failed in (1, 2, 3):
        queues.deliver(FAILED)
        now = world.subscription(subscription.token)
        assert (now.attempts, now.active, now.queued, now.lease_until) == (failed, 1, 2, 0)
        waits.append(now.due_at - world.clock.seconds())
        world.clock.advance(waits[-1] - 0.01)
        assert queues.claim() == []
        world.clock.advance(0.02)
    assert all(least <= wait <= least * 1.25 for least, wait in zip((1, 5, 25), waits, strict=True))
    (attempt,) = queues.deliver(SILENT)
    now = world.subscription(subscription.token)
    assert (now.active, now.block_reason, now.blocked_at) == (
        0,
        "Max retries exceeded",
        world.clock.seconds(),
    )
    assert (now.attempts, now.queued, now.updated_at) == (0, 1, world.clock.seconds())
    assert statuses(world) == [Status.FAILED] * 3 + [Status.PERMANENT_FAILURE]
    assert {row["payload_id"] for row in world.audit()} == {attempt.payload_id}
    assert (world.audit()[-1]["status_code"], world.audit()[-1]["error"]) == (None, SILENT.error)
    assert queues.ledger_kinds(world.first) == ["hold", "release"]
    dead, waiting = world.deliveries()
    assert (dead["state"], dead["held"], dead["failed_at"]) == (State.FAILED, None, world.clock.seconds())
    assert dead["body"] == attempt.body
    assert waiting["state"] == State.WAITING


def test_waiting_deliveries_are_sent_in_order_after_reactivation(world, queues, subscription):
    queues.give_up()
    queues.fan_out_signals(headcount(day=DAYS[2]))
    assert queues.claim() == []
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(
            AccountSession(session, world.first), [subscription.id], world.clock.seconds()
        )
    assert [queues.deliver()[0].delivery_id for _ in range(2)] == [2, 3]
    assert queues.claim() == []
    assert world.subscription(subscription.token).queued == 0


def test_a_redelivered_dead_letter_is_unchanged_and_paid_once(world, queues, subscription):
    (dead,) = queues.give_up()
    with world.database.write(account_scope(world.first)) as session:
        session.execute(sa.text("UPDATE deliveries SET state = 1, failed_at = NULL"))
        session.execute(sa.text("UPDATE subscriptions SET queued = queued + 1"))
        subscription_store.reactivate(
            AccountSession(session, world.first), [subscription.id], world.clock.seconds()
        )
    (again,) = queues.deliver(OK)
    assert (again.payload_id, again.body) == (dead.payload_id, dead.body)
    assert queues.ledger_kinds(world.first) == ["hold", "release", "hold", "capture"]
    assert world.balance(world.first) == (1_000, 1, 0)


def test_an_answer_410_is_retried_like_other_failures(world, queues, subscription):
    queues.deliver(GONE)
    now = world.subscription(subscription.token)
    assert (now.active, now.attempts) == (1, 1)
    assert statuses(world) == [Status.FAILED]


def test_retry_after_delays_the_retry(world, queues, subscription):
    queues.deliver(FAILED._replace(status_code=503, retry_after=77.0))
    assert world.subscription(subscription.token).due_at == world.clock.seconds() + 77


def test_the_next_delivery_has_all_its_retries(world, queues, subscription):
    queues.deliver(FAILED)
    world.clock.advance(2)
    queues.deliver(OK)
    (attempt,) = queues.deliver(FAILED)
    assert attempt.attempts == 0
    assert world.subscription(subscription.token).attempts == 1


def test_a_subscription_disabled_by_its_owner_during_the_last_attempt_is_not_blocked(
    world, queues, subscription
):
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.disable(
            AccountSession(session, world.first), [subscription.id], world.clock.seconds()
        )
    queues.give_up([attempt])
    now = world.subscription(subscription.token)
    assert (now.active, now.block_reason, now.blocked_at, now.queued) == (0, None, None, 1)


def test_a_subscription_reactivated_during_an_attempt_has_all_its_retries(world, queues, subscription):
    for wait in (2, 7, 32):
        queues.deliver(FAILED)
        world.clock.advance(wait)
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(
            AccountSession(session, world.first), [subscription.id], world.clock.seconds()
        )
    queues.record([attempt], FAILED)
    now = world.subscription(subscription.token)
    assert (now.active, now.attempts) == (1, 1)


@pytest.mark.parametrize("send_result", [OK, FAILED])
def test_an_answer_is_not_stored_after_its_person_was_deleted(world, queues, subscription, send_result):
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    queues.record([attempt], send_result._replace(body=b"Ann"))
    assert [row["acknowledgement"] for row in world.audit()] == [None]


def test_an_answer_is_not_stored_after_the_body_was_erased(world, queues, subscription):
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.erase_bodies(session, [1])
    queues.record([attempt], OK._replace(body=b"Ann"))
    assert [row["acknowledgement"] for row in world.audit()] == [None]


@pytest.mark.parametrize("send_result", [FAILED, GONE])
def test_a_failure_of_the_former_url_does_not_count_for_the_new_one(world, queues, subscription, send_result):
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        session.execute(sa.text("UPDATE subscriptions SET url = 'https://new.example.com/' WHERE id = 1"))
    queues.record([attempt], send_result)
    now = world.subscription(subscription.token)
    assert (now.active, now.attempts, now.due_at) == (1, 0, world.clock.seconds())
    assert statuses(world) == [Status.FAILED]
    (again,) = queues.claim()
    assert (again.url, again.payload_id) == ("https://new.example.com/", attempt.payload_id)


# --- ownership of claims ---


@pytest.mark.parametrize("send_result", [OK, FAILED, GONE])
def test_a_worker_suspended_past_its_lease_records_nothing(world, queues, subscription, send_result):
    late = queues.claim()
    world.clock.advance(LEASE_SECONDS)
    others = queues.claim(queue=queues.second)
    before = (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first))
    assert queues.record(late, send_result) == []
    assert (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first)) == before
    assert len(queues.record(others, OK, queue=queues.second)) == 1
    assert queues.record(late, send_result) == []
    assert queues.ledger_kinds(world.first) == ["hold", "capture"]


def test_a_result_after_the_lease_is_recorded_if_nobody_else_claimed_the_delivery(
    world, queues, subscription
):
    late = queues.claim()
    world.clock.advance(10 * LEASE_SECONDS)
    assert len(queues.record(late, OK)) == 1


@pytest.mark.parametrize("send_result", [OK, FAILED, GONE])
def test_recording_a_result_twice_changes_nothing(world, queues, subscription, send_result):
    attempts = queues.claim()
    queues.record(attempts, send_result)
    before = (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first))
    assert queues.record(attempts, send_result) == []
    assert (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first)) == before


def test_results_of_a_deleted_subscription_are_not_recorded(world, queues, subscription):
    attempts = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        deliveries = delivery_store.find_of_subscription(
            AccountSession(session, world.first), subscription.id
        )
        cancel.cancel_deliveries(
            AccountSession(session, world.first), deliveries, world.clock.seconds(), "Deleted"
        )
        subscription_store.delete(AccountSession(session, world.first), [subscription.id])
    assert queues.record(attempts, OK) == []
    assert world.balance(world.first) == (1_000, 0, 0)


# --- cancelled deliveries ---


@pytest.mark.parametrize("finished", [False, True])
def test_a_success_of_a_cancelled_delivery_is_audited_and_the_next_delivery_is_sent(
    world, queues, subscription, finished
):
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    if finished:
        assert queues.first.finish_cancelled() == 1
    queues.record([attempt], OK)
    assert statuses(world)[-1] == Status.SUCCESS
    assert world.balance(world.first) == (1_000, 0 if finished else 1, 0)
    assert queues.first.finish_cancelled() == 0
    assert world.subscription(subscription.token).queued == 1
    assert len(queues.claim()) == 1


@pytest.mark.parametrize("finished", [False, True])
def test_a_failed_cancelled_delivery_is_not_retried(world, queues, subscription, finished):
    (attempt,) = queues.claim()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    if finished:
        queues.first.finish_cancelled()
    queues.give_up([attempt])
    queues.first.finish_cancelled()
    assert sorted(statuses(world)) == [Status.FAILED, Status.PERMANENT_FAILURE]
    assert {row["error"] for row in world.audit()} == {"Gone", GONE.error}
    assert queues.ledger_kinds(world.first) == ["hold", "release"]
    now = world.subscription(subscription.token)
    assert (now.active, now.attempts, now.queued) == (1, 0, 1)
    (next_one,) = queues.claim()
    assert next_one.delivery_id == attempt.delivery_id + 1


def test_cancelled_deliveries_of_all_accounts_are_finished(world, queues):
    for account in (world.first, world.second):
        world.subscribe(account)
    queues.fan_out_signals(headcount())
    queues.claim()
    with world.database.write(None) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    assert queues.first.finish_cancelled() == 2
    assert queues.first.finish_cancelled() == 0
    assert world.deliveries() == []
    assert [queues.ledger_kinds(account) for account in (world.first, world.second)] == [
        ["hold", "release"]
    ] * 2


# --- unsent deliveries ---


def test_a_returned_claim_is_sent_soon_and_counts_no_attempt(world, queues, subscription):
    attempts = queues.claim()
    queues.first.give_back(attempts)
    assert world.audit() == []
    now = world.subscription(subscription.token)
    assert (now.attempts, now.lease_until) == (0, 0)
    assert queues.claim() == []
    world.clock.advance(GIVE_BACK_SECONDS)
    (again,) = queues.claim()
    assert again.payload_id == attempts[0].payload_id
    queues.first.give_back(attempts)
    assert world.subscription(subscription.token).lease_until > 0, (
        "the second claim is released by the first one"
    )


def test_a_success_has_the_seconds_since_detection_and_a_failure_has_none(world, queues, subscription):
    (attempt,) = queues.claim()
    (failed,) = queues.record([attempt], FAILED)
    world.clock.advance(60)
    (arrived,) = queues.record(queues.claim(), SendResult(201, 500))
    assert (failed.seconds, arrived.seconds) == (None, 60.5)
