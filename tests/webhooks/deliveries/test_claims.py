import json

import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, OK
from structlog.testing import capture_logs
from webhook_fixtures import COMPANY, CONTACT, headcount, move

from firmograph.database.connection import RECORDS, account_scope
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


# --- what may go, and in which order ---


def test_a_delivery_is_taken_with_all_that_sending_it_needs(world, queues):
    lane = world.subscribe(types=["headcountIncrease3m"])
    queues.tell(headcount())
    (attempt,) = queues.take()
    (row,) = world.deliveries()
    assert (attempt.claim.key, attempt.account_id, attempt.subscription) == (lane.id, world.first, lane.token)
    assert (attempt.delivery_id, attempt.payload_id, attempt.body) == (
        row["id"],
        row["payload_id"],
        row["body"],
    )
    assert (attempt.url, attempt.attempts) == (lane.url, 0)
    assert attempt.secret == world.secret(world.first)
    body = json.loads(attempt.body)
    assert (body["id"], body["subscriptionId"]) == (attempt.payload_id, lane.token)
    assert body["billing"] == {"creditsCharged": 1}


def test_deliveries_of_a_subscription_go_one_after_the_other_in_the_order_of_detection(world, queues):
    world.subscribe()
    queues.tell(*[headcount(day=day) for day in DAYS[::-1]])
    days = []
    while attempts := queues.take():
        assert len(attempts) == 1
        assert queues.take() == []
        assert queues.take(queue=queues.second) == []
        days.append(json.loads(attempts[0].body)["data"]["signalDate"])
        queues.record(attempts)
    assert days == DAYS[::-1]


def test_what_a_dead_worker_took_is_taken_by_another_once_its_lease_has_run_out(world, queues):
    world.subscribe()
    queues.tell(headcount())
    (lost,) = queues.take()
    world.clock.advance(LEASE_SECONDS - 0.1)
    assert queues.take(queue=queues.second) == []
    world.clock.advance(0.1)
    (again,) = queues.take(queue=queues.second)
    assert (again.payload_id, again.body, again.attempts) == (lost.payload_id, lost.body, 0)
    assert again.claim.fence == lost.claim.fence + 1
    assert queues.kinds(world.first) == ["hold"]


def test_a_worker_is_told_which_of_what_it_took_is_still_its_own_to_send(world, queues):
    for number in (1, 2, 3):
        world.subscribe(number=number)
    queues.tell(*[headcount(number) for number in (1, 2, 3)])
    taken = queues.take()
    assert queues.first.still_claimed(taken) == {each.delivery_id for each in taken}
    world.clock.advance(LEASE_SECONDS)
    queues.take(1, queue=queues.second)
    assert queues.first.still_claimed(taken) == set()
    assert queues.first.still_claimed([]) == set()


@pytest.mark.parametrize("how", ["subscription disabled", "blocked", "account disabled"])
def test_nothing_goes_to_what_is_disabled_and_it_goes_on_where_it_was(world, queues, how):
    lane = world.subscribe()
    queues.tell(headcount())
    if how == "account disabled":
        world.accounts.set_active("First", False)
    else:
        world.overwrite(
            world.subscription(lane.token)._replace(active=0, blocked_at=1.0 if how == "blocked" else None)
        )
    assert queues.take() == []
    world.accounts.set_active("First", True)
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(session, [lane.id], world.clock.seconds())
    assert len(queues.take()) == 1


def test_what_is_disabled_while_it_is_taken_is_let_go(world, queues, monkeypatch):
    lane = world.subscribe()
    queues.tell(headcount())
    candidates = claimable_store.find_claimable

    def then_disabled(session, most, now):
        found = candidates(session, most, now)
        queues.beside(lambda: world.overwrite(world.subscription(lane.token)._replace(active=0)))
        return found

    monkeypatch.setattr(claimable_store, "find_claimable", then_disabled)
    assert queues.take() == []
    assert world.subscription(lane.token).lease_until == 0


# --- bounds and fairness ---


def test_at_most_20_are_in_flight_to_one_origin_of_an_account_from_all_workers(world, queues):
    world.subscribe(number=1, url=OTHER)
    for number in (1, 2, 3):
        world.subscribe(world.second, number)
    queues.tell(*[headcount(number) for number in (1, 2, 3)])
    queues.lanes(25, "https://HOOKS.example.com:443/{}")
    first = queues.take(10)
    second = queues.take(queue=queues.second)
    of_origin = [each for each in first + second if each.account_id == world.first and each.url != OTHER]
    assert len(of_origin) == 20
    assert len(first + second) == 24
    queues.record(of_origin[:2])
    assert len(queues.take()) == 2


