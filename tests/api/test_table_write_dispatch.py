"""The write that follows a call with `tableId`, as the dispatcher makes it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import msgspec
import pytest
from litestar.testing import TestClient
from msgspec.structs import replace
from structlog.testing import capture_logs
from toy_api import ToyAuthenticator

from firmograph.api import dispatch, thread_pool
from firmograph.api.application import Application
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, FirstAnswer, endpoint
from firmograph.api.envelope import add_table_write, render_answer
from firmograph.api.metrics import Metrics
from firmograph.api.table_rows import TableId, TableRows, nothing_written, requested_rows
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Busy, Forbidden, NotFound, PaymentRequired, Unavailable, Unwritable
from firmograph.kit.whole_numbers import encode
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database


class Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    table_id: TableId | msgspec.UnsetType = msgspec.UNSET


class FakeWriter:
    """Writer that charges 3 credits, or raises an error."""

    def __init__(self, error=None):
        self.error = error
        self.written = []
        self.kept = []

    def keep(self, rows, refused):
        self.kept.append((rows.key, refused))
        return refused

    def write(self, rows, request_id):
        self.written.append((rows, request_id))
        if self.error is not None:
            raise self.error
        return replace(nothing_written(rows.table_id), added=len(rows.numbers), credits_charged=3)


class Api:
    """One endpoint that answers two results for 2 credits, and its writer."""

    def __init__(self, writer, *, remotely=False, key=None, first=None):
        @endpoint("POST", "/rows", body=Body, charges=True)
        def post_rows(call: Call[Body]) -> Deferred:
            rows = requested_rows(call, Entity.CONTACT)
            if rows is not None:
                rows = rows._replace(numbers=[7, 5], key=key)
            body = render_answer(call.request_id, [b'"\\"billing\\":{"', b"2"], 2, 2, b'"more":1,')
            return Deferred(lambda: ChargedResponse(body, 2 if first is None else 0, rows, first))

        self.writer = writer
        self.metrics = Metrics("1")
        dispatcher = dispatch.Dispatcher(
            authenticator=ToyAuthenticator(),
            clock=SetClock(5.0),
            metrics=self.metrics,
            max_body_bytes=100,
            max_body_depth=8,
            authenticates_remotely=remotely,
            table_writer=writer,
        )
        self.client = TestClient(Application([post_rows], dispatcher, thread_pool.RequestThreads()))

    def post(self, **body):
        answer = self.client.post("/rows", json=body, headers={"api_key": "me"})
        assert answer.status_code == 200, answer.text
        return answer

    def credits(self):
        return self.metrics.registry.get_sample_value("firmograph_credits_charged_total")


@pytest.mark.parametrize("remotely", [False, True], ids=["event loop", "single thread"])
def test_the_write_follows_the_answer_whatever_way_it_is_served(remotely):
    api = Api(FakeWriter(), remotely=remotely)
    with api.client:
        answer = api.post(tableId="12")
    request_id = answer.headers["x-request-id"]
    assert answer.json() == {
        "requestId": request_id,
        "results": ['"billing":{', 2],
        "more": 1,
        "tableWrite": {
            "tableId": "12",
            "added": 2,
            "alreadyPresent": 0,
            "columnsCreated": 0,
            "rowsProcessed": 0,
            "rowsCharged": 0,
            "rowsAlreadyPaidInTable": 0,
            "creditsCharged": 3,
        },
        "billing": {"creditsCharged": 5, "resultsReturned": 2},
    }
    assert api.writer.written == [(TableRows(Entity.CONTACT, "12", "me", 5.0, [7, 5]), request_id)]
    assert api.credits() == 5


@pytest.mark.parametrize("remotely", [False, True], ids=["event loop", "single thread"])
def test_a_call_without_a_table_writes_nothing(remotely):
    api = Api(FakeWriter(), remotely=remotely)
    with api.client:
        answer = api.post()
    assert "tableWrite" not in answer.json()
    assert api.writer.written == []
    assert api.credits() == 2


KEY = ("POST /rows", "k")


def test_a_replay_shows_what_the_first_write_did():
    kept = encode(replace(nothing_written("12"), added=4, credits_charged=7))
    api = Api(FakeWriter(), key=KEY, first=FirstAnswer("first", 2, kept))
    with api.client:
        answer = api.post(tableId="12")
    assert answer.json()["tableWrite"]["added"] == 4
    assert answer.json()["billing"]["creditsCharged"] == 9
    assert answer.headers["x-credits-charged"] == "9"
    assert answer.headers["x-original-request-id"] == "first"
    assert api.writer.written == []
    assert api.credits() == 0


def test_a_replay_writes_what_the_first_call_did_not_come_to_write():
    api = Api(FakeWriter(), key=KEY, first=FirstAnswer("first", 2))
    with api.client:
        answer = api.post(tableId="12")
    assert [(rows.key, request_id) for rows, request_id in api.writer.written] == [(KEY, "first")]
    assert answer.headers["x-credits-charged"] == "5"
    assert api.credits() == 3


def test_a_refused_write_is_kept_under_the_key_of_the_call():
    api = Api(FakeWriter(NotFound("no such table")), key=KEY)
    with api.client:
        answer = api.post(tableId="12").json()
    ((key, refused),) = api.writer.kept
    assert key == KEY
    assert refused.error.code == answer["tableWrite"]["error"]["code"] == "TABLE_NOT_FOUND"


def test_a_refused_write_that_cannot_be_kept_shows_all_the_same():
    class Lost(FakeWriter):
        def keep(self, rows, refused):
            raise Busy

    api = Api(Lost(Busy()), key=KEY)
    with api.client:
        assert api.post(tableId="12").json()["tableWrite"]["error"]["code"] == "BUSY"


@pytest.mark.parametrize("table", [{}, {"tableId": "12"}], ids=["alone", "with a table"])
def test_the_header_says_what_the_call_and_its_write_charged(table):
    api = Api(FakeWriter())
    with api.client:
        answer = api.post(**table)
    assert answer.headers["x-credits-charged"] == ("5" if table else "2")
    assert "x-original-request-id" not in answer.headers


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (NotFound("no such table"), "TABLE_NOT_FOUND", "no such table"),
        (Forbidden("full", code="TABLE_FULL"), "TABLE_FULL", "full"),
        (Forbidden("not on the plan"), "FORBIDDEN", "not on the plan"),
        (PaymentRequired("too few"), "INSUFFICIENT_CREDITS", "too few"),
        (Busy(), "BUSY", Busy.public),
        (Unavailable(), "BUSY", Unavailable.public),
        (Unwritable(), "BUSY", Unwritable.public),
        (RuntimeError("secret"), "INTERNAL", "Internal server error"),
        (StopIteration("secret"), "INTERNAL", "Internal server error"),
    ],
)
def test_an_error_of_the_write_shows_in_the_answer_alone(error, code, message):
    api = Api(FakeWriter(error))
    with api.client, capture_logs() as logged:
        answer = api.post(tableId="12")
    written = answer.json()["tableWrite"]
    assert written.pop("error") == {"code": code, "message": message}
    assert set(written.values()) == {"12", 0}
    assert answer.json()["billing"] == {"creditsCharged": 2, "resultsReturned": 2}
    assert api.credits() == 2
    assert [(line["event"], line["request_id"]) for line in logged] == [
        ("table not written", answer.headers["x-request-id"])
    ]


def test_a_write_that_gets_no_thread_is_busy(monkeypatch):
    monkeypatch.setattr(thread_pool, "WRITER_THREADS", 1)
    entered, go_on = Event(), Event()

    class SlowWriter(FakeWriter):
        def write(self, rows, request_id):
            entered.set()
            go_on.wait(60)
            return super().write(rows, request_id)

    api = Api(SlowWriter(), remotely=True)
    with api.client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(api.post, tableId="12")
        assert entered.wait(60)
        monkeypatch.setattr(thread_pool, "WAIT_SECONDS", 0.05)
        second = api.post(tableId="12").json()
        go_on.set()
        assert first.result(60).json()["tableWrite"]["added"] == 2
    assert second["tableWrite"]["error"]["code"] == "BUSY"


def test_an_answer_without_a_writer_is_still_an_answer():
    api = Api(None)
    with api.client:
        answer = api.post(tableId="12").json()
    assert answer["tableWrite"]["error"]["code"] == "INTERNAL"


@pytest.mark.parametrize("credits", [0, 9, 10, 12_345])
def test_the_credits_of_a_write_are_added_to_any_number(credits):
    answer = add_table_write(render_answer("id", [], credits, 1), b'{"x":1}', 90)
    assert answer == (
        b'{"requestId":"id","results":[],"tableWrite":{"x":1},'
        b'"billing":{"creditsCharged":%d,"resultsReturned":1}}' % (credits + 90)
    )


def test_the_credits_of_a_write_are_added_where_they_stand_before_the_billing_too():
    answer = add_table_write(
        render_answer("id", [b'"creditsCharged"'], 3, 1, b'"creditsCharged":3,'), b"{}", 4
    )
    assert answer == (
        b'{"requestId":"id","results":["creditsCharged"],"creditsCharged":7,"tableWrite":{},'
        b'"billing":{"creditsCharged":7,"resultsReturned":1}}'
    )
