"""Renewal of the checkpoint in a process of its own."""

import os
from collections.abc import Callable
from multiprocessing.connection import Connection

from firmograph.database.connection import Database
from firmograph.kit.machine_errors import machine_error_text
from firmograph.prospecting.engines.memory.build_process import worker_process
from firmograph.prospecting.engines.memory.checkpoints import Checkpoints, StopRequested
from firmograph.prospecting.engines.memory.rebuild import ReportProgress

_POLL_SECONDS = 0.1
_NICENESS = 5
"""Priority that the process yields on a busy machine, as counted by `nice`."""


class RenewalFailed(Exception):
    """Raised when the process ended without a checkpoint, with the reason as far as it is known."""


def renew_in_process(url: str, folder: str, report: ReportProgress, is_stopping: Callable[[], bool]) -> int:
    """Run `Checkpoints.renew` in a process and return the position that the checkpoint reached.

    Raises RenewalFailed when the process fails or dies. Raises Stopped, after ending the process, if it should stop.
    """
    with worker_process(_renew, url, folder) as receiving:
        try:
            while not is_stopping():
                if receiving.poll(_POLL_SECONDS):
                    message = receiving.recv()
                    if isinstance(message, str):
                        raise RenewalFailed(message)
                    if isinstance(message, int):
                        return message
                    report(*message)
        except EOFError:
            raise RenewalFailed("the process died, perhaps for lack of memory") from None
        raise StopRequested


def _renew(url: str, folder: str, sending: Connection) -> None:
    """Renew the checkpoint and send progress and the result. Runs in the worker process."""
    os.nice(_NICENESS)
    database = Database(url)
    try:
        renewed = Checkpoints(database, folder).renew(report=lambda *progress: sending.send(progress))
    except BrokenPipeError:
        return
    except Exception as error:
        sending.send(_reason(error))
    else:
        sending.send(renewed.engine.applied)
    finally:
        database.close()


def _reason(error: Exception) -> str:
    """Describe an error. Only operating-system errors are quoted; others may contain personal data."""
    quoted = machine_error_text(error)
    return f"{type(error).__name__}: {quoted}" if quoted else type(error).__name__
