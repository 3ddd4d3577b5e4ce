"""Derivation of records whose rules are outdated, before a command uses them."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from firmograph.bootstrap.keyring import configured_keyring, ensure_keyring
from firmograph.database.connection import Database
from firmograph.database.schema import RULES, held_rules
from firmograph.kit.errors import Refused
from firmograph.settings import Settings

_LOG_SECONDS = 60.0
_TITLE = "Merging records by the rules of this release"


def derive_records(settings: Settings, database: Database, *, logs: bool = False) -> None:
    """Merge records again whose rules are outdated; work done by other or killed processes is not repeated.

    With `logs`, for processes that have set up their log, progress is logged if there is no terminal.

    Without a keyring nothing is done, because commands that need the records refuse to run without it.
    Raises Refused if interrupted.
    """
    if held_rules(database.session()) == RULES or configured_keyring(settings, database) is None:
        return
    from firmograph.ingest.commits import waiting_message
    from firmograph.ingest.merging.derivation import Derivation

    keyring = ensure_keyring(settings, database)
    try:
        with _progress_report(logs) as report:
            Derivation(database, keyring, lambda why: typer.echo(waiting_message(why), err=True)).run(report)
    except KeyboardInterrupt:
        raise Refused("Interrupted; the next command continues to merge the records") from None


@contextmanager
def _progress_report(logs: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a progress bar; without a terminal, occasional log lines for servers or text lines for commands."""
    if sys.stderr.isatty():
        from firmograph.cli.progress import count_progress

        with count_progress(_TITLE) as report:
            yield report
    else:
        yield _Lines(_log if logs else _print)


class _Lines:
    """Progress lines at the start, each minute and at the end."""

    def __init__(self, write: Callable[[int, int], None]) -> None:
        self._write = write
        self._last = float("-inf")

    def __call__(self, done: int, total: int) -> None:
        if done == total or time.monotonic() >= self._last + _LOG_SECONDS:
            self._last = time.monotonic()
            self._write(done, total)


def _log(done: int, total: int) -> None:
    import structlog

    log = structlog.get_logger("firmograph.derivation")
    log.info("records are merged by the rules of this release", done=done, total=total)


def _print(done: int, total: int) -> None:
    typer.echo(f"{_TITLE}: {done:,} of {total:,}", err=True)
