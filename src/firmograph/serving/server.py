"""One server process on a listening socket."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
import uvloop

from firmograph.api.metrics import Metrics
from firmograph.bootstrap.application import create_app
from firmograph.installation import Installation
from firmograph.kit.errors import Refused
from firmograph.kit.gc_tuning import freeze_existing_objects
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.serving.bounded_server import BoundedServer
from firmograph.serving.certificates import Certificate, load_certificate
from firmograph.serving.protocol import UVICORN_OPTIONS
from firmograph.settings import Settings

GRACE_SECONDS = 45
"""Time for open requests at shutdown, longer than a body may take to arrive."""


def run_server(
    installation: Installation,
    listener: socket.socket,
    *,
    background: bool,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGTERM or SIGINT, then finish open requests and close the database.

    SIGHUP reloads the certificate. `ready` is called when the server accepts requests. Raises Refused if it cannot
    start.
    """
    settings = installation.settings
    certificate = load_certificate(settings)
    application = create_app(installation, background=background)
    index, meters, show = installation.get(ServedSearch).active, installation.get(Metrics), _index_progress()
    for one in installation.indexes:
        one.active.on_served = freeze_existing_objects

    async def each_second() -> None:
        meters.update_watched()
        show(None if index.state == "ready" else index.build_progress)

    def ssl_context(*_: Any) -> Any:
        return certificate.context if certificate else None

    config = uvicorn.Config(
        application,
        lifespan="on",
        ssl_context_factory=ssl_context if certificate else None,
        headers=_transport_security(settings) if certificate else None,
        timeout_graceful_shutdown=GRACE_SECONDS,
        callback_notify=each_second,
        timeout_notify=0,
        **UVICORN_OPTIONS,
    )
    # a request competes several times with the thread that follows changes, and waits this long each time
    sys.setswitchinterval(0.0005)
    try:
        # the server raises the signal again after a clean shutdown; the database has to be closed after that
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            server = _Server(config, settings, meters, ready, certificate)
            runner.run(server.serve([listener]))
    except KeyboardInterrupt:
        pass
    except SystemExit as error:
        raise Refused("The server could not start; see the log above") from error
    finally:
        show(None)
        installation.database.close()


def _transport_security(settings: Settings) -> list[tuple[str, str]]:
    """Return the header by which browsers keep to https (RFC 6797), if a setting asks for it."""
    seconds = settings.hsts_seconds
    return [("strict-transport-security", f"max-age={seconds}")] if seconds else []


def _index_progress() -> Callable[[tuple[int, int] | None], None]:
    """Return a function that shows the progress of an index build on a terminal."""
    if not sys.stderr.isatty():
        return lambda progress: None
    from firmograph.kit.progress_bar import ProgressLine

    return ProgressLine("Building the search index").show


class _Server(BoundedServer):
    """Server that reports readiness and reloads its certificate on SIGHUP."""

    def __init__(
        self,
        config: uvicorn.Config,
        settings: Settings,
        meters: Metrics,
        ready: Callable[[], None],
        certificate: Certificate | None,
    ) -> None:
        super().__init__(config, settings, meters)
        self._ready = ready
        self._certificate = certificate

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._certificate:
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._certificate.renew)
            # the supervisor starts workers with this signal blocked
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
        await super().startup(sockets)
        self._ready()
