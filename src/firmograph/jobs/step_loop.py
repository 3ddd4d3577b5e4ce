"""Loop of a worker's thread: steps, pauses between them, and failures that are logged once and tried again."""

import threading
from collections.abc import Callable

from firmograph.kit.error_log import ErrorLog


def run_steps(
    step: Callable[[], float], stopped: threading.Event, errors: ErrorLog, *, retry_seconds: float
) -> None:
    """Run steps until the event is set; each returns the seconds until the next, and one that raises is tried again."""
    while not stopped.is_set():
        try:
            pause = step()
        except Exception as error:
            errors.failed(error)
            pause = retry_seconds
        else:
            errors.recovered()
        stopped.wait(pause)
