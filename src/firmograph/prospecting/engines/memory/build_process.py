"""Worker processes for the index, so that requests keep the interpreter of the serving process."""

import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any

import structlog

log = structlog.get_logger("firmograph.search")


@contextmanager
def worker_process(target: Callable[..., None], *arguments: Any) -> Iterator[Connection]:
    """Run `target(*arguments, sending)` in a process until the block ends; yields the receiving end."""
    context = get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(target, arguments, sending), name="search", daemon=True)
    process.start()
    sending.close()
    try:
        yield receiving
    finally:
        process.terminate()
        process.join()
        receiving.close()


def _run(target: Callable[..., None], arguments: tuple[Any, ...], sending: Connection) -> None:
    # a keyboard interrupt reaches both processes; the parent decides what it means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _set_up_logs()
    # entries contain no reference cycles, and there are millions of them
    gc.set_threshold(50_000, 50, 100)
    try:
        target(*arguments, sending)
    except Exception as error:
        log.error("worker process of the search index failed", error=type(error).__name__)
        sys.exit(1)


def _set_up_logs() -> None:
    """Log warnings as JSON lines on stderr, and failures without the data they met."""
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
    """Exit when the parent is killed, which does not end its children."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
