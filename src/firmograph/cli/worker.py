"""`firmograph worker`: the background work, in a process of its own."""

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

_ENDING = (signal.SIGINT, signal.SIGTERM)


@app.command()
def worker(
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Tell Prometheus at this port how the work goes; 0 takes a free one. Without it nothing listens.",
        ),
    ] = None,
    metrics_host: Annotated[
        str, typer.Option(help="The address to do so on; who may ask is as with `serve`.")
    ] = "127.0.0.1",
) -> None:
    """Do the background work of a database until interrupted: deliver webhooks, delete what has expired, and the like.

    `firmograph serve` does it too unless started with --no-worker. Any number of workers may run, on any number of
    machines: each piece of work is done by one of them, and taken over by another within half a minute when that one
    dies. Their clocks should agree within a few seconds.
    """
    from firmograph.billing.plans import load_plans
    from firmograph.cli.logs import log_misnamed_settings, set_up_logs

    if once and metrics_port is not None:
        raise typer.BadParameter(
            "a worker that ends at once is not serve_metrics", param_hint="--metrics-port"
        )
    settings = load_settings()
    set_up_logs(settings.log_level)
    log_misnamed_settings()
    plans = load_plans(settings.plans_file)
    database = open_database(settings, logs=True)
    try:
        if once:
            _do_once(settings, database, plans)
        else:
            _work(settings, database, plans, _listener(metrics_host, metrics_port))
    finally:
        database.close()


def _listener(host: str, port: int | None) -> "socket.socket | None":
    """Where it is asked how the work goes, if anywhere."""
    from firmograph.cli.serving.listener import listen

    return None if port is None else listen(host, port, "--metrics-port")


def _made(
    settings: Settings,
    database: Database,
    plans: "Plans",
    duty_ended: "Callable[[str, Outcome], None]",
    observer: "DeliveryObserver | None" = None,
) -> "tuple[JobWorker, DeliveryWorker]":
    from firmograph.jobs.periodic_jobs import periodic_jobs
    from firmograph.jobs.scheduler import JobWorker
    from firmograph.kit.clock import SystemClock
    from firmograph.webhooks.factory import make_delivery_worker

    keyring = open_keyring(settings, database)
    worker = JobWorker(database, SystemClock(), periodic_jobs(plans), duty_ended)
    return worker, make_delivery_worker(settings, database, keyring, SystemClock(), plans, observer)


def _do_once(settings: Settings, database: Database, plans: "Plans") -> None:
    import asyncio

    ended: list[tuple[str, str]] = []
    worker, deliverer = _made(settings, database, plans, lambda *duty: ended.append(duty))
    while worker.step():
        pass
    attempts = asyncio.run(deliverer.run_until_idle())
    for name, outcome in ended:
        print(f"{name}: {outcome}", file=sys.stderr)
    if attempts:
        print(f"webhooks: {attempts} sent", file=sys.stderr)
    if not ended and not attempts:
        print("Nothing is due.", file=sys.stderr)
    if any(outcome == "failed" for _, outcome in ended):
        raise Refused("Not everything could be done; the log above tells why")


def _work(settings: Settings, database: Database, plans: "Plans", listener: "socket.socket | None") -> None:
    """Until a signal asks to end: what is at hand is finished first, unless a second signal comes."""
    from firmograph.api.metrics import Metrics
    from firmograph.cli.serving.listener import address

    meters = Metrics(__version__)
    worker, deliverer = _made(settings, database, plans, meters.count_job, meters)
    meters.watch_deliveries(lambda: deliverer.in_flight)
    # before any thread is started, as each inherits what is held back
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    with _watched(settings, meters, listener):
        # two threads send and ask the database, and each waits this long for the other
        sys.setswitchinterval(0.0005)
        worker.start()
        deliverer.start()
        at = f"; its metrics are at {address(listener)}/metrics" if listener else ""
        print(f"Firmograph works in the background; end it with Ctrl-C{at}", file=sys.stderr)
        signal.sigwait(_ENDING)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        deliverer.stop()
        worker.stop()


def _watched(
    settings: Settings, meters: "Metrics", listener: "socket.socket | None"
) -> AbstractContextManager[None]:
    if listener is None:
        return nullcontext()
    from firmograph.cli.serving.metrics_server import serve_metrics

    return serve_metrics(settings, meters, listener)
