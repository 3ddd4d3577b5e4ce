"""Creation of deliveries from new signals."""

import threading
from collections import Counter
from datetime import date, timedelta
from itertools import pairwise

import msgspec
import pytest
import sqlalchemy as sa
from subscription_calls import SubscriptionCalls
from webhook_fixtures import COMPANY, CONTACT, TODAY, World, headcount, move, news

import database_fixtures
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import RECORDS, AccountSession, Database, account_scope
from firmograph.signals import erasure_store
from firmograph.signals import store as signal_store
from firmograph.webhooks.deliveries import fan_out as fanout
from firmograph.webhooks.deliveries import fan_out_store
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.shapes import CreateSubscriptions
from record_factory import DIGESTS
from server_fixtures import eventually

DAYS = 30


def fan_out(world: World, database: Database | None = None, **plans: str) -> FanOut:
    return FanOut(database or world.database, world.clock, load_plans(**plans), DIGESTS, DAYS)


def fan_out_all(world: World, most: int = 1000) -> list[tuple[str, int]]:
    """Fan out all signals; return the subscription and the signal of each stored delivery."""
    each = fan_out(world)
    while each.step(most):
        pass
    tokens = {one.id: one.token for one in world.subscriptions()}
    return [(tokens[row["subscription_id"]], row["signal_id"]) for row in world.deliveries()]


def test_subscriptions_to_the_record_and_the_type_get_a_delivery(world):
    everything = world.subscribe(number=1)
    partnerships = world.subscribe(world.second, 1, ["riskNews", "commercialActivityNews"])
    person = world.subscribe(number=1, types=["companyChange"], entity=CONTACT)
    world.subscribe(world.second, 1, ["promotion"], entity=CONTACT)
    world.subscribe(number=2)
    world.subscribe(number=None)
    world.detect(headcount(1), news(1), move(1), headcount(3))
    assert fan_out_all(world) == [
        (everything.token, 1),
        (everything.token, 2),
        (partnerships.token, 2),
        (person.token, 3),
    ]
    assert {one.token: one.queued for one in world.subscriptions() if one.queued} == {
        everything.token: 2,
        partnerships.token: 1,
        person.token: 1,
    }


def test_a_new_delivery_has_neither_hold_nor_body(world):
    subscription = world.subscribe()
    world.detect(headcount())
    fan_out_all(world)
    (delivery,) = world.deliveries()
    assert (delivery["account_id"], delivery["state"], delivery["made_at"]) == (
        subscription.account_id,
        1,
        world.clock.seconds(),
    )
    assert bytes(delivery["identity"]) == headcount().identity(DIGESTS)
    assert {delivery[name] for name in ("held", "body", "withheld_at", "failed_at", "reason")} == {None}


def test_signals_before_a_subscription_are_not_delivered(world):
    early = world.subscribe(world.first)
    world.detect(headcount(1))
    late = world.subscribe(world.second)
    world.detect(news(1))
    assert fan_out_all(world) == [(early.token, 1), (early.token, 2), (late.token, 2)]


def test_quiet_signals_are_not_delivered(world):
    world.subscribe()
    world.detect(headcount(), quiet=True)
    world.detect(news())
    assert [signal for _, signal in fan_out_all(world)] == [2]


def test_signals_that_are_old_at_detection_are_not_delivered(world):
    world.subscribe()
    day = date.fromisoformat(TODAY)
    world.detect(*[headcount(day=(day - timedelta(days)).isoformat()) for days in (0, DAYS, DAYS + 1)])
    assert [signal for _, signal in fan_out_all(world)] == [1, 2]


def test_the_age_of_a_signal_is_measured_at_detection_and_not_at_fan_out(world):
    world.subscribe()
    world.detect(headcount())
    world.clock.advance(86_400 * 3 * DAYS)
    assert len(fan_out_all(world)) == 1


def test_a_blocked_subscription_queues_deliveries_and_a_disabled_one_does_not(world):
    blocked, disabled = world.subscribe(number=1), world.subscribe(number=2)
    world.overwrite(blocked._replace(active=0, block_reason="Max retries exceeded", blocked_at=1.0))
    world.overwrite(disabled._replace(active=0))
    world.detect(headcount(1), headcount(2))
    assert fan_out_all(world) == [(blocked.token, 1)]


