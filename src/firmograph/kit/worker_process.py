"""Processor-heavy work in a process of its own, so that requests keep the interpreter of the serving process.

A worker process ends with the block that started it, and with its parent, however that ends. It logs warnings to
standard error, and failures by their type alone, as a message may contain personal data.
"""

import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple, TypeVar

import structlog

from firmograph.kit.errors import DatabaseLost
from firmograph.kit.machine_errors import machine_error_text

log = structlog.get_logger("firmograph.worker_process")

_POLL_SECONDS: Final = 0.1
"""Interval of the question whether to stop."""

Report = Callable[..., None]
"""Sends the progress of work to the process that waits for it, as arguments of its function."""

T = TypeVar("T")


class ProcessFailed(Exception):
    """Failure or death of a worker process, with the reason as far as it may be shown."""


class ProcessStopped(Exception):
    """End of a worker process at the request of the caller."""


class _Progress(NamedTuple):
    values: tuple[Any, ...]


class _Result(NamedTuple):
    value: Any


class _Failure(NamedTuple):
    reason: str
    is_lost: bool
    """Whether the process has lost the database."""


def run_in_process(
    work: Callable[..., T],
    *arguments: Any,
    name: str,
    niceness: int = 0,
    on_progress: Callable[..., None] = lambda *progress: None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> T:
    """Return the result of `work(report, *arguments)`, a module's function that runs in a worker process.

    What the work passes to `report` goes to `on_progress`. Raises ProcessFailed when the work raises or its process
    dies, DatabaseLost if it has lost the database, and ProcessStopped, after ending the process, when `is_stopping`
    returns true.
    """
    with worker_process(_work, work, arguments, name=name, niceness=niceness) as receiving:
        while not is_stopping():
            if not receiving.poll(_POLL_SECONDS):
                continue
            try:
                message = receiving.recv()
            except EOFError:
                raise ProcessFailed("the process died, perhaps for lack of memory") from None
            if isinstance(message, _Result):
                result: T = message.value
                return result
            if isinstance(message, _Failure):
                if message.is_lost:
                    raise DatabaseLost
                raise ProcessFailed(message.reason)
            on_progress(*message.values)
        raise ProcessStopped


@contextmanager
def worker_process(
    target: Callable[..., None], *arguments: Any, name: str, niceness: int = 0
) -> Iterator[Connection]:
    """Run `target(*arguments, sending)` in a process until the block ends; yield the receiving end.

    `niceness` is the priority that the process yields on a busy machine, as counted by `nice`.
    """
    context = get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(
        target=_run, args=(target, arguments, sending, name, niceness), name=name, daemon=True
    )
    process.start()
    sending.close()
    try:
        yield receiving
    finally:
        # a suspended process would not end by any other signal
        process.kill()
        process.join()
        receiving.close()


def _work(work: Callable[..., Any], arguments: tuple[Any, ...], sending: Connection) -> None:
    """Send progress and result or failure of the work."""

    def report(*progress: Any) -> None:
        sending.send(_Progress(progress))

    # the caller is gone, as it was killed
    with suppress(BrokenPipeError):
        try:
            result = work(report, *arguments)
        except BrokenPipeError:
            raise
        except Exception as error:
            sending.send(_Failure(_reason(error), isinstance(error, DatabaseLost)))
        else:
            sending.send(_Result(result))


def _reason(error: Exception) -> str:
    """Describe an error. Only operating-system errors are quoted; others may contain personal data."""
    quoted = machine_error_text(error)
    return f"{type(error).__name__}: {quoted}" if quoted else type(error).__name__


def _run(
    target: Callable[..., None],
    arguments: tuple[Any, ...],
    sending: Connection,
    name: str,
    niceness: int,
) -> None:
    prepare_pooled_process(niceness)
    try:
        target(*arguments, sending)
    except Exception as error:
        log.error("worker process failed", process=name, error=type(error).__name__)
        sys.exit(1)


def prepare_pooled_process(niceness: int) -> None:
    """Prepare a process that was just started, also one of a pool: signals, end with the parent, logs, priority."""
    # a keyboard interrupt reaches both processes; the parent decides what it means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # a parent that waits for signals blocks them, and its children inherit that
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _set_up_logs()
    os.nice(niceness)
    # such work creates many objects and few reference cycles
    gc.set_threshold(50_000, 50, 100)


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
