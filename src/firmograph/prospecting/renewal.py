"""Renewing the checkpoint in a process of its own, so that this one's interpreter stays with the requests."""

import gc
import logging
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection

import structlog

from firmograph.kit.database import Database
from firmograph.prospecting.keeper import Keeper, Stopped
from firmograph.prospecting.rebuild import Told

_LOOK_SECONDS = 0.1
_GENTLY = 5
"""How much it yields to others on a busy machine, as `nice` counts."""


class Failed(Exception):
    """The other process ended without a checkpoint; the text says why, as far as is known."""


def renew_elsewhere(url: str, folder: str, told: Told, stopping: Callable[[], bool]) -> int:
    """`Keeper.renew` of the database at a URL; the place that the checkpoint has reached.

    Raises Failed when the process fails or dies, Stopped, once it has ended, when it should stop.
    """
    context = get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(url, folder, sending), name="search", daemon=True)
    process.start()
    sending.close()
    try:
        while not stopping():
            if receiving.poll(_LOOK_SECONDS):
                message = receiving.recv()
                if isinstance(message, str):
                    raise Failed(message)
                if isinstance(message, int):
                    return message
                told(*message)
        raise Stopped
    except EOFError:
        raise Failed("the process died, perhaps for lack of memory") from None
    finally:
        process.terminate()
        process.join()
        receiving.close()


def _work(url: str, folder: str, sending: Connection) -> None:
    """The other process."""
    # an interrupt from the keyboard reaches both; the first process decides what it means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _set_up_logs()
    os.nice(_GENTLY)
    # entries make no cycles, and there are millions of them
    gc.set_threshold(50_000, 50, 100)
    database = Database(url)
    try:
        renewed = Keeper(database, folder).renew(told=lambda *progress: sending.send(progress))
    except BrokenPipeError:
        return
    except Exception as error:
        sending.send(_reason(error))
    else:
        sending.send(renewed.engine.applied)
    finally:
        database.close()


def _reason(error: Exception) -> str:
    """What went wrong; only errors of this machine tell more than their kind, others may quote what is held."""
    told = isinstance(error, sqlite3.Error | OSError)
    return f"{type(error).__name__}: {error}" if told else type(error).__name__


def _set_up_logs() -> None:
    """Warnings as lines of JSON on stderr, failures without what they met."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _end_with_parent() -> None:
    """A parent that is killed ends no children; what it asked for serves nobody then."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
