"""Command `firmograph serve`: the API on one port."""

import shutil
import tempfile
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.cli.context import open_installation
from firmograph.settings import Settings, load_settings

if TYPE_CHECKING:
    import socket

    from firmograph.billing.plans import Plans

app = typer.Typer()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, help="Server processes, each with a search index of its own.")
    ] = 1,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave background work to `firmograph worker`.")
    ] = False,
    certificate: Annotated[
        str,
        typer.Option(metavar="FILE", help="Serve https with this certificate (PEM, followed by its chain)."),
    ] = "",
    key: Annotated[
        str, typer.Option(metavar="FILE", help="Key of the certificate (PEM), unless it is in the same file.")
    ] = "",
) -> None:
    """Serve the API until interrupted. SIGHUP reloads the certificate."""
    from firmograph.bootstrap.packages import load_plans
    from firmograph.cli.logs import log_misnamed_settings, set_up_logs
    from firmograph.cli.serving.certificates import load_certificate
    from firmograph.cli.serving.listener import check_proxies, open_listener, print_address
    from firmograph.prospecting.engines.registry import engine_factory

    settings = load_settings()
    given = {"certificate_file": certificate, "key_file": key}
    settings = msgspec.structs.replace(settings, **{name: file for name, file in given.items() if file})
    set_up_logs(settings.log_level)
    log_misnamed_settings()
    # refuse invalid settings here, once and before anything starts
    load_certificate(settings)
    check_proxies(settings)
    engine_factory(settings)
    plans = load_plans(settings.plans_file)
    installation = open_installation(settings, logs=True)
    ensure_keyring(settings, installation.database)
    listener = open_listener(host, port)
    print_address(listener, settings, workers)
    if workers == 1:
        from firmograph.cli.serving.server import run_server

        run_server(installation, listener, background=not no_worker)
    else:
        installation.database.close()
        _serve_with_workers(settings, plans, listener, workers, background=not no_worker)


def _serve_with_workers(
    settings: Settings, plans: "Plans", listener: "socket.socket", workers: int, *, background: bool
) -> None:
    from firmograph.cli.serving.supervisor import Supervisor
    from firmograph.cli.serving.worker import SharedSettings, run_worker
    from firmograph.rate_limits import shared_memory

    counters = shared_memory.create_counter_file(plans)
    meters = tempfile.mkdtemp(prefix="firmograph-")
    shared = SharedSettings(settings=settings, background=background, counters=counters, meters=meters)
    supervisor = Supervisor(
        run_worker,
        (shared, listener),
        workers,
        reloads=bool(settings.certificate_file),
        on_stop=listener.close,
    )
    try:
        supervisor.run()
    finally:
        shared_memory.remove_counter_file(counters)
        shutil.rmtree(meters, ignore_errors=True)
