import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, GONE, OK, SILENT
from webhook_fixtures import headcount

from firmograph.database.connection import account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.signals import paid_store
from firmograph.webhooks import erasure_store
from firmograph.webhooks.deliveries import cancel
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.worker_cycle import GIVE_BACK_SECONDS
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import SendResult, State, Status

DAYS = [f"2026-09-{day:02}" for day in range(1, 22)]


@pytest.fixture
def lane(world, queues):
    """A subscription with two deliveries."""
    lane = world.subscribe()
    queues.tell(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    return lane


def statuses(world):
    return [row["status"] for row in world.audit()]


# --- what arrived ---


def test_what_arrived_is_charged_noted_as_paid_audited_and_gone_from_the_queue(world, queues, lane):
    (attempt,) = queues.take()
    world.clock.advance(3)
    (recorded,) = queues.record([attempt], OK)
    assert (recorded.status, recorded.credits) == (Status.SUCCESS, 1)
    assert recorded.seconds == pytest.approx(3.012)
    assert queues.kinds(world.first) == ["hold", "capture"]
    assert world.balance(world.first) == (1_000, 1, 0)
    (row,) = world.audit()
    assert row == {
        "id": 1,
        "account_id": world.first,
        "subscription": lane.token,
        "payload_id": attempt.payload_id,
        "status": Status.SUCCESS,
        "status_code": 200,
        "url": lane.url,
        "at": world.clock.seconds(),
        "duration_ms": 12,
        "error": None,
        "acknowledgement": OK.body,
        "credits": 1,
        "response_ms": 11,
        "is_test": 0,
    }
    (left,) = world.deliveries()
    assert left["id"] == attempt.delivery_id + 1
    now = world.subscription(lane.token)
    assert (now.queued, now.attempts, now.lease_until, now.due_at) == (1, 0, 0, world.clock.seconds())
    world.subscribe(number=2)
    with world.database.read() as session:
        (first, second) = paid_store.of_records(
            session, world.first, 2, [1], ["headcountIncrease3m"], DAYS[0], DAYS[-1]
        )
    assert (first.paid_at, second.paid_at) == (None, world.clock.seconds())


def test_what_a_call_pays_for_while_it_is_on_its_way_is_not_charged_again(world, queues, lane):
    (attempt,) = queues.take()
    queues.pay(world.first, 1)
    queues.record([attempt], OK)
    assert queues.kinds(world.first) == ["hold", "charge", "release"]
    (row,) = world.audit()
    assert (row["status"], row["credits"]) == (Status.SUCCESS, 0)
    assert world.balance(world.first) == (1_000, 1, 0)


def test_many_lanes_and_accounts_are_recorded_together(world, queues):
    for account, day in ((world.first, DAYS[1]), (world.second, DAYS[2])):
        queues.lanes(5, "https://r{}.example.com/", account, day=day)
    attempts = queues.take()
    queues.first.record([*queues.outcomes(attempts[:4], OK), *queues.outcomes(attempts[4:8], FAILED)])
    queues.give_up(attempts[8:])
    assert statuses(world) == [Status.SUCCESS] * 4 + [Status.FAILED] * 4 + [Status.PERMANENT_FAILURE] * 2
    held = [world.balance(account) for account in (world.first, world.second)]
    assert (sum(each.used for each in held), sum(each.held for each in held)) == (4, 4)


# --- what failed ---


def test_what_failed_is_sent_again_after_one_five_and_25_seconds_and_then_disables(world, queues, lane):
    waits = []
    for failed in (1, 2, 3):
        queues.deliver(FAILED)
        now = world.subscription(lane.token)
        assert (now.attempts, now.active, now.queued, now.lease_until) == (failed, 1, 2, 0)
        waits.append(now.due_at - world.clock.seconds())
        world.clock.advance(waits[-1] - 0.01)
        assert queues.take() == []
        world.clock.advance(0.02)
    assert all(least <= wait <= least * 1.25 for least, wait in zip((1, 5, 25), waits, strict=True))
    (attempt,) = queues.deliver(SILENT)
    now = world.subscription(lane.token)
    assert (now.active, now.block_reason, now.blocked_at) == (
        0,
        "Max retries exceeded",
        world.clock.seconds(),
    )
    assert (now.attempts, now.queued, now.updated_at) == (0, 1, world.clock.seconds())
    assert statuses(world) == [Status.FAILED] * 3 + [Status.PERMANENT_FAILURE]
    assert {row["payload_id"] for row in world.audit()} == {attempt.payload_id}
    assert (world.audit()[-1]["status_code"], world.audit()[-1]["error"]) == (None, SILENT.error)
    assert queues.kinds(world.first) == ["hold", "release"]
    dead, waiting = world.deliveries()
    assert (dead["state"], dead["held"], dead["failed_at"]) == (State.FAILED, None, world.clock.seconds())
    assert dead["body"] == attempt.body
    assert waiting["state"] == State.WAITING


def test_what_waits_behind_a_disabled_one_goes_out_in_order_once_it_is_active_again(world, queues, lane):
    queues.give_up()
    queues.tell(headcount(day=DAYS[2]))
    assert queues.take() == []
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(session, [lane.id], world.clock.seconds())
    assert [queues.deliver()[0].delivery_id for _ in range(2)] == [2, 3]
    assert queues.take() == []
    assert world.subscription(lane.token).queued == 0


def test_a_dead_letter_that_is_sent_again_is_the_same_and_paid_once(world, queues, lane):
    (dead,) = queues.give_up()
    with world.database.write(account_scope(world.first)) as session:
        session.execute(sa.text("UPDATE deliveries SET state = 1, failed_at = NULL"))
        session.execute(sa.text("UPDATE subscriptions SET queued = queued + 1"))
        subscription_store.reactivate(session, [lane.id], world.clock.seconds())
    (again,) = queues.deliver(OK)
    assert (again.payload_id, again.body) == (dead.payload_id, dead.body)
    assert queues.kinds(world.first) == ["hold", "release", "hold", "capture"]
    assert world.balance(world.first) == (1_000, 1, 0)


def test_a_receiver_that_answers_410_has_the_same_retries_as_any_other(world, queues, lane):
    queues.deliver(GONE)
    now = world.subscription(lane.token)
    assert (now.active, now.attempts) == (1, 1)
    assert statuses(world) == [Status.FAILED]


def test_a_receiver_may_ask_for_more_time(world, queues, lane):
    queues.deliver(FAILED._replace(status_code=503, retry_after=77.0))
    assert world.subscription(lane.token).due_at == world.clock.seconds() + 77


def test_the_next_delivery_has_all_its_retries(world, queues, lane):
    queues.deliver(FAILED)
    world.clock.advance(2)
    queues.deliver(OK)
    (attempt,) = queues.deliver(FAILED)
    assert attempt.attempts == 0
    assert world.subscription(lane.token).attempts == 1


def test_one_that_its_owner_disabled_meanwhile_is_not_blocked(world, queues, lane):
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.disable(session, [lane.id], world.clock.seconds())
    queues.give_up([attempt])
    now = world.subscription(lane.token)
    assert (now.active, now.block_reason, now.blocked_at, now.queued) == (0, None, None, 1)


def test_one_that_was_made_active_meanwhile_has_all_its_retries(world, queues, lane):
    for wait in (2, 7, 32):
        queues.deliver(FAILED)
        world.clock.advance(wait)
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(session, [lane.id], world.clock.seconds())
    queues.record([attempt], FAILED)
    now = world.subscription(lane.token)
    assert (now.active, now.attempts) == (1, 1)


@pytest.mark.parametrize("sent", [OK, FAILED])
def test_an_answer_that_may_repeat_what_was_sent_is_not_kept_where_a_person_has_gone(
    world, queues, lane, sent
):
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    queues.record([attempt], sent._replace(body=b"Ann"))
    assert [row["acknowledgement"] for row in world.audit()] == [None]


def test_an_answer_to_a_post_that_named_somebody_who_has_gone_is_not_kept(world, queues, lane):
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.erase_bodies(session, [1])
    queues.record([attempt], OK._replace(body=b"Ann"))
    assert [row["acknowledgement"] for row in world.audit()] == [None]


@pytest.mark.parametrize("sent", [FAILED, GONE])
def test_what_the_url_of_before_answers_uses_up_nothing_of_the_new_one(world, queues, lane, sent):
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        session.execute(sa.text("UPDATE subscriptions SET url = 'https://new.example.com/' WHERE id = 1"))
    queues.record([attempt], sent)
    now = world.subscription(lane.token)
    assert (now.active, now.attempts, now.due_at) == (1, 0, world.clock.seconds())
    assert statuses(world) == [Status.FAILED]
    (again,) = queues.take()
    assert (again.url, again.payload_id) == ("https://new.example.com/", attempt.payload_id)


# --- whose it is ---


@pytest.mark.parametrize("sent", [OK, FAILED, GONE])
def test_a_worker_suspended_past_its_lease_records_nothing(world, queues, lane, sent):
    late = queues.take()
    world.clock.advance(LEASE_SECONDS)
    others = queues.take(queue=queues.second)
    before = (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first))
    assert queues.record(late, sent) == []
    assert (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first)) == before
    assert len(queues.record(others, OK, queue=queues.second)) == 1
    assert queues.record(late, sent) == []
    assert queues.kinds(world.first) == ["hold", "capture"]


