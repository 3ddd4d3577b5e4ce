"""Start of `serve`: what it is refused for, its socket, and its one or several processes."""

import shutil
import socket
import tempfile

from firmograph.api.trusted_proxies import trusted_networks
from firmograph.billing.plans import Plans
from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.bootstrap.packages import load_plans
from firmograph.prospecting.engines.registry import engine_factory
from firmograph.serving.certificates import load_certificate
from firmograph.serving.listener import open_listener, print_address, print_first_run_link
from firmograph.serving.worker import Opener, SharedSettings, run_worker
from firmograph.settings import Settings


def start(
    settings: Settings, host: str, port: int, workers: int, *, background: bool, open_installation: Opener
) -> None:
    """Serve until interrupted, in this process or in as many as there are workers.

    Raises Refused for invalid settings, once and before anything starts.
    """
    load_certificate(settings)
    trusted_networks(settings.trusted_proxies)
    engine_factory(settings)
    plans = load_plans(settings.plans_file)
    installation = open_installation(settings, creates=True, logs=True)
    ensure_keyring(settings, installation.database)
    if settings.providers_file:
        # otherwise the parent of several processes does without the waterfall
        from firmograph.waterfall.providers.types import Providers

        installation.get(Providers)
    listener = open_listener(host, port)
    print_address(listener, settings, workers)
    if settings.workspace:
        print_first_run_link(listener, settings, installation)
    if workers == 1:
        # loads what the parent of several processes does without
        from firmograph.serving.server import run_server

        run_server(installation, listener, background=background)
    else:
        installation.database.close()
        _run_workers(
            settings, plans, listener, workers, background=background, open_installation=open_installation
        )


def _run_workers(
    settings: Settings,
    plans: Plans,
    listener: socket.socket,
    workers: int,
    *,
    background: bool,
    open_installation: Opener,
) -> None:
    from firmograph.rate_limits import shared_memory
    from firmograph.serving.supervisor import Supervisor

    counters = shared_memory.create_counter_file(plans)
    meters = tempfile.mkdtemp(prefix="firmograph-")
    shared = SharedSettings(
        settings=settings,
        background=background,
        counters=counters,
        meters=meters,
        open_installation=open_installation,
    )
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
