"""Command `firmograph worker`: background work in a process of its own."""

import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph import __version__
from firmograph.cli.context import open_database, open_keyring
from firmograph.database.connection import Database
from firmograph.kit.errors import Refused
from firmograph.settings import Settings, load_settings

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from firmograph.api.metrics import Metrics
    from firmograph.billing.plans import Plans
    from firmograph.jobs.scheduler import JobWorker, Outcome
    from firmograph.webhooks.deliveries.worker import DeliveryWorker
    from firmograph.webhooks.deliveries.worker_cycle import DeliveryObserver

app = typer.Typer()

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@app.command()
def worker(
    once: Annotated[bool, typer.Option("--once", help="Do the work that is due and exit.")] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port for Prometheus metrics; 0 picks a free one. Without it, there are no metrics.",
        ),
    ] = None,
    metrics_host: Annotated[
        str, typer.Option(help="Address for metrics; access as with `serve`.")
    ] = "127.0.0.1",
) -> None:
    """Do the background work of a database until interrupted: deliver webhooks, delete expired data, run periodic jobs.

    `firmograph serve` does the same unless started with --no-worker. Any number of workers on any number of machines
    share the work: each task is done by one of them, and another takes over within half a minute if it fails. Their
    clocks should agree within a few seconds.
    """
    from firmograph.billing.plans import load_plans
    from firmograph.cli.logs import log_misnamed_settings, set_up_logs

    if once and metrics_port is not None:
        raise typer.BadParameter("a worker with --once has no metrics", param_hint="--metrics-port")
    settings = load_settings()
    set_up_logs(settings.log_level)
    log_misnamed_settings()
    plans = load_plans(settings.plans_file)
    database = open_database(settings, logs=True)
    try:
        if once:
            _run_once(settings, database, plans)
        else:
            _run(settings, database, plans, _open_listener(metrics_host, metrics_port))
    finally:
        database.close()


def _open_listener(host: str, port: int | None) -> "socket.socket | None":
    """Return the listening socket for metrics, if any."""
    from firmograph.cli.serving.listener import open_listener

    return None if port is None else open_listener(host, port, "--metrics-port")


def _make_workers(
    settings: Settings,
    database: Database,
    plans: "Plans",
    on_job_end: "Callable[[str, Outcome], None]",
    observer: "DeliveryObserver | None" = None,
) -> "tuple[JobWorker, DeliveryWorker]":
    from firmograph.jobs.periodic_jobs import periodic_jobs
    from firmograph.jobs.scheduler import JobWorker
    from firmograph.kit.clock import SystemClock
    from firmograph.webhooks.factory import make_delivery_worker

    keyring = open_keyring(settings, database)
    worker = JobWorker(database, SystemClock(), periodic_jobs(plans), on_job_end)
    return worker, make_delivery_worker(settings, database, keyring, SystemClock(), plans, observer)


def _run_once(settings: Settings, database: Database, plans: "Plans") -> None:
    import asyncio

    finished: list[tuple[str, str]] = []
    worker, deliverer = _make_workers(settings, database, plans, lambda *job: finished.append(job))
    while worker.step():
        pass
    attempts = asyncio.run(deliverer.run_until_idle())
    for name, outcome in finished:
        print(f"{name}: {outcome}", file=sys.stderr)
    if attempts:
        print(f"webhooks: {attempts} sent", file=sys.stderr)
    if not finished and not attempts:
        print("Nothing is due.", file=sys.stderr)
    if any(outcome == "failed" for _, outcome in finished):
        raise Refused("Some work failed; see the log above")


def _run(settings: Settings, database: Database, plans: "Plans", listener: "socket.socket | None") -> None:
    """Work until a signal, then finish current tasks unless a second signal arrives."""
    from firmograph.api.metrics import Metrics
    from firmograph.cli.serving.listener import server_url

    meters = Metrics(__version__)
    worker, deliverer = _make_workers(settings, database, plans, meters.count_job, meters)
    meters.watch_deliveries(lambda: deliverer.in_flight)
    # before any thread starts, because threads inherit blocked signals
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    with _metrics_server(settings, meters, listener):
        # two threads use the network and the database, and each waits this long for the other
        sys.setswitchinterval(0.0005)
        worker.start()
        deliverer.start()
        metrics = f"; metrics at {server_url(listener)}/metrics" if listener else ""
        print(f"Firmograph works in the background; stop with Ctrl-C{metrics}", file=sys.stderr)
        signal.sigwait(_STOP_SIGNALS)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
        deliverer.stop()
        worker.stop()


def _metrics_server(
    settings: Settings, meters: "Metrics", listener: "socket.socket | None"
) -> AbstractContextManager[None]:
    if listener is None:
        return nullcontext()
    from firmograph.cli.serving.metrics_server import serve_metrics

    return serve_metrics(settings, meters, listener)