def test_a_lease_that_ran_out_counts_as_long_as_nobody_else_took_it(world, queues, lane):
    late = queues.take()
    world.clock.advance(10 * LEASE_SECONDS)
    assert len(queues.record(late, OK)) == 1


@pytest.mark.parametrize("sent", [OK, FAILED, GONE])
def test_recording_again_what_is_recorded_changes_nothing(world, queues, lane, sent):
    attempts = queues.take()
    queues.record(attempts, sent)
    before = (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first))
    assert queues.record(attempts, sent) == []
    assert (world.subscriptions(), world.deliveries(), world.audit(), world.entries(world.first)) == before


def test_of_a_subscription_that_was_deleted_meanwhile_nothing_is_recorded(world, queues, lane):
    attempts = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        those = delivery_store.find_of_subscription(session, world.first, lane.id)
        cancel.cancel_deliveries(session, world.first, those, world.clock.seconds(), "Deleted")
        subscription_store.delete(session, [lane.id])
    assert queues.record(attempts, OK) == []
    assert world.balance(world.first) == (1_000, 0, 0)


# --- what was cancelled ---


@pytest.mark.parametrize("ended", [False, True])
def test_what_is_cancelled_on_its_way_and_arrives_is_audited_and_the_next_one_goes(
    world, queues, lane, ended
):
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    if ended:
        assert queues.first.finish_cancelled() == 1
    queues.record([attempt], OK)
    assert statuses(world)[-1] == Status.SUCCESS
    assert world.balance(world.first) == (1_000, 0 if ended else 1, 0)
    assert queues.first.finish_cancelled() == 0
    assert world.subscription(lane.token).queued == 1
    assert len(queues.take()) == 1


