"""Counts of requests by key and operation, and the last use of keys."""

import pytest

from firmograph.accounts.request_counts import KEPT_DAYS, RequestCounts, delete_old_counts
from firmograph.database.connection import COUNTERS
from firmograph.kit.clock import day_number
from firmograph.kit.errors import Busy


@pytest.fixture
def counts(world):
    return RequestCounts(world.database, world.clock)


@pytest.fixture
def caller(world):
    world.accounts.create("Acme")
    return world.gate.admit(world.accounts.create_key("Acme").api_key, None).caller


def saved(world):
    rows = world.database.session().raw.execute(
        "SELECT actor, operation, requests, errors FROM usage_days ORDER BY day, operation"
    )
    return [tuple(row) for row in rows]


def test_requests_and_errors_are_added_up_by_key_and_operation(world, counts, caller):
    for operation, is_error in [("a", False), ("a", True), ("b", False)]:
        counts.count(caller, operation, is_error)
    assert saved(world) == []
    counts.save()
    counts.count(caller, "a", is_error=False)
    counts.save()
    key = caller.spender.actor
    assert saved(world) == [(key, "a", 3, 1), (key, "b", 1, 0)]


def test_a_request_counts_on_the_day_on_which_it_was_made(world, counts, caller):
    counts.count(caller, "a", is_error=False)
    world.clock.advance(86_400)
    counts.count(caller, "a", is_error=False)
    counts.save()
    assert [row[2] for row in saved(world)] == [1, 1]


def test_the_last_use_of_a_key_is_saved_with_the_counts_and_never_goes_back(world, counts, caller):
    late, other = world.clock.seconds() + 60, RequestCounts(world.database, world.clock)
    other.count(caller, "a", is_error=False)
    world.clock.advance(60)
    counts.count(caller, "a", is_error=True)
    assert world.accounts.keys("Acme")[0].last_used_at is None
    counts.save()
    other.save()
    assert world.accounts.keys("Acme")[0].last_used_at == late


def test_counts_that_could_not_be_saved_are_saved_later(world, counts, caller, monkeypatch):
    counts.count(caller, "a", is_error=False)

    def busy(*scopes):
        raise Busy

    with monkeypatch.context() as patched:
        patched.setattr(world.database, "write", busy)
        with pytest.raises(Busy):
            counts.save()
    counts.count(caller, "a", is_error=True)
    counts.save()
    assert saved(world) == [(caller.spender.actor, "a", 2, 1)]


def test_counts_of_an_account_that_a_restore_took_away_do_not_prevent_those_of_others(world, counts, caller):
    gone = type(caller)(caller.account_id + 1, caller.plan, "names", caller.spender)
    for each in (gone, caller):
        counts.count(each, "a", is_error=False)
    counts.save()
    assert len(saved(world)) == 1


def test_counts_are_deleted_after_400_days(world, counts, caller):
    counts.count(caller, "a", is_error=False)
    counts.save()
    last = (day_number(world.clock.seconds()) + KEPT_DAYS) * 86_400.0
    for now, left in ((last, 1), (last + 86_400, 0)):
        with world.database.write(COUNTERS) as session:
            delete_old_counts(session, now, 10)
        assert len(saved(world)) == left


def test_a_server_counts_answers_and_refusals_whose_key_it_knows(service):
    service.get("/v3/account/usage")
    service.post("/v3/contacts/search", {"wrong": 1})
    service.get("/v3/account/usage", key="fg_unknown")
    installation = service.installation
    installation.get(RequestCounts).save()
    rows = installation.database.session().raw.execute(
        "SELECT operation, requests, errors FROM usage_days ORDER BY operation"
    )
    assert [tuple(row) for row in rows] == [("get_account_usage", 1, 0), ("search_contacts", 1, 1)]
