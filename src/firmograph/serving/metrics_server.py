"""`/metrics` of a background worker, served by a thread of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from firmograph.api import docs_and_health
from firmograph.api.application import Application
from firmograph.api.dispatch import Dispatcher
from firmograph.api.https_policy import make_https_policy
from firmograph.api.metrics import Metrics
from firmograph.api.thread_pool import RequestThreads
from firmograph.installation import Installation
from firmograph.kit.clock import SystemClock
from firmograph.serving.bounded_server import BoundedServer
from firmograph.serving.protocol import UVICORN_OPTIONS
from firmograph.settings import Settings

_GRACE_SECONDS: Final = 5


@contextmanager
def serve_metrics(installation: Installation, listener: socket.socket) -> Iterator[None]:
    """Serve metrics during the block; its end waits at most a few seconds for open requests."""
    settings, meters = installation.settings, installation.get(Metrics)
    config = uvicorn.Config(
        _application(settings, meters),
        lifespan="off",
        timeout_graceful_shutdown=_GRACE_SECONDS,
        **UVICORN_OPTIONS,
    )
    server = BoundedServer(config, settings, meters)
    thread = threading.Thread(target=server.run, args=([listener],), name="metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


def _application(settings: Settings, meters: Metrics) -> Application:
    dispatcher = Dispatcher(
        authenticator=None,
        clock=SystemClock(),
        metrics=meters,
        max_body_bytes=settings.max_body_bytes,
        max_body_depth=settings.max_body_depth,
        https_policy=make_https_policy(settings),
    )
    endpoint = docs_and_health.metrics_endpoint(meters, settings.metrics_token)
    return Application([endpoint], dispatcher, RequestThreads())