def test_accounts_disabled_or_without_signals_in_their_plan_get_no_deliveries(world, tmp_path):
    (tmp_path / "plans.toml").write_text("[plans.pro.features]\nsignals = false\n")
    lacking = world.account("Lacking", plan="pro")
    world.subscribe(world.first)
    world.subscribe(lacking)
    served = world.subscribe(world.second)
    world.accounts.set_active("First", False)
    world.detect(headcount())
    fan_out(world, override=str(tmp_path / "plans.toml")).step()
    assert [row["subscription_id"] for row in world.deliveries()] == [served.id]


def test_nothing_is_delivered_twice_in_steps_of_any_size(world):
    watching = [
        world.subscribe(account, number) for account in (world.first, world.second) for number in (1, 2)
    ]
    world.detect(*[headcount(number, f"2026-09-{day:02}") for day in range(1, 11) for number in (1, 2)])
    expected = [
        (one.token, signal) for signal in range(1, 21) for one in watching if signal % 2 == one.entity_id % 2
    ]
    assert fan_out_all(world, most=3) == expected
    assert fan_out_all(world) == expected
    assert {one.queued for one in world.subscriptions()} == {10}


@pytest.mark.parametrize("most", [1, 3])
def test_a_step_creates_a_bounded_number_of_deliveries_except_for_a_single_signal(world, monkeypatch, most):
    monkeypatch.setattr(fanout, "_MAX_DELIVERIES", most)
    for account in (world.first, world.second):
        world.subscribe(account, 1)
    world.detect(*[headcount(1, f"2026-09-{day:02}") for day in range(1, 11)])
    each, counts = fan_out(world), [0]
    while each.step():
        counts.append(len(world.deliveries()))
    assert max(after - before for before, after in pairwise(counts)) == 2
    assert counts[-1] == 20


def test_signals_without_subscriptions_are_skipped_at_once(world):
    world.detect(*[headcount(number, f"2026-09-{day:02}") for day in range(1, 11) for number in range(1, 6)])
    each = fan_out(world)
    assert each.step(limit=1) == 50
    assert each.step() == 0
    # the first start skips signals before the first subscription too
    with world.database.write() as session:
        session.execute(fan_out_store.fanout_positions.delete())
    world.subscribe()
    world.detect(news())
    each.step(limit=1)
    assert len(world.deliveries()) == 1


def test_the_number_of_statements_of_a_step_does_not_depend_on_its_signals(world):
    for number in range(1, 6):
        world.subscribe(number=number)
    each, session = fan_out(world), world.database.session()

    def statements(*detected) -> int:
        world.detect(*detected)
        before = session.statements
        assert each.step() == len(detected)
        return session.statements - before

    few = statements(headcount(1))
    assert statements(*[headcount(1 + n % 5, f"2026-09-{1 + n // 5:02}") for n in range(100)]) == few
    before = session.statements
    assert each.step() == 0
    assert session.statements - before == 2


def test_a_failed_step_is_rolled_back(world, monkeypatch):
    world.subscribe()
    world.detect(headcount(), news())
    with monkeypatch.context() as patch:
        patch.setattr(fan_out_store, "save_position", _fail)
        with pytest.raises(RuntimeError, match="crash"):
            fan_out(world).step()
    assert world.deliveries() == []
    assert world.subscriptions()[0].queued == 0
    assert len(fan_out_all(world)) == 2


def test_a_delivery_created_again_from_a_restored_backup_has_the_same_payload_id(world, tmp_path):
    world.subscribe()
    world.detect(headcount())
    world.database.close()
    restored = database_fixtures.copy(world.url, tmp_path, "restored")
    fan_out_all(world)
    database = Database(restored)
    fan_out(world, database).step()
    statement = fan_out_store.deliveries.select()
    with database.read() as session:
        ids = [row[1] for row in session.all(statement)]
    database.close()
    assert ids == [row["payload_id"] for row in world.deliveries()]
    database_fixtures.drop(restored)


def test_a_signal_detected_again_while_its_delivery_waits_gets_no_second_one(world):
    world.subscribe()
    world.detect(headcount())
    first = fan_out_all(world)
    with world.database.write(RECORDS) as session:
        erasure_store.delete_signals(session, [1])
    world.detect(headcount())
    assert fan_out_all(world) == first
    assert world.subscriptions()[0].queued == 1


