"""The webhook sender in an event loop as the worker runs it."""

import asyncio
import base64
from collections.abc import Callable, Coroutine
from typing import Any

import uvloop

from firmograph.kit.clock import Clock, SetClock
from firmograph.settings import Settings
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.types import SendResult
from webhooks.receivers import Receiver

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
PAYLOAD = "8f14e45f-ceea-467f-ab6c-1f2e3d4c5b6a"
BODY = b'{"id":"%s","type":"promotion"}' % PAYLOAD.encode()
MALFORMED = "The answer was not valid HTTP"
"""Error of an answer that is not HTTP."""


def run_with_sender(
    work: Callable[[Sender], Coroutine[Any, Any, Any]],
    *,
    clock: Clock | None = None,
    seconds: float = 60,
    lookup: Callable[..., Any] | None = None,
    **settings: object,
) -> Any:
    """Return the result of `work` with a sender that may send to this machine unless the settings forbid it."""
    options = {"lookup": lookup} if lookup else {}
    sender_settings = Settings(**{"allow_insecure_webhooks": True} | settings)

    async def run() -> Any:
        async with Sender(sender_settings, clock or SetClock(), seconds=seconds, **options) as sender:
            return await work(sender)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run())


def send_delivery(url: str, *, body: bytes = BODY, **options: Any) -> SendResult:
    """Send one delivery and return its result."""
    return run_with_sender(lambda sender: sender.send(url, PAYLOAD, SECRET, body), **options)


def delivery_to(receiver: Receiver) -> Callable[[Sender], Coroutine[Any, Any, SendResult]]:
    """Return a function by which a sender makes a delivery to the receiver."""
    return lambda sender: sender.send(receiver.url, PAYLOAD, SECRET, BODY)
