"""`firmograph worker`: the background work, in a process of its own."""

import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.context import open_database, open_keyring
from firmograph.kit.database import Database
from firmograph.kit.errors import Refused
from firmograph.settings import Settings, load_settings

if TYPE_CHECKING:
    from firmograph.accounts.plans import Plans
    from firmograph.upkeep.service import Worker
    from firmograph.webhooks.delivering import Deliverer

app = typer.Typer()

_ENDING = (signal.SIGINT, signal.SIGTERM)


@app.command()
def worker(
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
) -> None:
    """Do the background work of a database until interrupted: deliver webhooks, delete what has expired, and the like.

    `firmograph serve` does it too unless started with --no-worker. Any number of workers may run, on any number of
    machines: each piece of work is done by one of them, and taken over by another within half a minute when that one
    dies. Their clocks should agree within a few seconds.
    """
    from firmograph.accounts.plans import load_plans
    from firmograph.cli.logs import set_up_logs
    from firmograph.kit.clock import SystemClock
    from firmograph.upkeep.duties import duties_of
    from firmograph.upkeep.service import Worker

    settings = load_settings()
    set_up_logs(settings.log_level)
    plans = load_plans(settings.plans_file)
    duties = duties_of(plans)
    database = open_database(settings)
    ended: list[tuple[str, str]] = []
    try:
        deliverer = _deliverer(settings, database, plans)
        if once:
            told = Worker(database, SystemClock(), duties, lambda *duty: ended.append(duty))
            _do_once(told, deliverer, ended)
        else:
            _work(Worker(database, SystemClock(), duties), deliverer)
    finally:
        database.close()


def _deliverer(settings: Settings, database: Database, plans: "Plans") -> "Deliverer":
    from firmograph.kit.clock import SystemClock
    from firmograph.webhooks.service import make_deliverer

    keyring = open_keyring(settings, database)
    return make_deliverer(settings, database, keyring, SystemClock(), plans)


def _do_once(worker: "Worker", deliverer: "Deliverer", ended: list[tuple[str, str]]) -> None:
    import asyncio

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


def _work(worker: "Worker", deliverer: "Deliverer") -> None:
    """Until a signal asks to end: what is at hand is finished first, unless a second signal comes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    # two threads send and ask the database, and each waits this long for the other
    sys.setswitchinterval(0.0005)
    worker.start()
    deliverer.start()
    print("Firmograph works in the background; end it with Ctrl-C", file=sys.stderr)
    signal.sigwait(_ENDING)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    deliverer.stop()
    worker.stop()
