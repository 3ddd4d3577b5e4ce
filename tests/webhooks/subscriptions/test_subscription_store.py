"""Subscriptions as they are held."""

from webhook_fixtures import CONTACT, headcount

from firmograph.database.connection import account_scope
from firmograph.webhooks.subscriptions import store as subscription_store


def test_a_new_one_is_active_and_waits_for_nothing_but_signals_after_it(world):
    world.detect(headcount())
    made = world.subscribe(number=2, url="https://a.example.com:8443/x")
    assert (made.active, made.queued, made.attempts, made.needs, made.fence) == (1, 0, 0, 0, 0)
    assert made.after_signal == 1
    assert made.due_at == made.created_at == made.updated_at == world.clock.seconds()


def test_nobody_comes_by_anothers(world):
    theirs = world.subscribe(world.second)
    with world.database.write(account_scope(world.first)) as session:
        assert subscription_store.find(session, world.first, theirs.token) is None
        assert subscription_store.lock(session, world.first, [theirs.token]) == []
        assert subscription_store.read_page(session, world.first, 10, 0) == []
        assert subscription_store.count(session, world.first) == 0
        assert subscription_store.find_subscribed(session, world.first, theirs.entity, [1]) == set()
        assert subscription_store.find(session, world.second, theirs.token) == theirs


def test_records_of_both_kinds_have_subscriptions_of_their_own(world):
    company = world.subscribe(number=1)
    world.subscribe(number=1, entity=CONTACT)
    with world.database.read() as session:
        assert subscription_store.find_subscribed(session, world.first, company.entity, [1, 2]) == {1}
        assert subscription_store.count(session, world.first) == 2


def test_what_was_blocked_is_revived_as_if_it_had_never_failed(world):
    made = world.subscribe()
    blocked = made._replace(active=0, block_reason="Max retries exceeded", blocked_at=5.0)
    world.overwrite(blocked._replace(attempts=2, needs=7, due_at=9e9))
    world.clock.advance(60)
    now = world.clock.seconds()
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(session, [made.id], now)
    assert world.subscription(made.token) == made._replace(updated_at=now, due_at=now)