def test_a_worker_that_was_overtaken_gives_back_what_is_too_much(world, queues, monkeypatch):
    queues.lanes(25, "https://hooks.example.com/in")
    candidates = claimable_store.find_claimable

    def then_overtaken(session, most, now):
        found = candidates(session, most, now)
        monkeypatch.undo()
        others = {each.claim.key for each in queues.beside(lambda: queues.take(12, queue=queues.second))}
        # it had chosen others
        free = [each for each in queues.beside(world.subscriptions) if each.id not in others]
        return [found[0]._replace(subscription_id=each.id) for each in free]

    monkeypatch.setattr(claimable_store, "find_claimable", then_overtaken)
    assert len(queues.take()) == 8
    assert sum(each.lease_until > 0 for each in world.subscriptions()) == 20


def test_one_account_has_at_most_half_of_a_workers_slots_in_flight(world, queues):
    world.subscribe(world.second, 1)
    queues.tell(headcount())
    queues.lanes(claimable_store.MAX_PER_ACCOUNT + 5, "https://r{}.example.com/")
    taken = queues.take()
    assert sorted({each.account_id for each in taken}) == [world.first, world.second]
    assert len(taken) == claimable_store.MAX_PER_ACCOUNT + 1
    assert queues.take(queue=queues.second) == []


def test_accounts_take_turns_and_those_with_fewest_in_flight_come_first(world, queues):
    queues.lanes(8, "https://r{}.example.com/", world.first)
    assert len(queues.take(2)) == 2
    world.clock.advance(1)
    for number in (1, 2, 3, 4):
        world.subscribe(world.second, number)
    queues.tell(*[headcount(number) for number in (1, 2, 3, 4)])
    taken = [each.account_id for each in queues.take(4)]
    assert (taken.count(world.first), taken.count(world.second)) == (1, 3)


def test_a_part_of_a_workers_slots_is_kept_for_accounts_with_few_in_flight(world, queues, monkeypatch):
    monkeypatch.setattr(claimable_store, "FAIR_PER_ACCOUNT", 2)
    queues.lanes(9, "https://r{}.example.com/", world.first)
    free = claimable_store.RESERVED_SLOTS + 5
    assert len(queues.take(free)) == 5
    assert queues.take(claimable_store.RESERVED_SLOTS) == []
    queues.lanes(9, "https://s{}.example.com/", world.second, day=DAYS[0])
    taken = queues.take(claimable_store.RESERVED_SLOTS)
    assert [each.account_id for each in taken] == [world.second] * 2


def test_while_one_of_a_url_is_retrying_others_of_it_wait_without_using_attempts(world, queues):
    first, second = world.subscribe(number=1), world.subscribe(number=2)
    elsewhere = world.subscribe(number=3, url=OTHER)
    neighbour = world.subscribe(world.second, 1)
    queues.tell(headcount(1))
    failing = [each for each in queues.take() if each.subscription == first.token]
    queues.record(failing, FAILED)
    queues.tell(headcount(2), headcount(3))
    world.clock.advance(LEASE_SECONDS)
    assert sorted(tokens(queues.take())) == sorted([first.token, elsewhere.token, neighbour.token])
    assert world.subscription(second.token).attempts == 0
    world.clock.advance(LEASE_SECONDS)
    queues.deliver(OK)
    assert tokens(queues.take()) == [second.token]


def test_of_several_of_a_url_that_are_retrying_the_first_goes_alone(world, queues):
    first, second = world.subscribe(number=1), world.subscribe(number=2)
    queues.tell(headcount(1), headcount(2))
    queues.deliver(FAILED)
    world.clock.advance(2)
    assert tokens(queues.deliver(FAILED)) == [first.token]
    world.clock.advance(7)
    assert tokens(queues.deliver(OK)) == [first.token]
    assert tokens(queues.take()) == [second.token]


@pytest.mark.parametrize("change", [{"active": 0}, {"queued": 0}])
def test_one_that_will_not_be_retried_keeps_no_other_waiting(world, queues, change):
    stuck = world.subscribe(number=1)
    world.overwrite(world.subscription(stuck.token)._replace(attempts=2, **{"queued": 1, **change}))
    other = world.subscribe(number=2)
    queues.tell(headcount(2))
    assert tokens(queues.take()) == [other.token]


# --- what keeps a delivery from being made ---


