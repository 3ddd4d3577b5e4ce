"""Calls that need a worker thread when none is free."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import httpx
import pytest
from litestar.testing import TestClient

from firmograph.api import dispatch, thread_pool
from firmograph.api.application import Application
from firmograph.api.endpoint import AsyncResponse, Call, Deferred, Endpoint
from firmograph.api.metrics import Metrics
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Conflict
from toy_api import ToyAuthenticator, endpoint

pytestmark = pytest.mark.no_database


def _client(*endpoints: Endpoint, authenticates_remotely: bool = False) -> TestClient:
    dispatcher = dispatch.Dispatcher(
        authenticator=ToyAuthenticator(),
        clock=SetClock(5.0),
        metrics=Metrics("1"),
        max_body_bytes=100,
        max_body_depth=8,
        authenticates_remotely=authenticates_remotely,
    )
    return TestClient(Application(endpoints, dispatcher, thread_pool.RequestThreads()))


def test_a_call_without_a_free_thread_in_time_is_503_with_retry_after_and_never_runs(monkeypatch):
    monkeypatch.setattr(thread_pool, "WRITER_THREADS", 1)
    running, go_on, ran = Event(), Event(), []

    @endpoint("GET", "/slow")
    def get_slow(call: Call[None]) -> Deferred:
        def run() -> bytes:
            ran.append(call.request_id)
            running.set()
            go_on.wait(60)
            return b"{}"

        return Deferred(run)

    with _client(get_slow) as client, ThreadPoolExecutor(1) as pool, monkeypatch.context() as hurried:

        def call() -> httpx.Response:
            return client.get("/slow", headers={"api_key": "me"})

        first = pool.submit(call)
        assert running.wait(60)
        hurried.setattr(thread_pool, "WAIT_SECONDS", 0.05)
        second = call()
        hurried.undo()
        go_on.set()
        assert (first.result().status_code, call().status_code) == (200, 200)
    assert (second.status_code, second.headers["retry-after"]) == (503, "1")
    assert len(ran) == 2


def test_calls_that_wait_for_the_writer_of_one_account_leave_threads_to_other_accounts(monkeypatch):
    monkeypatch.setattr(thread_pool, "CALLER_THREADS", 3)
    monkeypatch.setattr(thread_pool, "WRITERS_PER_KEY", 1)
    waiting, go_on = Semaphore(0), Event()

    @endpoint("GET", "/writes")
    def get_writes(call: Call[None]) -> Deferred:
        def run() -> bytes:
            waiting.release()
            go_on.wait(60)
            return b"{}"

        return Deferred(run)

    @endpoint("GET", "/reads")
    def get_reads(call: Call[None]) -> Deferred:
        return Deferred(lambda: b"[]", writes=False)

    with _client(get_writes, get_reads, authenticates_remotely=True) as client, ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(client.get, "/writes", headers={"api_key": "me"}) for _ in range(3)]
        for _ in writing:
            assert waiting.acquire(timeout=60)
        other = pool.submit(client.get, "/writes", headers={"api_key": "you"})
        assert waiting.acquire(timeout=60)
        assert client.get("/reads", headers={"api_key": "them"}).status_code == 200
        go_on.set()
        assert [each.result().content for each in [*writing, other]] == [b"{}"] * 4
        assert client.get("/writes", headers={"api_key": "me"}).status_code == 200


def test_a_call_that_exhausts_its_iterator_is_answered():
    @endpoint("GET", "/ends")
    def get_ends(call: Call[None]) -> Deferred:
        return Deferred(lambda: next(iter([])))

    with _client(get_ends) as client, ThreadPoolExecutor(1) as pool:
        futures = pool.submit(client.get, "/ends", headers={"api_key": "me"})
        assert futures.result(timeout=60).status_code == 500


def test_a_reading_call_does_not_queue_behind_calls_that_wait_for_the_writer(monkeypatch):
    monkeypatch.setattr(thread_pool, "WRITER_THREADS", 1)
    waiting, go_on = Event(), Event()

    @endpoint("GET", "/writes")
    def get_writes(call: Call[None]) -> Deferred:
        def run() -> bytes:
            waiting.set()
            go_on.wait(60)
            return b"{}"

        return Deferred(run)

    @endpoint("GET", "/reads")
    def get_reads(call: Call[None]) -> Deferred:
        return Deferred(lambda: b"[]", writes=False)

    with _client(get_writes, get_reads) as client, ThreadPoolExecutor(1) as pool:
        writing = pool.submit(client.get, "/writes", headers={"api_key": "me"})
        assert waiting.wait(60)
        assert client.get("/reads", headers={"api_key": "me"}).content == b"[]"
        go_on.set()
        assert writing.result().content == b"{}"


@pytest.mark.parametrize("authenticates_remotely", [False, True])
def test_asynchronous_calls_occupy_no_thread(monkeypatch, authenticates_remotely):
    for pool in ("WRITER_THREADS", "READER_THREADS", "CALLER_THREADS"):
        monkeypatch.setattr(thread_pool, pool, 1)
    waiting, answered = Semaphore(0), []

    @endpoint("GET", "/awaits")
    def get_awaits(call: Call[None]) -> Deferred:
        go_on = asyncio.Event()

        async def run() -> Deferred:
            answered.append((asyncio.get_running_loop(), go_on))
            waiting.release()
            await go_on.wait()
            return Deferred(lambda: b"{}")

        return Deferred(lambda: AsyncResponse(run))

    @endpoint("GET", "/writes")
    def get_writes(call: Call[None]) -> Deferred:
        return Deferred(lambda: b"[]")

    with (
        _client(get_awaits, get_writes, authenticates_remotely=authenticates_remotely) as client,
        ThreadPoolExecutor(5) as pool,
    ):
        futures = [pool.submit(client.get, "/awaits", headers={"api_key": "me"}) for _ in range(5)]
        for _ in futures:
            assert waiting.acquire(timeout=60)
        assert client.get("/writes", headers={"api_key": "me"}).content == b"[]"
        for loop, go_on in answered:
            loop.call_soon_threadsafe(go_on.set)
        assert [each.result(timeout=60).content for each in futures] == [b"{}"] * 5


@pytest.mark.parametrize("authenticates_remotely", [False, True])
def test_a_refusal_by_an_asynchronous_call_is_answered_like_any_refusal(authenticates_remotely):
    async def run() -> bytes:
        raise Conflict("not now")

    @endpoint("GET", "/awaits", in_thread=True)
    def get_awaits(call: Call[None]) -> AsyncResponse:
        return AsyncResponse(run)

    with _client(get_awaits, authenticates_remotely=authenticates_remotely) as client:
        answer = client.get("/awaits", headers={"api_key": "me"})
    assert (answer.status_code, answer.json()["message"]) == (409, "not now")
