"""Command `firmograph worker`: background work in a process of its own."""

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.context import log_misnamed_settings, open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import note
from firmograph.cli.stop_signals import STOP_SIGNALS
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

if TYPE_CHECKING:
    import socket

    from firmograph.bootstrap.background import Background
    from firmograph.installation import BackgroundWork, Installation
    from firmograph.jobs.scheduler import Outcome
    from firmograph.kit.lifespans import RunsInThread

app = typer.Typer()

_OUTCOMES: "Final[Mapping[Outcome, str]]" = {
    "done": "done",
    "failed": "failed",
    "lost": "left to another worker",
}


@app.command(epilog=examples("firmograph worker", "firmograph worker --once"))
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
    from firmograph.bootstrap.packages import load_plans
    from firmograph.kit.logs import set_up_logs

    if once and metrics_port is not None:
        raise typer.BadParameter("a worker with --once has no metrics", param_hint="--metrics-port")
    settings = load_settings()
    set_up_logs(settings.log_level)
    log_misnamed_settings()
    # refuses an invalid file before anything starts
    load_plans(settings.plans_file)
    installation = open_installation(settings, logs=True)
    try:
        if once:
            _run_once(installation)
        else:
            _run(installation, _open_listener(metrics_host, metrics_port))
    finally:
        installation.database.close()


def _open_listener(host: str, port: int | None) -> "socket.socket | None":
    """Return the listening socket for metrics, if any."""
    from firmograph.serving.listener import open_listener

    return None if port is None else open_listener(host, port, "--metrics-port")


def _run_once(installation: "Installation") -> None:
    from firmograph.bootstrap.background import build_background

    finished: list[tuple[str, Outcome]] = []
    background = build_background(installation, lambda *job: finished.append(job))
    counts = _finish(background)
    for name, outcome in finished:
        note(f"{background.scheduler.title(name)}: {_OUTCOMES[outcome]}")
    for work, count in counts.items():
        note(f"{work.done}: {count:,}")
    if not finished and not counts:
        note("Nothing is due")
    if any(outcome == "failed" for _, outcome in finished):
        raise Refused("Some work failed; see the log above")


def _finish(background: "Background") -> "Counter[BackgroundWork]":
    """Do what is due, in rounds until nothing more is found, as the work of one may be made by another."""
    counts: Counter[BackgroundWork] = Counter()
    while True:
        while background.scheduler.step():
            pass
        done = Counter({each: asyncio.run(each.worker.run_until_idle()) for each in background.work})
        if not done.total():
            return counts
        counts += done


def _run(installation: "Installation", listener: "socket.socket | None") -> None:
    """Work until a signal, then finish current tasks unless a second signal arrives."""
    from firmograph.bootstrap.background import build_background
    from firmograph.jobs.metrics import JobMetrics
    from firmograph.serving.listener import server_url

    scheduler, work = build_background(installation, installation.get(JobMetrics).count_job)
    # before any thread starts, because threads inherit blocked signals
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    with _metrics_server(installation, listener):
        # two threads use the network and the database, and each waits this long for the other
        sys.setswitchinterval(0.0005)
        workers: list[RunsInThread] = [scheduler, *(each.worker for each in work)]
        for worker in workers:
            worker.start()
        address = f", metrics at {server_url(listener)}/metrics" if listener else ""
        note(f"Firmograph works in the background{address}", "stop with Ctrl-C")
        signal.sigwait(STOP_SIGNALS)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        for worker in reversed(workers):
            worker.stop()


def _metrics_server(
    installation: "Installation", listener: "socket.socket | None"
) -> AbstractContextManager[None]:
    if listener is None:
        return nullcontext()
    from firmograph.serving.metrics_server import serve_metrics

    return serve_metrics(installation, listener)
