"""The charged call, with a feature made for the tests."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import msgspec
import pytest
from litestar.testing import TestClient
from msgspec import Meta

from firmograph.api.application import Application
from firmograph.api.dispatch import Dispatcher
from firmograph.api.endpoint import Call, Deferred, endpoint
from firmograph.api.envelope import render_answer
from firmograph.api.metrics import Metrics
from firmograph.api.thread_pool import RequestThreads
from firmograph.billing import exposure_store
from firmograph.billing.charged_call import MOST_PREPARATIONS, Outdated, PricedContent
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.tables import idempotency_keys
from firmograph.caller import ApiKeyCaller
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.errors import Busy, Conflict, PaymentRequired

EMAIL, PHONE = (1, 1, "emails"), (1, 1, "phones")


class Work(NamedTuple):
    """Feature that shows what it is given, and on a replay its memo."""

    units: tuple = ()
    quantities: Mapping[str, int] = {}
    content: Any = "content"
    memo: tuple = ("memo",)
    prepared: Callable[[], Any] = lambda: None
    effect: Callable[[Any], None] = lambda session: None

    def prepare(self):
        return self.prepared()

    def compute(self, session, prepared):
        self.effect(session)
        return PricedContent(self.content, self.memo, self.units, self.quantities)

    def replay(self, session, prepared, memo):
        return memo

    def render(self, session, content, request_id, credits):
        return msgspec.json.encode([request_id, credits, content])


def call_of(caller, request_id="request", key=None, body=b"{}", method="POST", query=b"", **segments):
    path = "/v3/tables/{id}" if segments else "/v3/tables"
    scope = {"method": method, "path_params": segments, "query_string": query}
    return Call(request_id, caller, None, body, key, path, 1.0, scope)


def shown(response):
    return msgspec.json.decode(response.body)


def test_units_are_paid_once_and_quantities_each_time(world):
    caller = world.caller(credits=20)
    work = Work((EMAIL, PHONE), {"lookalikeCompany": 6})
    first, second = (world.charged_calls.run(call_of(caller, f"r{n}"), work) for n in (1, 2))
    assert (first.credits, second.credits) == (8, 2)
    assert shown(first) == ["r1", 8, "content"]
    assert world.balance(caller.account_id) == (20, 10, 0)


def test_a_quantity_that_the_plan_does_not_price_leaves_no_trace(world):
    caller = world.caller(credits=1)
    assert world.charged_calls.run(call_of(caller), Work(quantities={"companySearch": 9})).credits == 0
    assert [entry.kind for entry in world.entries(caller.account_id)] == ["grant"]


def test_too_few_credits_undo_all_effects_of_the_call(world):
    caller = world.caller(credits=5)
    exposure = Exposure(caller.account_id, 1, "partner", "emails", 0.0)
    work = Work(
        (EMAIL, PHONE),
        effect=lambda session: exposure_store.add(AccountSession(session, caller.account_id), [exposure]),
    )
    with pytest.raises(PaymentRequired):
        world.charged_calls.run(call_of(caller, key="k"), work)
    assert world.balance(caller.account_id) == (5, 0, 0)
    with world.database.read() as session:
        assert exposure_store.find(session, [1]) == []
        assert session.all(idempotency_keys.select()) == []


def test_preparation_holds_no_transaction(world):
    caller = world.caller(credits=5)

    def write_alone():
        with world.database.write(account_scope(caller.account_id)) as session:
            return session.statements

    for _ in range(2):
        world.charged_calls.run(call_of(caller, key="k"), Work(prepared=write_alone))


class Overtaken(NamedTuple):
    """Feature whose first preparations are outdated by the time they are used."""

    times: int
    prepared: list
    effect: Callable[[Any], None]

    def prepare(self):
        self.prepared.append(len(self.prepared))
        return self.prepared[-1]

    def compute(self, session, prepared):
        self.effect(session)
        if prepared < self.times:
            raise Outdated
        return PricedContent(prepared, ("memo",), (EMAIL,))

    def replay(self, session, prepared, memo):
        return prepared

    def render(self, session, content, request_id, credits):
        return msgspec.json.encode(content)


def _exposing(caller):
    """Return an effect that notes an exposure."""
    exposure = Exposure(caller.account_id, 1, "partner", "emails", 0.0)

    def effect(session):
        exposure_store.add(AccountSession(session, caller.account_id), [exposure])

    return effect


def test_a_call_whose_preparation_is_outdated_is_prepared_again(world):
    caller = world.caller(credits=5)
    work = Overtaken(2, [], _exposing(caller))
    assert world.charged_calls.run(call_of(caller, key="k"), work).body == b"2"
    assert work.prepared == [0, 1, 2]
    assert world.balance(caller.account_id) == (5, 1, 0)
    # a replay needs no preparation that fits
    assert world.charged_calls.run(call_of(caller, key="k"), Overtaken(9, [], work.effect)).body == b"0"


def test_a_call_that_is_outdated_again_and_again_is_busy_and_changes_nothing(world):
    caller = world.caller(credits=5)
    work = Overtaken(99, [], _exposing(caller))
    with pytest.raises(Busy):
        world.charged_calls.run(call_of(caller, key="k"), work)
    assert len(work.prepared) == MOST_PREPARATIONS
    assert world.balance(caller.account_id) == (5, 0, 0)
    with world.database.read() as session:
        assert exposure_store.find(session, [1]) == []
        assert session.all(idempotency_keys.select()) == []


def test_a_replay_gets_its_memo_and_charges_nothing(world):
    caller = world.caller(credits=5)
    memo = (1, [2, None, 2**53], {"rows": ["a"]})
    first = world.charged_calls.run(call_of(caller, "first", "k"), Work((EMAIL,), memo=memo))
    world.reopen()
    again = world.charged_calls.run(call_of(caller, "second", "k"), Work((EMAIL, PHONE)))
    assert (first.credits, again.credits) == (1, 0)
    assert shown(again) == ["first", 1, list(memo)]


def test_an_answer_kept_by_a_former_release_is_replayed(world):
    caller = world.caller()
    call = call_of(caller, key="k", body=b'{"ids":["x"]}')
    world.charged_calls.run(call, Work())
    update = idempotency_keys.update().values(kept=b'["former",3,1,[4,null],7]')
    with world.database.write(None) as session:
        session.execute(update)
    assert shown(world.charged_calls.run(call, Work())) == ["former", 3, [1, [4, None], 7]]


def test_another_query_or_body_under_a_key_is_a_conflict(world):
    caller = world.caller(credits=5)
    world.charged_calls.run(call_of(caller, key="k", query=b"page=1"), Work((EMAIL,)))
    for other in ({"query": b"page=2"}, {"query": b""}, {"query": b"page=1", "body": b"[]"}):
        with pytest.raises(Conflict):
            world.charged_calls.run(call_of(caller, key="k", **other), Work((PHONE,)))
    assert world.balance(caller.account_id) == (5, 1, 0)


class Table(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class Page(msgspec.Struct, forbid_unknown_fields=True):
    page: Annotated[int, Meta(ge=0, le=9)] = 0


class OneCaller(NamedTuple):
    """Authenticator that admits everybody as one caller."""

    caller: ApiKeyCaller
    headers: tuple = ()
    refusal: None = None

    def admit(self, api_key, path_window):
        return self


@pytest.fixture
def tables(world):
    """Return a client of a charging endpoint with a parameter in its path and one in its query."""
    caller = world.caller(credits=20)

    @endpoint("GET", "/tables/{id}", segments=Table, query=Page, charges=True)
    def get_table(call: Call[None]) -> Deferred:
        content = f"{call.segments.id} {call.query.page}"
        work = Work(quantities={"tableRead": 1}, content=content, memo=(content,))
        return Deferred(lambda: world.charged_calls.run(call, work))

    dispatcher = Dispatcher(
        authenticator=OneCaller(caller),
        clock=world.clock,
        metrics=Metrics("1"),
        max_body_bytes=1_000,
        max_body_depth=8,
    )
    with TestClient(Application([get_table], dispatcher, RequestThreads())) as client:
        yield lambda path: client.get(path, headers={"idempotency-key": "k"})
    assert world.balance(caller.account_id) == (20, 2, 0)


def test_two_paths_of_one_endpoint_never_share_an_answer(tables):
    first, second, again = (tables(f"/tables/{id}").json() for id in ("a", "b", "a"))
    assert (first[1:], second[1:], again[1:]) == ([1, "a 0"], [1, "b 0"], [1, ["a 0"]])


def test_two_queries_under_one_key_are_409(tables):
    assert tables("/tables/a?page=1").json()[1:] == [1, "a 1"]
    assert tables("/tables/a?page=2").status_code == 409
    assert tables("/tables/a").status_code == 409
    assert tables("/tables/%61?page=1").json()[1:] == [1, ["a 1"]]
    assert tables("/tables/b").status_code == 200


def test_the_envelope_has_the_members_of_its_feature():
    answer = render_answer("id", [b"1", b"{}"], 3, 2, b'"tableWrite":{"rows":2},')
    assert msgspec.json.decode(answer) == {
        "requestId": "id",
        "results": [1, {}],
        "tableWrite": {"rows": 2},
        "billing": {"creditsCharged": 3, "resultsReturned": 2},
    }
