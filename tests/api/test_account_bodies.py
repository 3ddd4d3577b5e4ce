"""Bodies of callers that send half of them: those of one account are read within its memory, here of a megabyte."""

import asyncio

import pytest

from firmograph.api import body_budget, request
from toy_api import toy_app

pytestmark = pytest.mark.no_database

BODY = b'{"contacts":[{"firstName":"Ann"}]}' + b" " * 99_966
ADMITTED = 7
"""Bodies of this length that fit into three quarters of the memory."""


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(body_budget, "ACCOUNT_BYTES", 1_000_000)


class Callers:
    """Clients that send the second half of their bodies when they are released."""

    def __init__(self, authenticates_remotely):
        self.app = toy_app(200_000, authenticates_remotely=authenticates_remotely)
        self.released = asyncio.Event()
        self.begun = []
        """Keys of clients of whose body something was read."""
        self.begins = asyncio.Semaphore(0)
        self.statuses = []

    def call(self, key, *, declared=True, body=BODY):
        return asyncio.create_task(self._call(key, declared, body))

    async def _call(self, key, declared, body):
        parts = [body[: len(body) // 2], body[len(body) // 2 :]] if body is BODY else [body]
        halves = len(parts)
        length = (b"content-length", b"%d" % len(body))
        headers = [(b"api_key", key), length if declared else (b"transfer-encoding", b"chunked")]

        async def receive():
            if len(parts) == halves:
                self.begun.append(key)
                self.begins.release()
            else:
                await self.released.wait()
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message):
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])

        await self.app(_scope(headers), receive, send)


def _scope(headers):
    return {
        "type": "http",
        "method": "POST",
        "path": "/parts",
        "raw_path": b"/parts",
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "http_version": "1.1",
        "scheme": "https",
        "server": ("localhost", 443),
        "client": ("192.0.2.1", 1),
        "state": {},
    }


SHORT = b'{"contacts":[{"firstName":"Ann"}]}'


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("authenticates_remotely", [False, True])
def test_bodies_beyond_the_memory_of_an_account_wait_until_others_are_finished(
    authenticates_remotely, declared
):
    async def main():
        callers = Callers(authenticates_remotely)
        # a body of unknown length takes as much as the longest
        admitted = ADMITTED if declared else 3
        tasks = [callers.call(b"me", declared=declared) for _ in range(20)]
        for _ in range(admitted):
            await callers.begins.acquire()
        # neither a short body nor another account waits for them
        await callers.call(b"me", body=SHORT)
        tasks.append(callers.call(b"you"))
        while b"you" not in callers.begun:
            await callers.begins.acquire()
        assert (callers.begun.count(b"me"), callers.statuses) == (admitted + 1, [200])
        callers.released.set()
        await asyncio.gather(*tasks)
        assert callers.statuses == [200] * 22

    asyncio.run(main())


@pytest.mark.parametrize("authenticates_remotely", [False, True])
def test_a_body_waits_no_longer_than_it_may_take_to_arrive(monkeypatch, authenticates_remotely):
    monkeypatch.setattr(request, "BODY_SECONDS", 0.05)

    async def main():
        callers = Callers(authenticates_remotely)
        await asyncio.gather(*(callers.call(b"me") for _ in range(20)))
        assert callers.statuses == [499] * 20
        callers.released.set()
        await callers.call(b"me")
        assert callers.statuses[20:] == [200]

    asyncio.run(main())