@pytest.mark.parametrize("ended", [False, True])
def test_what_is_cancelled_on_its_way_and_fails_is_not_sent_again(world, queues, lane, ended):
    (attempt,) = queues.take()
    with world.database.write(account_scope(world.first)) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    if ended:
        queues.first.finish_cancelled()
    queues.give_up([attempt])
    queues.first.finish_cancelled()
    assert sorted(statuses(world)) == [Status.FAILED, Status.PERMANENT_FAILURE]
    assert {row["error"] for row in world.audit()} == {"Gone", GONE.error}
    assert queues.kinds(world.first) == ["hold", "release"]
    now = world.subscription(lane.token)
    assert (now.active, now.attempts, now.queued) == (1, 0, 1)
    (next_one,) = queues.take()
    assert next_one.delivery_id == attempt.delivery_id + 1


def test_cancelled_ones_of_all_accounts_are_ended(world, queues):
    for account in (world.first, world.second):
        world.subscribe(account)
    queues.tell(headcount())
    queues.take()
    with world.database.write(None) as session:
        erasure_store.mark_cancelled(session, [1], "Gone")
    assert queues.first.finish_cancelled() == 2
    assert queues.first.finish_cancelled() == 0
    assert world.deliveries() == []
    assert [queues.kinds(account) for account in (world.first, world.second)] == [["hold", "release"]] * 2


# --- what was not sent ---


def test_what_could_not_be_sent_is_sent_soon_and_uses_up_nothing(world, queues, lane):
    attempts = queues.take()
    queues.first.give_back(attempts)
    assert world.audit() == []
    now = world.subscription(lane.token)
    assert (now.attempts, now.lease_until) == (0, 0)
    assert queues.take() == []
    world.clock.advance(GIVE_BACK_SECONDS)
    (again,) = queues.take()
    assert again.payload_id == attempts[0].payload_id
    queues.first.give_back(attempts)
    assert world.subscription(lane.token).lease_until > 0, "it is the second attempt's by now"


def test_seconds_are_those_from_detection_and_only_of_what_arrived(world, queues, lane):
    (attempt,) = queues.take()
    (failed,) = queues.record([attempt], FAILED)
    world.clock.advance(60)
    (arrived,) = queues.record(queues.take(), SendResult(201, 500))
    assert (failed.seconds, arrived.seconds) == (None, 60.5)
