import threading

import pytest

from firmograph.api.endpoint import Call
from firmograph.api.request import call_key
from firmograph.billing import idempotency_store
from firmograph.billing.idempotency import CachedResponse, Memo
from firmograph.caller import ApiKeyCaller, Request
from firmograph.database.connection import ACCOUNTS, AccountSession
from firmograph.kit.errors import Conflict
from firmograph.security.record_ids import Entity

PATH = "/v3/contacts/enrich"


class Kept(Memo, frozen=True):
    records: list[int | None]


CACHED = CachedResponse("request", 6, Kept([4, None, 2**53]))


def _keyed(account_id, key="key", body=b"{}", path=PATH, query=b""):
    caller = ApiKeyCaller(account_id, None, "names")
    return Request("request", caller, 0.0, call_key(path, key, query, body))


def _keep(world, account_id, cached=CACHED, **fields):
    with world.database.write(ACCOUNTS) as session:
        world.idempotency.keep(session, _keyed(account_id, **fields), cached)


def _find(world, account_id, **fields):
    with world.database.read() as session:
        return world.idempotency.find(session, _keyed(account_id, **fields), Kept)


def test_a_cached_answer_is_found_again_also_by_a_new_process(world):
    account = world.caller().account_id
    assert _find(world, account) is None
    _keep(world, account)
    world.reopen()
    assert _find(world, account) == CACHED


def test_the_same_key_with_another_body_is_a_conflict(world):
    account = world.caller().account_id
    _keep(world, account)
    with pytest.raises(Conflict, match="another query or body"):
        _find(world, account, body=b"[]")


def test_the_same_key_with_another_query_is_a_conflict(world):
    account = world.caller().account_id
    _keep(world, account, query=b"page=1")
    assert _find(world, account, query=b"page=1") == CACHED
    for query in (b"", b"page=2"):
        with pytest.raises(Conflict, match="another query or body"):
            _find(world, account, query=query)
    with pytest.raises(Conflict):
        _find(world, account, query=b"page=1", body=b"[]")


def test_a_key_belongs_to_one_account_and_path(world):
    first, second = world.caller("First").account_id, world.caller("Second").account_id
    _keep(world, first)
    assert _find(world, second) is None
    assert _find(world, first, path="/v3/companies/enrich") is None
    assert _find(world, first, key="KEY") is None


def test_a_key_belongs_to_one_method_and_real_path(world):
    caller = world.caller()

    def scope(method, path, **segments):
        asgi = {"method": method, "path_params": segments, "query_string": b"page=1"}
        key = Call("request", caller, None, b"", "key", path, 0.0, asgi).request.key
        assert key.digest == call_key(key.target, "key", b"page=1", b"").digest
        return key.target, key.key

    table = "/v3/tables/{id}"
    assert scope("GET", table, id="1") == scope("GET", table, id="1")
    assert len({scope("GET", table, id="1"), scope("GET", table, id="2"), scope("POST", table, id="1")}) == 3
    assert scope("POST", PATH) == (f"POST {PATH}", "key")


def test_a_key_expires_after_its_hours_and_may_be_used_again(world):
    account = world.caller().account_id
    _keep(world, account)
    world.clock.advance(24 * 3600 - 1)
    assert _find(world, account) == CACHED
    world.clock.advance(1)
    assert _find(world, account, body=b'"other"') is None
    _keep(world, account, body=b'"other"', cached=CachedResponse("second", 0, Kept([])))
    assert _find(world, account, body=b'"other"') == CachedResponse("second", 0, Kept([]))


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
                AccountSession(session, caller.account_id),
                caller.plan,
                "r",
                [(Entity.CONTACT, 1, "emails")],
                0.0,
            )
            world.idempotency.keep(session, _keyed(caller.account_id), CACHED)

    with pytest.raises(Conflict):
        charge_and_keep()
    assert world.balance(caller.account_id) == (5, 0, 0)


def test_a_key_whose_request_still_runs_is_a_conflict_in_any_thread(world):
    outcomes = []

    def again():
        try:
            with world.idempotency.running(_keyed(1)):
                outcomes.append("admitted")
        except Conflict as conflict:
            outcomes.append(conflict.status)

    with world.idempotency.running(_keyed(1)):
        thread = threading.Thread(target=again)
        thread.start()
        thread.join()
        with world.idempotency.running(_keyed(2)), world.idempotency.running(_keyed(1, "other")):
            pass
    again()
    assert outcomes == [409, "admitted"]


def test_a_request_that_failed_no_longer_runs(world):
    with pytest.raises(ZeroDivisionError), world.idempotency.running(_keyed(1)):
        raise ZeroDivisionError
    with world.idempotency.running(_keyed(1)):
        pass


def test_finding_and_storing_take_a_statement_each(world):
    account = world.caller().account_id
    session = world.database.session()
    before = session.statements
    _find(world, account)
    _keep(world, account)
    assert session.statements - before == 2
