"""Expiry of deliveries and audit rows by periodic duties.

See docs/reference/webhooks.md#retention.
"""

import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, OK, QueueWorld
from subscription_calls import SubscriptionCalls
from webhook_fixtures import headcount, news

from firmograph.billing.types import Balance
from firmograph.database.connection import AccountSession, account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs.scheduler import JobWorker
from firmograph.kit.clock import day_of
from firmograph.webhooks.deliveries import audit_store, expiry
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.types import OPT_OUT, Status
from installation_factory import jobs_of

HOUR = 3_600.0
DAY = 24 * HOUR
DAYS = [f"2026-09-{day:02}" for day in range(1, 21)]


@pytest.fixture
def queue(world):
    return QueueWorld(world)


def work(world):
    """Do all due duties."""
    worker = JobWorker(world.database, world.clock, jobs_of(world.database))
    while worker.step():
        pass


def work_after(world, seconds):
    """Advance the clock and do all due duties."""
    world.clock.advance(seconds)
    work(world)


def expiry_reasons(world):
    """Return the audited reasons of deliveries that expiry_reasons without an attempt."""
    return [row["error"] for row in world.audit() if row["status"] == 3 and row["status_code"] is None]


def change(world, how, at=None):
    """Change the only subscription as its owner does."""
    (one,) = world.subscriptions()
    with world.database.write(account_scope(one.account_id)) as session:
        how(AccountSession(session, one.account_id), [one.id], at or world.clock.seconds())


# --- withheld ---


@pytest.fixture
def poor(world):
    """Create an account without credits."""
    return world.account("Poor", credits=0)


