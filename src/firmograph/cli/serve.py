"""`firmograph serve`: the API on one port."""

import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.context import open_database, open_keyring
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

if TYPE_CHECKING:
    import asyncio
    import socket


app = typer.Typer()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes; only 1 for now.")] = 1,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Do no background work here; `firmograph worker` does it.")
    ] = False,
) -> None:
    """Serve the API until interrupted."""
    if workers > 1:
        raise Refused("--workers above 1 is not available yet: rate limits are counted within one process")
    import asyncio

    import uvicorn

    from firmograph.app import create_app
    from firmograph.cli.logs import set_up_logs

    settings = load_settings()
    set_up_logs(settings.log_level)
    database = open_database(settings)
    keyring = open_keyring(settings, database)
    listener = _listen(host, port)
    config = uvicorn.Config(
        create_app(settings, database, keyring, background=not no_worker),
        loop="uvloop",
        http="firmograph.cli.http:Protocol",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    # the server passes the signal on once it has ended in good order; closing the database is still to come
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # a request meets the thread that follows the changes several times on its way, and waits this long each time
    sys.setswitchinterval(0.0005)
    _greet(listener)
    try:
        with asyncio.Runner(loop_factory=_loop) as runner:
            runner.run(uvicorn.Server(config).serve([listener]))
    except KeyboardInterrupt:
        pass
    finally:
        database.close()


def _loop() -> "asyncio.AbstractEventLoop":
    import uvloop

    return uvloop.new_event_loop()


def _listen(host: str, port: int) -> "socket.socket":
    """A listening socket. Raises Refused when the address cannot be had."""
    import errno
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Refused(f"Port {port} on {host} is in use; choose another with --port") from error
        raise Refused(f"Cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def _greet(listener: "socket.socket") -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"Firmograph listens on http://{shown}:{port} - its API is described at /docs", file=sys.stderr)