@pytest.mark.postgresql  # the embedded database has one writer
@pytest.mark.parametrize("change", ["deleted", "disabled"])
def test_a_subscription_deleted_or_disabled_during_a_step_gets_no_delivery(world, monkeypatch, change):
    """Change the subscription by another connection after the step has found the subscriptions."""
    changed, unchanged = world.subscribe(world.first), world.subscribe(world.second)
    world.detect(headcount())
    find_watchers = fan_out_store.find_watchers
    other = Database(world.url)

    def slowly(session, numbers):
        found = find_watchers(session, numbers)
        with other.write(account_scope(world.first)) as other_session:
            (subscription_store.delete if change == "deleted" else _disable)(
                AccountSession(other_session, world.first), [changed.id]
            )
        return found

    monkeypatch.setattr(fan_out_store, "find_watchers", slowly)
    assert fan_out(world).step() == 1
    other.close()
    assert [row["subscription_id"] for row in world.deliveries()] == [unchanged.id]


@pytest.mark.postgresql  # the embedded database has one writer
def test_concurrent_steps_of_two_workers_create_each_delivery_once(long_lock_timeout, world, monkeypatch):
    world.subscribe()
    world.detect(headcount(), news())
    after, threads, failures = signal_store.signals_after, [], []

    def second():
        try:
            fan_out(world, Database(world.url)).step()
        except BaseException as error:
            failures.append(error)

    def slowly(session, *given):
        if not threads:
            threads.append(threading.Thread(target=second))
            threads[0].start()
            wait_until_blocked(world, threads[0])
        return after(session, *given)

    monkeypatch.setattr(signal_store, "signals_after", slowly)
    fan_out(world).step()
    threads[0].join()
    assert failures == []
    assert [row["signal_id"] for row in world.deliveries()] == [1, 2]
    assert world.subscriptions()[0].queued == 2


def test_two_workers_create_each_delivery_once_during_detection_and_changes(long_lock_timeout, world):
    unchanged = [world.subscribe(account, n) for account in (world.first, world.second) for n in (1, 2, 3)]
    toggled, deleted = world.subscribe(number=4), world.subscribe(number=5)
    done, failures = threading.Event(), []

    def work():
        database = Database(world.url)
        try:
            each = fan_out(world, database)
            while each.step(7) or not done.is_set():
                pass
        except BaseException as error:
            failures.append(error)
        finally:
            database.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        for day in range(1, 21):
            world.detect(*[headcount(number, f"2026-09-{day:02}") for number in range(1, 6)])
            with world.database.write(account_scope(world.first)) as session:
                (_disable if day % 2 else _enable)(AccountSession(session, world.first), [toggled.id])
                if day == 10:
                    subscription_store.delete(AccountSession(session, world.first), [deleted.id])
    finally:
        done.set()
        for worker in workers:
            worker.join()
    while fan_out(world).step():
        pass
    assert failures == []
    rows = Counter(row["subscription_id"] for row in world.deliveries())
    assert len({(row["subscription_id"], row["signal_id"]) for row in world.deliveries()}) == rows.total()
    assert [rows[one.id] for one in unchanged] == [20] * 6
    assert {one.id: one.queued for one in world.subscriptions()} == {
        one.id: rows[one.id] for one in [*unchanged, toggled]
    }


@pytest.mark.postgresql  # the embedded database has one writer
def test_a_subscription_gets_signals_detected_during_its_creation(long_lock_timeout, world, monkeypatch):
    """Detect and fan out a signal after the subscription read the last signal and before it is committed."""
    add, other = subscription_store.add, Database(world.url)
    threads = []

    def slowly(session, new):
        with other.write(RECORDS) as other_session:
            signal_store.store_signals(other_session, DIGESTS, [headcount()], world.clock.seconds())
        threads.append(threading.Thread(target=fan_out(world, Database(world.url)).step))
        threads[0].start()
        wait_until_blocked(world, threads[0])
        add(session, new)

    monkeypatch.setattr(subscription_store, "add", slowly)
    item = {
        "entityId": world.tokens.seal(COMPANY, 1),
        "entityType": "company",
        "signalTypes": ["allSignals"],
    }
    body = {"defaults": {"url": "https://hooks.example.com/"}, "subscriptions": [item]}
    calls = SubscriptionCalls(world)
    calls.create(world.first, msgspec.convert(body, CreateSubscriptions), world.clock.seconds())
    threads[0].join()
    other.close()
    assert len(fan_out_all(world)) == 1


_WAITING = sa.text(
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def wait_until_blocked(world, thread):
    """Wait until the thread waits for this test's lock, or has ended, which it should not yet."""
    other = Database(world.url)
    eventually(
        lambda: other.session().all(_WAITING) or not thread.is_alive(), "the thread neither waits nor ends"
    )
    other.close()


def _fail(*args: object) -> None:
    raise RuntimeError("crash")


def _disable(session, ids):
    subscription_store.disable(session, ids, 0.0)


def _enable(session, ids):
    subscription_store.reactivate(session, ids, 0.0)
