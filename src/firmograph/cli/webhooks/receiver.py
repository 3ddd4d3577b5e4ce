"""Local webhook receiver for developers: verifies, acknowledges and reports deliveries."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any, Final

import msgspec
from aiohttp import web

from firmograph.cli.webhooks.verification import Verification, Verifier
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Refused

HOST: Final = "127.0.0.1"
_MAX_SEEN: Final = 100_000


class ReceivedDelivery(msgspec.Struct, rename="camel", omit_defaults=True):
    """Received request and its response; the keys of `--json`."""

    received_at: str
    webhook_id: str
    """Empty if missing."""
    attempt: int
    """From 1; higher for repetitions of the same id."""
    verified: bool | None
    """Null without a secret."""
    status: int
    """Status of the response."""
    problem: str | None = None
    """Why it was refused."""
    payload: msgspec.Raw | str | None = None
    """JSON value; a string if the body is not JSON."""


class Receiver:
    """HTTP receiver that acknowledges deliveries and passes them to `show`."""

    def __init__(
        self,
        verifier: Verifier,
        clock: Clock,
        show: Callable[[ReceivedDelivery], None],
        *,
        status: int = 201,
        fail: int = 0,
    ) -> None:
        """Create a receiver that responds to the first `fail` requests with 500."""
        self._verifier = verifier
        self._clock = clock
        self._show = show
        self._status = status
        self._fail = fail
        self._seen: dict[str, int] = {}

    async def run(self, port: int, ready: Callable[[int], None]) -> None:
        """Run until interrupted; call `ready` with the port. Raises Refused if the port is in use."""
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        runner = web.ServerRunner(web.Server(self._respond, access_log=None))
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, port, shutdown_timeout=1.0)
            try:
                await site.start()
            except OSError as error:
                raise Refused(f"Cannot listen on port {port}; choose another with --port") from error
            ready(runner.addresses[0][1])
            await stopped.wait()
        finally:
            await runner.cleanup()

    async def _respond(self, request: web.BaseRequest) -> web.Response:
        if request.method != "POST":
            return web.Response(status=405, headers={"Allow": "POST"}, text="Deliveries are sent by POST\n")
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        now = self._clock.seconds()
        verification = self._verifier(headers, body, now)
        id = headers.get("webhook-id", "")
        status = self._choose_status(verification)
        self._show(
            ReceivedDelivery(
                received_at=iso(now),
                webhook_id=id,
                attempt=self._attempt(id),
                verified=verification.genuine,
                status=status,
                problem=verification.problem,
                payload=_payload(body),
            )
        )
        return _response(status, verification, {"received": True, "timestamp": iso(now), "webhookId": id})

    def _choose_status(self, verification: Verification) -> int:
        if verification.genuine is False:
            return 401
        if self._fail:
            self._fail -= 1
            return 500
        return self._status

    def _attempt(self, id: str) -> int:
        if len(self._seen) >= _MAX_SEEN:
            self._seen.clear()
        self._seen[id] = self._seen.get(id, 0) + 1
        return self._seen[id]


def _response(status: int, verification: Verification, acknowledgement: dict[str, Any]) -> web.Response:
    if not 200 <= status < 300:
        return web.json_response(
            {"received": False, "reason": verification.problem or "requested with --fail or --status"},
            status=status,
        )
    if status == 204:
        return web.Response(status=status)
    return web.json_response(acknowledgement, status=status)


def _payload(body: bytes) -> msgspec.Raw | str:
    try:
        msgspec.json.decode(body)
        # on one line, whatever its layout
        return msgspec.Raw(msgspec.json.format(body, indent=-1))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode(errors="replace")
