"""What follows a charged answer, as the dispatcher runs it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import msgspec
import pytest
from litestar.testing import TestClient

from firmograph.api import dispatch, thread_pool
from firmograph.api.application import Application
from firmograph.api.endpoint import Call, ChargedResponse, Deferred, FirstAnswer
from firmograph.api.envelope import add_followed, render_answer
from firmograph.api.metrics import Metrics
from firmograph.follow_up import Followed
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Busy
from toy_api import ToyAuthenticator, endpoint

pytestmark = pytest.mark.no_database


class Body(msgspec.Struct, forbid_unknown_fields=True):
    pass


class Work:
    """Work that charges 3 credits."""

    def __init__(self):
        self.runs = 0
        self.kept = []

    def run(self, endpoint):
        self.runs += 1
        return Followed(b'"more":{"done":true}', 3)

    def refuse(self, endpoint, error):
        return Followed(b'"more":{"error":%d}' % error.status, 0)

    def keep(self, refused):
        self.kept.append(refused)
        return refused


class Api:
    """One endpoint that answers two results for 2 credits, and what follows."""

    def __init__(self, follow_up, *, remotely=False, first=None):
        @endpoint("POST", "/rows", body=Body, charges=True)
        def post_rows(call: Call[Body]) -> Deferred:
            body = render_answer(call.request_id, [b'"\\"billing\\":{"', b"2"], 2, 2, b'"own":1,')
            return Deferred(lambda: ChargedResponse(body, 2 if first is None else 0, follow_up, first))

        self.metrics = Metrics("1")
        dispatcher = dispatch.Dispatcher(
            authenticator=ToyAuthenticator(),
            clock=SetClock(5.0),
            metrics=self.metrics,
            max_body_bytes=100,
            max_body_depth=8,
            authenticates_remotely=remotely,
        )
        self.client = TestClient(Application([post_rows], dispatcher, thread_pool.RequestThreads()))

    def post(self):
        answer = self.client.post("/rows", json={}, headers={"api_key": "me"})
        assert answer.status_code == 200, answer.text
        return answer

    def credits(self):
        return self.metrics.registry.get_sample_value("firmograph_credits_charged_total")


WAYS = pytest.mark.parametrize("remotely", [False, True], ids=["event loop", "single thread"])


@WAYS
def test_the_work_follows_the_answer_whatever_way_it_is_served(remotely):
    api = Api(Work(), remotely=remotely)
    with api.client:
        answer = api.post()
    assert answer.json() == {
        "requestId": answer.headers["x-request-id"],
        "results": ['"billing":{', 2],
        "own": 1,
        "more": {"done": True},
        "billing": {"creditsCharged": 5, "resultsReturned": 2},
    }
    assert answer.headers["x-credits-charged"] == "5"
    assert api.credits() == 5


@WAYS
def test_an_answer_that_nothing_follows_stays_as_it_is(remotely):
    api = Api(None, remotely=remotely)
    with api.client:
        answer = api.post()
    assert answer.json()["billing"]["creditsCharged"] == 2
    assert answer.headers["x-credits-charged"] == "2"
    assert "x-original-request-id" not in answer.headers
    assert api.credits() == 2


def test_a_replay_shows_what_followed_the_first_answer():
    api = Api(Followed(b'"more":4', 7), first=FirstAnswer("first", 2))
    with api.client:
        answer = api.post()
    assert answer.json()["more"] == 4
    assert answer.json()["billing"]["creditsCharged"] == 9
    assert answer.headers["x-credits-charged"] == "9"
    assert answer.headers["x-original-request-id"] == "first"
    assert api.credits() == 0


def test_a_replay_does_what_the_first_call_did_not_come_to_do():
    work = Work()
    api = Api(work, first=FirstAnswer("first", 2))
    with api.client:
        answer = api.post()
    assert work.runs == 1
    assert answer.headers["x-credits-charged"] == "5"
    assert api.credits() == 3


def test_work_that_gets_no_thread_is_refused(monkeypatch):
    monkeypatch.setattr(thread_pool, "WRITER_THREADS", 1)
    entered, go_on = Event(), Event()

    class SlowWork(Work):
        def run(self, endpoint):
            entered.set()
            go_on.wait(60)
            return super().run(endpoint)

    api = Api(SlowWork(), remotely=True)
    with api.client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(api.post)
        assert entered.wait(60)
        monkeypatch.setattr(thread_pool, "WAIT_SECONDS", 0.05)
        second = api.post().json()
        go_on.set()
        assert first.result(60).json()["more"] == {"done": True}
    assert second["more"] == {"error": Busy.status}
    assert second["billing"]["creditsCharged"] == 2


@pytest.mark.parametrize("credits", [0, 9, 10, 12_345])
def test_the_credits_of_what_followed_are_added_to_any_number(credits):
    answer = add_followed(render_answer("id", [], credits, 1), Followed(b'"more":{"x":1}', 90))
    assert answer == (
        b'{"requestId":"id","results":[],"more":{"x":1},'
        b'"billing":{"creditsCharged":%d,"resultsReturned":1}}' % (credits + 90)
    )


def test_the_credits_of_what_followed_are_added_where_they_stand_before_the_billing_too():
    answer = add_followed(
        render_answer("id", [b'"creditsCharged"'], 3, 1, b'"creditsCharged":3,'), Followed(b'"more":{}', 4)
    )
    assert answer == (
        b'{"requestId":"id","results":["creditsCharged"],"creditsCharged":7,"more":{},'
        b'"billing":{"creditsCharged":7,"resultsReturned":1}}'
    )