def test_deliveries_without_credits_expire_after_72_hours(world, queue, poor):
    token = world.subscribe(poor).token
    queue.fan_out_signals(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    assert queue.claim() == []
    work_after(world, 70 * HOUR)
    queue.fan_out_signals(headcount(day=DAYS[2]))
    work_after(world, 2 * HOUR - 1)
    assert (len(world.deliveries()), expiry_reasons(world)) == (3, [])
    work_after(world, HOUR)
    assert expiry_reasons(world) == 2 * ["Not enough credits for 72 hours"]
    assert (len(world.deliveries()), world.subscription(token).queued) == (1, 1)


def test_a_later_delivery_has_its_own_72_hours(world, queue, poor):
    world.subscribe(poor)
    queue.fan_out_signals(headcount(day=DAYS[0]))
    queue.claim()
    world.clock.advance(50 * HOUR)
    queue.fan_out_signals(headcount(day=DAYS[1]))
    work_after(world, 30 * HOUR)
    assert queue.claim() == []
    work_after(world, 72 * HOUR - 1)
    assert len(world.deliveries()) == 1
    work_after(world, HOUR)
    assert (world.deliveries(), len(expiry_reasons(world))) == ([], 2)


def test_credits_granted_in_time_are_used_even_by_a_late_worker(world, queue, poor):
    world.subscribe(poor)
    queue.fan_out_signals(headcount())
    queue.claim()
    world.clock.advance(71 * HOUR)
    world.accounts.grant("Poor", 100)
    work_after(world, 100 * HOUR)
    assert len(queue.deliver()) == 1
    assert (world.deliveries(), expiry_reasons(world)) == ([], [])


def test_expiry_takes_as_many_parts_as_needed(world, queue, poor, monkeypatch):
    monkeypatch.setattr(expiry, "_BATCH", 3)
    world.subscribe(poor)
    queue.fan_out_signals(*(headcount(day=day) for day in DAYS))
    queue.claim()
    work_after(world, 72 * HOUR)
    assert (world.deliveries(), len(expiry_reasons(world))) == ([], len(DAYS))


# --- behind a disabled subscription ---


def disable(queue, *detected):
    """Create a subscription whose receiver fails until it is disabled."""
    token = queue.world.subscribe().token
    queue.fan_out_signals(*detected)
    for _ in range(4):
        queue.deliver(FAILED)
        queue.world.clock.advance(60)
    assert queue.world.subscription(token).blocked_at
    return token


def test_deliveries_of_a_disabled_subscription_expire_after_7_days(world, queue):
    token = disable(queue, headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    work_after(world, 3 * DAY)
    queue.fan_out_signals(headcount(day=DAYS[2]))
    work_after(world, 4 * DAY)
    assert expiry_reasons(world) == ["The subscription was disabled for 7 days"]
    # the dead letter and the later delivery remain
    assert [row["state"] for row in world.deliveries()] == [2, 1]
    assert world.subscription(token).queued == 1


def test_waiting_deliveries_are_sent_if_the_subscription_is_reactivated_in_time(world, queue):
    disable(queue, headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    work_after(world, 7 * DAY - HOUR)
    change(world, subscription_store.reactivate)
    work_after(world, DAY)
    assert len(queue.deliver()) == 1
    assert expiry_reasons(world) == []


def test_holds_of_expired_deliveries_are_released(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount())
    queue.deliver(FAILED)
    change(world, subscription_store.disable)
    assert world.balance(world.first).held > 0
    work_after(world, 7 * DAY)
    assert world.balance(world.first) == Balance(1_000, 0, 0)
    assert (world.deliveries(), len(expiry_reasons(world))) == ([], 1)
    assert queue.ledger_kinds(world.first) == ["hold", "release"]


@pytest.mark.parametrize("before", ["active", "disabled by itself"])
def test_changing_a_disabled_subscription_does_not_extend_the_7_days(world, queue, before):
    if before == "active":
        token = world.subscribe().token
        queue.fan_out_signals(headcount(day=DAYS[0]))
        queue.deliver(FAILED)
    else:
        token = disable(queue, headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    callers = SubscriptionCalls(world, queue.settings)
    for day in range(7):
        assert [row["state"] for row in world.deliveries()][-1] == 1
        change = shapes.ChangeSubscription(is_active=False, name=f"Name {day}")
        callers.change(world.first, token, change, world.clock.seconds())
        work_after(world, DAY)
        callers.change(world.first, token, shapes.ChangeSubscription(name="Other"), world.clock.seconds())
    work(world)
    assert expiry_reasons(world) == ["The subscription was disabled for 7 days"]


def test_reactivation_restarts_the_7_days(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount())
    change(world, subscription_store.disable)
    work_after(world, 6 * DAY)
    change(world, subscription_store.reactivate)
    change(world, subscription_store.disable)
    work_after(world, 6 * DAY)
    assert len(world.deliveries()) == 1
    work_after(world, DAY)
    assert expiry_reasons(world) == ["The subscription was disabled for 7 days"]


def test_a_delivery_in_flight_does_not_expire(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount())
    world.clock.advance(8 * DAY)
    attempts = queue.claim()
    change(world, subscription_store.disable, world.clock.seconds() - 8 * DAY)
    work(world)
    assert len(world.deliveries()) == 1
    queue.record(attempts, OK)
    assert (world.deliveries(), expiry_reasons(world)) == ([], [])


def test_a_delivery_claimed_by_a_killed_worker_expires_after_its_lease(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount())
    queue.claim()
    change(world, subscription_store.disable)
    work_after(world, 7 * DAY + LEASE_SECONDS)
    assert (world.deliveries(), world.balance(world.first).held) == ([], 0)


# --- of disabled accounts and accounts without a plan ---

_disable = sa.text("UPDATE accounts SET active = 0 WHERE id = :id")
_remove_plan = sa.text("UPDATE accounts SET plan = 'gone' WHERE id = :id")
_restore = sa.text("UPDATE accounts SET active = 1, plan = 'unlimited' WHERE id = :id")


def alter(world, how, account):
    with world.database.write(account_scope(account)) as session:
        session.execute(how, {"id": account})


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (_disable, "Not delivered within 7 days, and the account is disabled"),
        (_remove_plan, "Not delivered within 7 days, and the account's plan is not set up"),
    ],
)
def test_deliveries_of_a_stopped_account_expire_after_7_days_and_their_holds_are_released(
    world, queue, how, reason
):
    token = world.subscribe().token
    queue.fan_out_signals(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    queue.deliver(FAILED)
    alter(world, how, world.first)
    work_after(world, 7 * DAY - 1)
    assert (len(world.deliveries()), world.balance(world.first).held) == (2, 1)
    work_after(world, HOUR)
    assert expiry_reasons(world) == 2 * [reason]
    assert (world.deliveries(), world.subscription(token).queued) == ([], 0)
    assert world.balance(world.first) == Balance(1_000, 0, 0)


def test_deliveries_of_active_accounts_do_not_expire(world, queue):
    for account in (world.first, world.second):
        world.subscribe(account)
    queue.fan_out_signals(headcount())
    alter(world, _disable, world.second)
    work_after(world, 100 * DAY)
    assert [row["account_id"] for row in world.deliveries()] == [world.first]
    assert len(queue.deliver()) == 1


def test_an_account_reactivated_before_the_expiry_loses_nothing(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount())
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


def test_a_delivery_in_flight_of_a_disabled_account_does_not_expire(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount())
    world.clock.advance(8 * DAY)
    attempts = queue.claim()
    alter(world, _disable, world.first)
    work(world)
    queue.record(attempts, OK)
    assert (world.deliveries(), expiry_reasons(world)) == ([], [])


def test_opt_outs_of_a_disabled_account_do_not_expire_after_7_days(world):
    world.insert_delivery(world.subscribe(number=None, types=[OPT_OUT]).token)
    alter(world, _disable, world.first)
    work_after(world, 20 * DAY)
    assert len(world.deliveries()) == 1


# --- dead letters and opt-outs ---


def test_dead_letters_are_deleted_after_180_days_without_a_further_audit_row(world, queue):
    disable(queue, headcount())
    audited = len(world.audit())
    work_after(world, 179 * DAY)
    assert [row["state"] for row in world.deliveries()] == [2]
    work_after(world, DAY)
    assert world.deliveries() == []
    assert (audited, expiry_reasons(world)) == (4, [])


@pytest.mark.parametrize(("state", "rows"), [("WAITING", 1), ("FAILED", 0)])
def test_opt_outs_are_erased_after_30_days_in_any_state(world, state, rows):
    token = world.subscribe(number=None, types=[OPT_OUT]).token
    world.insert_delivery(token, state=state)
    work_after(world, 30 * DAY - HOUR)
    assert len(world.deliveries()) == 1
    work_after(world, HOUR)
    assert world.deliveries() == []
    assert expiry_reasons(world) == rows * ["Not delivered within 30 days"]
    assert world.subscription(token).queued == 0


def test_opt_outs_of_a_disabled_subscription_do_not_expire_after_7_days(world):
    world.insert_delivery(world.subscribe(number=None, types=[OPT_OUT]).token)
    change(world, subscription_store.disable)
    work_after(world, 20 * DAY)
    assert len(world.deliveries()) == 1


# --- the audit ---


def add_audit_rows(world, account, status, count=1):
    one = audit_store.AuditEntry(
        account, "1" * 24, "p", status, 200, "https://a.example.com", world.clock.seconds(), 1, None, None, 2
    )
    with world.database.write(account_scope(account)) as session:
        audit_store.add(session, count * [one])


def totals(world, account):
    with world.database.read() as session:
        return {
            status.name: tuple(total)
            for status, total in audit_store.read_totals(AccountSession(session, account), None).items()
        }


def test_audited_successes_are_deleted_after_90_days_and_failures_after_180(world):
    for status in Status:
        add_audit_rows(world, world.first, status)
    work_after(world, 90 * DAY - HOUR)
    add_audit_rows(world, world.first, Status.SUCCESS)
    assert len(world.audit()) == 4
    work_after(world, DAY)
    assert totals(world, world.first) == dict.fromkeys(("SUCCESS", "FAILED", "PERMANENT_FAILURE"), (1, 0, 2))
    work_after(world, 91 * DAY)
    assert (world.audit(), totals(world, world.first)) == ([], {})


def test_a_large_audit_of_many_accounts_is_deleted_in_parts(world, monkeypatch):
    monkeypatch.setattr(expiry, "_AUDIT_BATCH", 100)
    monkeypatch.setattr(expiry, "_MAX_ACCOUNTS", 2)
    accounts = [world.account(f"Account {n}") for n in range(5)]
    for account in accounts:
        add_audit_rows(world, account, Status.FAILED, 70)
    work_after(world, 180 * DAY)
    assert world.audit() == []
    assert [totals(world, account) for account in accounts] == 5 * [{}]


def test_totals_agree_with_the_rows_after_additions_and_deletions(world, queue):
    world.subscribe()
    world.subscribe(number=2)
    for _ in range(3):
        day = day_of(world.clock.seconds()).isoformat()
        queue.fan_out_signals(headcount(day=day), news(2, day))
        queue.deliver()
        work_after(world, 40 * DAY)
    rows = world.audit()
    assert 0 < len(rows) < 6
    assert totals(world, world.first) == {"SUCCESS": (len(rows), 0, sum(row["credits"] for row in rows))}
