import threading

import pytest

from firmograph.billing import idempotency_store
from firmograph.billing.idempotency import CachedResponse
from firmograph.database.connection import ACCOUNTS
from firmograph.kit.errors import Conflict
from firmograph.security.record_ids import Entity

PATH = "/v3/contacts/enrich"
CACHED = CachedResponse("request", 6, 2, [4, None, 2**53])


def _keep(world, account_id, key="key", body=b"{}", cached=CACHED, path=PATH):
    with world.database.write(ACCOUNTS) as session:
        world.idempotency.keep(session, account_id, path, key, body, cached)


def _find(world, account_id, key="key", body=b"{}", path=PATH):
    with world.database.read() as session:
        return world.idempotency.find(session, account_id, path, key, body)


def test_a_cached_answer_is_found_again_also_by_a_new_process(world):
    account = world.caller().account_id
    assert _find(world, account) is None
    _keep(world, account)
    world.reopen()
    assert _find(world, account) == CACHED


def test_the_same_key_with_another_body_is_a_conflict(world):
    account = world.caller().account_id
    _keep(world, account)
    with pytest.raises(Conflict, match="another body"):
        _find(world, account, body=b"{ }")


def test_a_key_belongs_to_one_account_and_path(world):
    first, second = world.caller("First").account_id, world.caller("Second").account_id
    _keep(world, first)
    assert _find(world, second) is None
    assert _find(world, first, path="/v3/companies/enrich") is None
    assert _find(world, first, key="KEY") is None


def test_a_key_expires_after_its_hours_and_may_be_used_again(world):
    account = world.caller().account_id
    _keep(world, account)
    world.clock.advance(24 * 3600 - 1)
    assert _find(world, account) == CACHED
    world.clock.advance(1)
    assert _find(world, account, body=b"other") is None
    _keep(world, account, body=b"other", cached=CachedResponse("second", 0, 0, []))
    assert _find(world, account, body=b"other") == CachedResponse("second", 0, 0, [])


def test_expired_keys_can_be_deleted_a_part_at_a_time(world):
    account = world.caller().account_id
    for number in range(5):
        _keep(world, account, key=str(number))
    world.clock.advance(24 * 3600)
    _keep(world, account, key="new")
    with world.database.write(ACCOUNTS) as session:
        assert [
            idempotency_store.delete_expired_keys(session, world.clock.seconds(), 3) for _ in range(3)
        ] == [
            3,
            2,
            0,
        ]
    assert _find(world, account, key="new") == CACHED


def test_a_key_that_another_process_stored_first_undoes_the_charge(world):
    caller = world.caller(credits=5)
    _keep(world, caller.account_id)

    def charge_and_keep():
        with world.database.write(ACCOUNTS) as session:
            world.purchases.pay(
                session, caller.account_id, caller.plan, "r", [(Entity.CONTACT, 1, "emails")], 0.0
            )
            world.idempotency.keep(session, caller.account_id, PATH, "key", b"{}", CACHED)

    with pytest.raises(Conflict):
        charge_and_keep()
    assert world.balance(caller.account_id) == (5, 0, 0)


def test_a_key_whose_request_still_runs_is_a_conflict_in_any_thread(world):
    outcomes = []

    def again():
        try:
            with world.idempotency.running(1, PATH, "key"):
                outcomes.append("admitted")
        except Conflict as conflict:
            outcomes.append(conflict.status)

    with world.idempotency.running(1, PATH, "key"):
        thread = threading.Thread(target=again)
        thread.start()
        thread.join()
        with world.idempotency.running(2, PATH, "key"), world.idempotency.running(1, PATH, "other"):
            pass
    again()
    assert outcomes == [409, "admitted"]


def test_a_request_that_failed_no_longer_runs(world):
    with pytest.raises(ZeroDivisionError), world.idempotency.running(1, PATH, "key"):
        raise ZeroDivisionError
    with world.idempotency.running(1, PATH, "key"):
        pass


def test_finding_and_storing_take_a_statement_each(world):
    account = world.caller().account_id
    session = world.database.session()
    before = session.statements
    _find(world, account)
    _keep(world, account)
    assert session.statements - before == 2
