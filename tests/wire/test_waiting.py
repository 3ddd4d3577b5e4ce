"""Calls that need a worker thread when none is free."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import httpx
from litestar import Litestar
from litestar.testing import TestClient
from toy_api import ToyGate

from firmograph.kit.clock import SetClock
from firmograph.wire import handling
from firmograph.wire.endpoint import Call, Later, endpoint
from firmograph.wire.metrics import Metrics


def test_a_call_that_finds_no_free_thread_in_time_is_503_with_retry_after_and_never_runs(monkeypatch):
    monkeypatch.setattr(handling, "THREADS", 1)
    monkeypatch.setattr(handling, "WRITER_WAIT_SECONDS", 0.05)
    running, go_on, ran = Event(), Event(), []

    @endpoint("GET", "/slow")
    def get_slow(call: Call[None]) -> Later:
        def run() -> bytes:
            ran.append(call.request_id)
            running.set()
            go_on.wait(30)
            return b"{}"

        return Later(run)

    door = handling.Door(
        gate=ToyGate(), clock=SetClock(5.0), metrics=Metrics("1"), max_body_bytes=100, max_body_depth=8
    )
    app = Litestar(handling.handlers([get_slow], door), openapi_config=None, logging_config=None)
    with TestClient(app) as client, ThreadPoolExecutor(1) as pool:

        def call() -> httpx.Response:
            return client.get("/slow", headers={"api_key": "me"})

        first = pool.submit(call)
        running.wait(30)
        second = call()
        go_on.set()
        assert (first.result().status_code, call().status_code) == (200, 200)
    assert (second.status_code, second.headers["retry-after"]) == (503, "1")
    assert len(ran) == 2
