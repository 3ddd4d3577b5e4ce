"""The real sender, in a loop of the kind that the worker runs."""

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
"""The error of an answer that is none."""


def sending(
    work: Callable[[Sender], Coroutine[Any, Any, Any]],
    *,
    clock: Clock | None = None,
    seconds: float = 60,
    lookup: Callable[..., Any] | None = None,
    **settings: object,
) -> Any:
    """What `work` makes of a sender that may send to this machine, unless the settings say otherwise."""
    looked_up = {"lookup": lookup} if lookup else {}
    made = Settings(**{"allow_insecure_webhooks": True} | settings)

    async def entered() -> Any:
        async with Sender(made, clock or SetClock(), seconds=seconds, **looked_up) as sender:
            return await work(sender)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(entered())


def sent(url: str, *, body: bytes = BODY, **given: Any) -> SendResult:
    """What came of one delivery."""
    return sending(lambda sender: sender.send(url, PAYLOAD, SECRET, body), **given)


def again(receiver: Receiver) -> Callable[[Sender], Coroutine[Any, Any, SendResult]]:
    """Return a delivery to the receiver, for a sender to make."""
    return lambda sender: sender.send(receiver.url, PAYLOAD, SECRET, BODY)
