"""Stored subscriptions."""

import pytest
from webhook_fixtures import CONTACT, headcount

from firmograph.database.connection import AccountSession, account_scope
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.store import SubscriptionChange


def test_a_new_subscription_is_active_and_starts_after_the_last_signal(world):
    world.detect(headcount())
    new = world.subscribe(number=2, url="https://a.example.com:8443/x")
    assert (
        new.active,
        new.queued,
        new.attempts,
        new.needs,
        new.fence,
    ) == (1, 0, 0, 0, 0)
    assert new.after_signal == 1
    assert new.due_at == new.created_at == new.updated_at == world.clock.seconds()


def test_an_account_cannot_reach_subscriptions_of_another(world):
    theirs = world.subscribe(world.second)
    with world.database.write(account_scope(world.first)) as session:
        own = AccountSession(session, world.first)
        assert subscription_store.find(own, theirs.token) is None
        assert subscription_store.lock(own, [theirs.token]) == []
        assert subscription_store.read_page(own, 10, 0) == []
        assert subscription_store.count(own) == 0
        assert subscription_store.find_subscribed(own, theirs.entity, [1]) == set()
        assert subscription_store.find(AccountSession(session, world.second), theirs.token) == theirs


@pytest.mark.parametrize(
    "change",
    [
        lambda own, one: subscription_store.change(
            own,
            one.id,
            SubscriptionChange("promotion", "x", "https://x.example.com/", "https://x.example.com", 1.0),
        ),
        lambda own, one: subscription_store.reactivate(own, [one.id], 5.0),
        lambda own, one: subscription_store.reset_retries(own, [one.id], 5.0),
        lambda own, one: subscription_store.disable(own, [one.id], 5.0),
        lambda own, one: subscription_store.delete(own, [one.id]),
    ],
    ids=["changed", "reactivated", "reset", "disabled", "deleted"],
)
def test_a_subscription_cannot_be_changed_by_another_account(world, change):
    theirs = world.subscribe(world.second)
    with world.database.write(account_scope(world.first)) as session:
        change(AccountSession(session, world.first), theirs)
    assert world.subscription(theirs.token) == theirs
    with world.database.write(account_scope(world.second)) as session:
        change(AccountSession(session, world.second), theirs)
    assert theirs not in world.subscriptions()


def test_a_company_and_a_contact_of_one_number_have_separate_subscriptions(world):
    company = world.subscribe(number=1)
    world.subscribe(number=1, entity=CONTACT)
    with world.database.read() as session:
        own = AccountSession(session, world.first)
        assert subscription_store.find_subscribed(own, company.entity, [1, 2]) == {1}
        assert subscription_store.count(own) == 2


def test_reactivation_resets_all_failures(world):
    new = world.subscribe()
    blocked = new._replace(active=0, block_reason="Max retries exceeded", blocked_at=5.0)
    world.overwrite(blocked._replace(attempts=2, needs=7, due_at=9e9))
    world.clock.advance(60)
    now = world.clock.seconds()
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(AccountSession(session, world.first), [new.id], now)
    assert world.subscription(new.token) == new._replace(updated_at=now, due_at=now)