def test_a_signal_that_has_gone_is_not_told_of(world, queues):
    world.subscribe()
    queues.tell(headcount(day=DAYS[0]), headcount(day=DAYS[1]))
    with world.database.write(RECORDS) as session:
        erasure_store.drop(session, [1])
    assert queues.take() == []
    assert queues.first.finish_cancelled() == 1
    (row,) = world.audit()
    assert (row["status"], row["status_code"]) == (Status.PERMANENT_FAILURE, None)
    assert row["error"] == "Cancelled: the signal or its record no longer exists"
    (attempt,) = queues.take()
    assert json.loads(attempt.body)["data"]["signalDate"] == DAYS[1]
    assert queues.kinds(world.first) == ["hold"]


OF_FIRST = webhook_secrets.c.account_id == 1
LOSSES = {
    "secret": (sa.delete(webhook_secrets).where(OF_FIRST), "secret"),
    "key of the secret": (sa.update(webhook_secrets).where(OF_FIRST).values(sealed=bytes(52)), "secret"),
    "plan": (sa.text("UPDATE accounts SET plan = 'older' WHERE id = 1"), "plan"),
}


@pytest.mark.parametrize(("loss", "missing"), LOSSES.values(), ids=LOSSES)
def test_what_an_operator_has_to_mend_keeps_only_its_own_account_waiting(world, queues, loss, missing):
    assert world.first == 1
    world.subscribe()
    world.subscribe(world.second)
    queues.tell(headcount())
    with world.database.write(account_scope(world.first)) as session:
        session.execute(loss)
    with capture_logs() as logs:
        assert [each.account_id for each in queues.take()] == [world.second]
    assert [(each["account"], each["missing"]) for each in logs] == [(world.first, missing)]
    assert world.subscription(world.subscriptions()[0].token).lease_until == 0
    assert queues.take() == []


def test_one_that_cannot_be_composed_keeps_no_other_waiting(world, queues):
    world.subscribe(number=1, entity=CONTACT)
    world.subscribe(number=1, entity=COMPANY, url=OTHER)
    queues.tell(move(), headcount())
    with world.database.write(RECORDS) as session:
        session.execute(sa.text("UPDATE signals SET event = :event WHERE entity = 1"), {"event": b"{}"})
    with capture_logs() as logs:
        assert [each.url for each in queues.take()] == [OTHER]
    assert [each["log_level"] for each in logs] == ["error"]
    assert queues.kinds(world.first) == ["hold"]


def test_one_that_cannot_be_sent_again_keeps_no_other_to_its_url_waiting(world, queues):
    opt_outs = world.subscribe(number=None)
    other = world.subscribe(number=1)
    queues.opt_out(opt_outs.token, b"{}")
    queues.deliver(FAILED)
    queues.tell(headcount())
    with world.database.write(None) as session:
        session.execute(sa.text("UPDATE deliveries SET body = :body WHERE held = 0"), {"body": b"damaged"})
    assert queues.take() == []
    world.clock.advance(2)
    with capture_logs():
        assert queues.take() == []
    assert tokens(queues.take()) == [other.token]


def test_opt_outs_are_opened_when_they_are_sent_and_cost_nothing(world, queues):
    payload_id = queues.opt_out(world.subscribe(number=None).token, b'{"fullName":"Ann Example"}')
    (attempt,) = queues.take()
    assert (attempt.payload_id, attempt.body) == (payload_id, b'{"fullName":"Ann Example"}')
    (row,) = world.deliveries()
    assert b"Ann" not in row["body"]
    queues.record([attempt], OK)
    (audited,) = world.audit()
    assert (audited["acknowledgement"], audited["credits"]) == (None, 0)
    assert queues.kinds(world.first) == []


def test_a_body_that_was_erased_is_composed_anew_and_kept(world, queues):
    world.subscribe()
    queues.tell(headcount())
    queues.deliver(FAILED)
    with world.database.write(account_scope(world.first)) as session:
        session.execute(sa.text("UPDATE deliveries SET body = NULL"))
    world.clock.advance(2)
    (attempt,) = queues.take()
    (row,) = world.deliveries()
    assert row["body"] == attempt.body
    assert queues.kinds(world.first) == ["hold"]


def test_taking_asks_the_database_as_often_for_many_as_for_few(world, queues):
    queues.lanes(30, "https://r{}.example.com/")
    counts = []
    for most in (1, 20):
        before = world.database.session().statements
        attempts = queues.take(most)
        queues.record(attempts)
        counts.append(world.database.session().statements - before)
    assert counts[0] == counts[1]


def test_looking_for_something_to_do_writes_nothing(world, queues, monkeypatch):
    world.subscribe()
    monkeypatch.setattr(world.database, "write", None)
    assert queues.take() == []
    assert queues.first.record([]) == []
    assert queues.first.finish_cancelled() == 0
    queues.first.give_back([])
