"""A receiver on this machine, as developers need it: it verifies, answers, and hands on what came."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any, Final

import msgspec
from aiohttp import web

from firmograph.cli.webhooks.verifying import Verified, Verifier
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Refused

HOST: Final = "127.0.0.1"
_MOST_SEEN: Final = 100_000


class Delivery(msgspec.Struct, rename="camel", omit_defaults=True):
    """A request that came, and what it was answered. The keys of `--json`."""

    received_at: str
    webhook_id: str
    """Empty where it had none."""
    attempt: int
    """From 1; more than that is a repetition of the same id."""
    verified: bool | None
    """Null where there was no secret to verify by."""
    status: int
    """That was answered."""
    problem: str | None = None
    """Why it was refused."""
    payload: msgspec.Raw | str | None = None
    """The JSON; text where the body is none."""


class Receiver:
    """Answers deliveries, and hands each to `shown`."""

    def __init__(
        self,
        verifier: Verifier,
        clock: Clock,
        shown: Callable[[Delivery], None],
        *,
        status: int = 201,
        fail: int = 0,
    ) -> None:
        """`fail` is how many of the first requests are answered 500."""
        self._verifier = verifier
        self._clock = clock
        self._shown = shown
        self._status = status
        self._fail = fail
        self._seen: dict[str, int] = {}

    async def run(self, port: int, ready: Callable[[int], None]) -> None:
        """Until a signal asks to end. `ready` is told the port. Raises Refused where it is taken."""
        ended = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        runner = web.ServerRunner(web.Server(self._answer, access_log=None))
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, port, shutdown_timeout=1.0)
            try:
                await site.start()
            except OSError as error:
                raise Refused(f"Port {port} cannot be listened on; choose another with --port") from error
            ready(runner.addresses[0][1])
            await ended.wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        if request.method != "POST":
            return web.Response(status=405, headers={"Allow": "POST"}, text="Deliveries come by POST\n")
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        now = self._clock.seconds()
        verified = self._verifier(headers, body, now)
        id = headers.get("webhook-id", "")
        status = self._judged(verified)
        self._shown(
            Delivery(
                received_at=iso(now),
                webhook_id=id,
                attempt=self._attempt(id),
                verified=verified.genuine,
                status=status,
                problem=verified.problem,
                payload=_payload(body),
            )
        )
        return _response(status, verified, {"received": True, "timestamp": iso(now), "webhookId": id})

    def _judged(self, verified: Verified) -> int:
        if verified.genuine is False:
            return 401
        if self._fail:
            self._fail -= 1
            return 500
        return self._status

    def _attempt(self, id: str) -> int:
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[id] = self._seen.get(id, 0) + 1
        return self._seen[id]


def _response(status: int, verified: Verified, acknowledgement: dict[str, Any]) -> web.Response:
    if not 200 <= status < 300:
        return web.json_response(
            {"received": False, "reason": verified.problem or "as asked for"}, status=status
        )
    if status == 204:
        return web.Response(status=status)
    return web.json_response(acknowledgement, status=status)


def _payload(body: bytes) -> msgspec.Raw | str:
    try:
        msgspec.json.decode(body)
        # on one line, however it was laid out
        return msgspec.Raw(msgspec.json.format(body, indent=-1))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode(errors="replace")
