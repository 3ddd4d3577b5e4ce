"""Dry runs of imports and the forecast of their effects.

See docs/reference/import.md#dry-run.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from firmograph.cli.sentences import say

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.installation import Installation
    from firmograph.settings import Settings
    from firmograph.webhooks.deliveries.forecast import Forecast


@contextmanager
def open_dry_run(settings: "Settings") -> Iterator["Installation"]:
    """Yield the installation of a dry-run database, whose writes are discarded. Raises Refused."""
    from firmograph.bootstrap.assembly import make_installation
    from firmograph.bootstrap.keyring import dry_run_keyring
    from firmograph.cli.context import make_database, open_existing_database
    from firmograph.database.connection import RECORDS
    from firmograph.database.dry_run import dry_run_database
    from firmograph.database.schema import check_prepared, prepare
    from firmograph.kit.machine_errors import refuse_machine_errors

    database = make_database(settings)
    if not database.embedded or Path(database.path).exists():
        database = open_existing_database(settings)
    if not database.embedded:
        check_prepared(database)
        say("Other imports and suppressions wait until this dry run ends", err=True)
    with (
        _exit_on_sigterm(),
        closing(database),
        refuse_machine_errors("The dry run failed"),
        dry_run_database(database, RECORDS, _print_copying) as other,
    ):
        if other.embedded:
            prepare(other)
        yield make_installation(settings, other, dry_run_keyring(settings, database, other))


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Exit regularly on SIGTERM, so that the copy of personal data is removed."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print_copying(size: int) -> None:
    say(f"Copying the database for this dry run ({size / 1e6:,.0f} MB, in the same folder)", err=True)


def last_signal(database: "Database") -> int:
    """Return the id of the newest signal, for `forecast`."""
    from firmograph.signals.store import last_signal_id

    with database.read() as session:
        return last_signal_id(session)


def forecast(installation: "Installation", after: int) -> "Forecast":
    """Return the deliveries and costs that the signals after this id would cause."""
    from firmograph.webhooks.deliveries.forecast import Forecaster

    with installation.database.read() as session:
        return installation.get(Forecaster).since(session, after)


def forecast_json(forecast: "Forecast") -> dict[str, Any]:
    """Return the keys that `--json` adds to the summary."""
    values: dict[str, Any] = msgspec.to_builtins(forecast)
    return {"dryRun": True, "signalsByType": values.pop("signals"), **values}


def print_forecast(forecast: "Forecast") -> None:
    from firmograph.cli.output import write_fields

    say("This was a dry run: nothing was changed")
    say(f"Signals that would be detected: {sum(forecast.signals.values()):,}")
    write_fields(forecast.signals.items())
    say(f"Deliveries that they would cause: {forecast.deliveries:,}, for {forecast.credits:,} credits")
    for one in forecast.accounts:
        missing = f", {one.missing:,} missing" if one.missing else ""
        unit = "delivery" if one.deliveries == 1 else "deliveries"
        say(
            f"  {one.account}: {one.deliveries:,} {unit}, {one.credits:,} of {one.remaining:,} credits{missing}"
        )
