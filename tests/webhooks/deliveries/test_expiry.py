"""What ends by itself one day, by the worker's duties (docs/reference/webhooks.md#retention)."""

import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, OK, QueueWorld
from webhook_fixtures import headcount, news

from firmograph.billing.types import Balance
from firmograph.database.connection import account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs.periodic_jobs import duties_of
from firmograph.jobs.scheduler import Worker
from firmograph.kit.clock import day_of
from firmograph.webhooks.deliveries import audit_store, expiry
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.service import Subscriptions
from firmograph.webhooks.types import OPT_OUT, Status

HOUR = 3_600.0
DAY = 24 * HOUR
DAYS = [f"2026-09-{day:02}" for day in range(1, 21)]


@pytest.fixture
def queue(world):
    return QueueWorld(world)


def work(world):
    """All that a worker has to do regularly now."""
    worker = Worker(world.database, world.clock, duties_of(world.plans))
    while worker.step():
        pass


def after(world, seconds):
    """A worker is there all the time; the last thing that it does is some seconds from now."""
    world.clock.advance(seconds)
    work(world)


def ended(world):
    """What the audit tells of deliveries that ended without an attempt."""
    return [row["error"] for row in world.audit() if row["status"] == 3 and row["status_code"] is None]


def change(world, how, at=None):
    """As its owner does to the one subscription that there is."""
    (one,) = world.subscriptions()
    with world.database.write(account_scope(one.account_id)) as session:
        how(session, [one.id], at or world.clock.seconds())


# --- withheld ---


@pytest.fixture
def poor(world):
    """An account without credits."""
    return world.account("Poor", credits=0)


