"""The charged call, with a feature made for the tests."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import msgspec
import pytest
from litestar.testing import TestClient
from msgspec import Meta

from firmograph.api.application import Application
from firmograph.api.charged_answers import charge
from firmograph.api.dispatch import Dispatcher
from firmograph.api.endpoint import Call, Deferred, Endpoint
from firmograph.api.envelope import render_answer
from firmograph.api.metrics import Metrics
from firmograph.api.request import call_key
from firmograph.api.thread_pool import RequestThreads
from firmograph.billing import exposure_store
from firmograph.billing.charged_call import MOST_PREPARATIONS, ChargedWork, Outdated, PricedContent
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.idempotency import Memo
from firmograph.billing.tables import idempotency_keys
from firmograph.caller import ApiKeyCaller, Request
from firmograph.database.connection import AccountSession, account_scope
from firmograph.kit.errors import Busy, Conflict, PaymentRequired

EMAIL, PHONE = (1, 1, "emails"), (1, 1, "phones")


class WorkMemo(Memo, frozen=True):
    values: Any = "memo"


class Work(ChargedWork):
    """Feature that shows what it is given, and on a replay its memo."""

    memo = WorkMemo

    def __init__(
        self,
        units: tuple = (),
        quantities: Mapping[str, int] | None = None,
        content: Any = "content",
        kept: Any = "memo",
        prepared: Callable[[], Any] = lambda: None,
        effect: Callable[[Any], None] = lambda session: None,
    ):
        self.units = units
        self.quantities = quantities or {}
        self.content = content
        self.kept = kept
        self.prepared = prepared
        self.effect = effect

    def prepare(self):
        return self.prepared()

    def compute(self, session, prepared):
        self.effect(session)
        return PricedContent(self.content, WorkMemo(self.kept), self.units, self.quantities)

    def replay(self, session, prepared, memo):
        return memo.values


def request_of(caller, request_id="request", key=None, body=b"{}", query=b""):
    return Request(request_id, caller, 1.0, key and call_key("POST /v3/tables", key, query, body))


def shown(charged):
    return (charged.request_id, charged.credits, charged.content)


def test_units_are_paid_once_and_quantities_each_time(world):
    caller = world.caller(credits=20)
    work = Work((EMAIL, PHONE), {"lookalikeCompany": 6})
    first, second = (world.charged_calls.run(request_of(caller, f"r{n}"), work) for n in (1, 2))
    assert (first.credits, second.credits) == (8, 2)
    assert shown(first) == ("r1", 8, "content")
    assert world.balance(caller.account_id) == (20, 10, 0)


def test_a_quantity_that_the_plan_does_not_price_leaves_no_trace(world):
    caller = world.caller(credits=1)
    assert world.charged_calls.run(request_of(caller), Work(quantities={"companySearch": 9})).credits == 0
    assert [entry.kind for entry in world.entries(caller.account_id)] == ["grant"]


def test_too_few_credits_undo_all_effects_of_the_call(world):
    caller = world.caller(credits=5)
    exposure = Exposure(caller.account_id, 1, "partner", "emails", 0.0)
    work = Work(
        (EMAIL, PHONE),
        effect=lambda session: exposure_store.add(AccountSession(session, caller.account_id), [exposure]),
    )
    with pytest.raises(PaymentRequired):
        world.charged_calls.run(request_of(caller, key="k"), work)
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
        world.charged_calls.run(request_of(caller, key="k"), Work(prepared=write_alone))


class Overtaken(ChargedWork):
    """Feature whose first preparations are outdated by the time they are used."""

    def __init__(self, times: int, prepared: list, effect: Callable[[Any], None]):
        self.times = times
        self.prepared = prepared
        self.effect = effect

    def prepare(self):
        self.prepared.append(len(self.prepared))
        return self.prepared[-1]

    def compute(self, session, prepared):
        self.effect(session)
        if prepared < self.times:
            raise Outdated
        return PricedContent(prepared, Memo(), (EMAIL,))

    def replay(self, session, prepared, memo):
        return prepared


def _exposing(caller):
    """Return an effect that notes an exposure."""
    exposure = Exposure(caller.account_id, 1, "partner", "emails", 0.0)

    def effect(session):
        exposure_store.add(AccountSession(session, caller.account_id), [exposure])

    return effect


def test_a_call_whose_preparation_is_outdated_is_prepared_again(world):
    caller = world.caller(credits=5)
    work = Overtaken(2, [], _exposing(caller))
    assert world.charged_calls.run(request_of(caller, key="k"), work).content == 2
    assert work.prepared == [0, 1, 2]
    assert world.balance(caller.account_id) == (5, 1, 0)
    # a replay needs no preparation that fits
    assert world.charged_calls.run(request_of(caller, key="k"), Overtaken(9, [], work.effect)).content == 0


def test_a_call_that_is_outdated_again_and_again_is_busy_and_changes_nothing(world):
    caller = world.caller(credits=5)
    work = Overtaken(99, [], _exposing(caller))
    with pytest.raises(Busy):
        world.charged_calls.run(request_of(caller, key="k"), work)
    assert len(work.prepared) == MOST_PREPARATIONS
    assert world.balance(caller.account_id) == (5, 0, 0)
    with world.database.read() as session:
        assert exposure_store.find(session, [1]) == []
        assert session.all(idempotency_keys.select()) == []


def test_a_replay_gets_its_memo_and_charges_nothing(world):
    caller = world.caller(credits=5)
    kept = [1, [2, None, 2**53], {"rows": ["a"]}]
    first = world.charged_calls.run(request_of(caller, "first", "k"), Work((EMAIL,), kept=kept))
    world.reopen()
    again = world.charged_calls.run(request_of(caller, "second", "k"), Work((EMAIL, PHONE)))
    assert (first.is_replay, again.is_replay) == (False, True)
    assert shown(again) == ("first", 1, kept)
    assert world.balance(caller.account_id) == (5, 1, 0)


@pytest.mark.parametrize(
    "kept",
    [b'["former",3,1]', b'{"requestId":"former","credits":3,"memo":{"version":7,"values":1}}'],
    ids=["another envelope", "another version"],
)
def test_a_key_under_which_another_release_has_kept_another_form_is_refused(world, kept):
    caller = world.caller(credits=5)
    request = request_of(caller, key="k", body=b'{"ids":["x"]}')
    world.charged_calls.run(request, Work((EMAIL,)))
    with world.database.write(None) as session:
        session.execute(idempotency_keys.update().values(kept=kept))
    with pytest.raises(Conflict, match="another release"):
        world.charged_calls.run(request, Work((PHONE,)))
    assert world.balance(caller.account_id) == (5, 1, 0)


class Readable(Work):
    """Feature that may be read."""

    reads = True

    def read(self):
        return "read"


@pytest.mark.parametrize(
    ("key", "price_key", "keeps_key", "reads"),
    [
        (None, None, True, True),
        ("k", None, True, False),
        ("k", None, False, True),
        (None, "lookalikeCompany", True, False),
        (None, "companySearch", True, True),
    ],
    ids=["without price and key", "with a key", "with a key of no use", "with a price", "with a price of 0"],
)
def test_a_call_is_read_where_nothing_is_to_be_paid_or_kept(world, key, price_key, keeps_key, reads):
    work = Readable()
    work.price_key, work.keeps_key = price_key, keeps_key
    call = world.charged_calls.ready(request_of(world.caller(), key=key), work)
    charged = call.read()
    assert call.may_read is reads
    assert (charged and charged.content) == ("read" if reads else None)


def test_another_query_or_body_under_a_key_is_a_conflict(world):
    caller = world.caller(credits=5)
    world.charged_calls.run(request_of(caller, key="k", query=b"page=1"), Work((EMAIL,)))
    for other in ({"query": b"page=2"}, {"query": b""}, {"query": b"page=1", "body": b"[]"}):
        with pytest.raises(Conflict):
            world.charged_calls.run(request_of(caller, key="k", **other), Work((PHONE,)))
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

    def get_table(call: Call[None]) -> Deferred:
        content = f"{call.segments.id} {call.query.page}"
        work = Work(quantities={"tableRead": 1}, content=content, kept=[content])
        return charge(
            lambda: world.charged_calls.run(call.request, work),
            lambda content, request_id, credits: msgspec.json.encode([request_id, credits, content]),
        )

    endpoint = Endpoint(
        name="get_table",
        method="GET",
        path="/tables/{id}",
        function=get_table,
        segments=Table,
        query=Page,
        charges=True,
    )
    dispatcher = Dispatcher(
        authenticator=OneCaller(caller),
        clock=world.clock,
        metrics=Metrics("1"),
        max_body_bytes=1_000,
        max_body_depth=8,
    )
    with TestClient(Application([endpoint], dispatcher, RequestThreads())) as client:
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