def test_what_credits_are_missing_for_ends_after_72_hours_with_all_that_waited_as_long(world, queue, poor):
    token = world.subscribe(poor).token
    queue.tell(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    assert queue.take() == []
    after(world, 70 * HOUR)
    queue.tell(headcount(day=DAYS[2]))
    after(world, 2 * HOUR - 1)
    assert (len(world.deliveries()), ended(world)) == (3, [])
    after(world, HOUR)
    assert ended(world) == 2 * ["Not enough credits for 72 hours"]
    assert (len(world.deliveries()), world.subscription(token).queued) == (1, 1)


def test_what_came_later_has_72_hours_of_its_own(world, queue, poor):
    world.subscribe(poor)
    queue.tell(headcount(day=DAYS[0]))
    queue.take()
    world.clock.advance(50 * HOUR)
    queue.tell(headcount(day=DAYS[1]))
    after(world, 30 * HOUR)
    assert queue.take() == []
    after(world, 72 * HOUR - 1)
    assert len(world.deliveries()) == 1
    after(world, HOUR)
    assert (world.deliveries(), len(ended(world))) == ([], 2)


def test_credits_that_came_in_time_are_used_by_the_next_worker_however_late(world, queue, poor):
    world.subscribe(poor)
    queue.tell(headcount())
    queue.take()
    world.clock.advance(71 * HOUR)
    world.accounts.grant("Poor", 100)
    after(world, 100 * HOUR)
    assert len(queue.deliver()) == 1
    assert (world.deliveries(), ended(world)) == ([], [])


def test_more_than_one_part_takes_ends_all_the_same(world, queue, poor, monkeypatch):
    monkeypatch.setattr(expiry, "_BATCH", 3)
    world.subscribe(poor)
    queue.tell(*(headcount(day=day) for day in DAYS))
    queue.take()
    after(world, 72 * HOUR)
    assert (world.deliveries(), len(ended(world))) == ([], len(DAYS))


# --- behind a disabled subscription ---


def disable(queue, *detected):
    """A subscription whose receiver fails until it is disabled."""
    token = queue.world.subscribe().token
    queue.tell(*detected)
    for _ in range(4):
        queue.deliver(FAILED)
        queue.world.clock.advance(60)
    assert queue.world.subscription(token).blocked_at
    return token


def test_what_waits_behind_a_disabled_subscription_ends_after_7_days(world, queue):
    token = disable(queue, headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    after(world, 3 * DAY)
    queue.tell(headcount(day=DAYS[2]))
    after(world, 4 * DAY)
    assert ended(world) == ["The subscription was disabled for 7 days"]
    # the dead letter stays for longer, and what came later waits for longer
    assert [row["state"] for row in world.deliveries()] == [2, 1]
    assert world.subscription(token).queued == 1


def test_what_waited_goes_out_when_the_subscription_is_active_again_in_time(world, queue):
    disable(queue, headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    after(world, 7 * DAY - HOUR)
    change(world, subscription_store.reactivate)
    after(world, DAY)
    assert len(queue.deliver()) == 1
    assert ended(world) == []


def test_credits_that_were_held_are_given_back(world, queue):
    world.subscribe()
    queue.tell(headcount())
    queue.deliver(FAILED)
    change(world, subscription_store.disable)
    assert world.balance(world.first).held > 0
    after(world, 7 * DAY)
    assert world.balance(world.first) == Balance(1_000, 0, 0)
    assert (world.deliveries(), len(ended(world))) == ([], 1)
    assert queue.kinds(world.first) == ["hold", "release"]


@pytest.mark.parametrize("before", ["active", "disabled by itself"])
def test_changing_a_subscription_that_its_owner_disabled_gives_what_waits_no_more_time(world, queue, before):
    if before == "active":
        token = world.subscribe().token
        queue.tell(headcount(day=DAYS[0]))
        queue.deliver(FAILED)
    else:
        token = disable(queue, headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    callers = Subscriptions(world.database, world.tokens, world.secrets, queue.settings)
    for day in range(7):
        assert [row["state"] for row in world.deliveries()][-1] == 1
        asked = shapes.ChangeSubscription(is_active=False, name=f"Name {day}")
        callers.change(world.first, token, asked, world.clock.seconds())
        after(world, DAY)
        callers.change(world.first, token, shapes.ChangeSubscription(name="Other"), world.clock.seconds())
    work(world)
    assert ended(world) == ["The subscription was disabled for 7 days"]


def test_a_subscription_that_was_active_in_between_has_7_days_anew(world, queue):
    world.subscribe()
    queue.tell(headcount())
    change(world, subscription_store.disable)
    after(world, 6 * DAY)
    change(world, subscription_store.reactivate)
    change(world, subscription_store.disable)
    after(world, 6 * DAY)
    assert len(world.deliveries()) == 1
    after(world, DAY)
    assert ended(world) == ["The subscription was disabled for 7 days"]


def test_what_is_on_its_way_is_left_to_whoever_sends_it(world, queue):
    world.subscribe()
    queue.tell(headcount())
    world.clock.advance(8 * DAY)
    attempts = queue.take()
    change(world, subscription_store.disable, world.clock.seconds() - 8 * DAY)
    work(world)
    assert len(world.deliveries()) == 1
    queue.record(attempts, OK)
    assert (world.deliveries(), ended(world)) == ([], [])


def test_what_a_killed_worker_had_on_its_way_ends_once_its_lease_has(world, queue):
    world.subscribe()
    queue.tell(headcount())
    queue.take()
    change(world, subscription_store.disable)
    after(world, 7 * DAY + LEASE_SECONDS)
    assert (world.deliveries(), world.balance(world.first).held) == ([], 0)


# --- of an account that is told nothing any more ---

_disable = sa.text("UPDATE accounts SET active = 0 WHERE id = :id")
_forget_plan = sa.text("UPDATE accounts SET plan = 'gone' WHERE id = :id")
_restore = sa.text("UPDATE accounts SET active = 1, plan = 'unlimited' WHERE id = :id")


def alter(world, how, account):
    with world.database.write(account_scope(account)) as session:
        session.execute(how, {"id": account})


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (_disable, "Not delivered within 7 days, and the account is disabled"),
        (_forget_plan, "Not delivered within 7 days, and the account's plan is not set up"),
    ],
)
def test_what_an_account_can_be_told_no_more_ends_after_7_days_and_its_credits_are_given_back(
    world, queue, how, reason
):
    token = world.subscribe().token
    queue.tell(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    queue.deliver(FAILED)
    alter(world, how, world.first)
    after(world, 7 * DAY - 1)
    assert (len(world.deliveries()), world.balance(world.first).held) == (2, 1)
    after(world, HOUR)
    assert ended(world) == 2 * [reason]
    assert (world.deliveries(), world.subscription(token).queued) == ([], 0)
    assert world.balance(world.first) == Balance(1_000, 0, 0)


def test_what_waits_for_accounts_in_order_is_left_alone_however_long(world, queue):
    for account in (world.first, world.second):
        world.subscribe(account)
    queue.tell(headcount())
    alter(world, _disable, world.second)
    after(world, 100 * DAY)
    assert [row["account_id"] for row in world.deliveries()] == [world.first]
    assert len(queue.deliver()) == 1


def test_an_account_that_is_back_before_a_duty_comes_to_it_loses_nothing(world, queue):
    world.subscribe()
    queue.tell(headcount())
    alter(world, _disable, world.first)
    world.clock.advance(8 * DAY)
    stopped = expiry.StoppedAccountExpiry(world.plans)
    with world.database.read() as session:
        found = stopped.find(session, world.clock.seconds())
    assert len(found) == 1
    alter(world, _restore, world.first)
    with world.database.write(account_scope(world.first)) as session:
        assert stopped.expire(session, found, world.clock.seconds()) == 0
    assert len(queue.deliver()) == 1


def test_what_is_on_its_way_as_its_account_is_disabled_is_left_to_whoever_sends_it(world, queue):
    world.subscribe()
    queue.tell(headcount())
    world.clock.advance(8 * DAY)
    attempts = queue.take()
    alter(world, _disable, world.first)
    work(world)
    queue.record(attempts, OK)
    assert (world.deliveries(), ended(world)) == ([], [])


def test_opt_outs_of_a_disabled_account_wait_as_long_as_others(world):
    world.deliver(world.subscribe(number=None, types=[OPT_OUT]).token)
    alter(world, _disable, world.first)
    after(world, 20 * DAY)
    assert len(world.deliveries()) == 1


# --- dead letters and opt-outs ---


def test_dead_letters_go_after_180_days_and_the_audit_has_told_of_them_already(world, queue):
    disable(queue, headcount())
    told = len(world.audit())
    after(world, 179 * DAY)
    assert [row["state"] for row in world.deliveries()] == [2]
    after(world, DAY)
    assert world.deliveries() == []
    assert (told, ended(world)) == (4, [])


@pytest.mark.parametrize(("state", "rows"), [("WAITING", 1), ("FAILED", 0)])
def test_opt_outs_are_erased_after_30_days_in_whatever_state_they_are(world, state, rows):
    token = world.subscribe(number=None, types=[OPT_OUT]).token
    world.deliver(token, state=state)
    after(world, 30 * DAY - HOUR)
    assert len(world.deliveries()) == 1
    after(world, HOUR)
    assert world.deliveries() == []
    assert ended(world) == rows * ["Not delivered within 30 days"]
    assert world.subscription(token).queued == 0


def test_opt_outs_of_a_disabled_subscription_wait_as_long_as_others(world):
    world.deliver(world.subscribe(number=None, types=[OPT_OUT]).token)
    change(world, subscription_store.disable)
    after(world, 20 * DAY)
    assert len(world.deliveries()) == 1


# --- the audit ---


def put(world, account, status, count=1):
    one = audit_store.AuditEntry(
        account, "1" * 24, "p", status, 200, "https://a.example.com", world.clock.seconds(), 1, None, None, 2
    )
    with world.database.write(account_scope(account)) as session:
        audit_store.add(session, count * [one])


def totals(world, account):
    with world.database.read() as session:
        return {
            status.name: tuple(total)
            for status, total in audit_store.read_totals(session, account, None).items()
        }


def test_the_audit_forgets_successes_after_90_days_and_failures_after_180(world):
    for status in Status:
        put(world, world.first, status)
    after(world, 90 * DAY - HOUR)
    put(world, world.first, Status.SUCCESS)
    assert len(world.audit()) == 4
    after(world, DAY)
    assert totals(world, world.first) == dict.fromkeys(("SUCCESS", "FAILED", "PERMANENT_FAILURE"), (1, 0, 2))
    after(world, 91 * DAY)
    assert (world.audit(), totals(world, world.first)) == ([], {})


def test_a_large_audit_of_many_accounts_is_forgotten_in_parts(world, monkeypatch):
    monkeypatch.setattr(expiry, "_AUDIT_BATCH", 100)
    monkeypatch.setattr(expiry, "_MAX_ACCOUNTS", 2)
    accounts = [world.account(f"Account {n}") for n in range(5)]
    for account in accounts:
        put(world, account, Status.FAILED, 70)
    after(world, 180 * DAY)
    assert world.audit() == []
    assert [totals(world, account) for account in accounts] == 5 * [{}]


def test_totals_are_those_of_the_rows_whatever_was_added_and_forgotten(world, queue):
    world.subscribe()
    world.subscribe(number=2)
    for _ in range(3):
        day = day_of(world.clock.seconds()).isoformat()
        queue.tell(headcount(day=day), news(2, day))
        queue.deliver()
        after(world, 40 * DAY)
    rows = world.audit()
    assert 0 < len(rows) < 6
    assert totals(world, world.first) == {"SUCCESS": (len(rows), 0, sum(row["credits"] for row in rows))}
