"""Worker process of a `serve` with several processes."""

import os
import shutil
import signal
import socket
import sys
import threading
import time
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from typing import Protocol

import msgspec

from firmograph.installation import Installation
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import reduce_gc_frequency
from firmograph.kit.logs import set_up_logs
from firmograph.kit.outage import log_outages
from firmograph.settings import Settings

READY = ""
"""Status of a ready worker; any other is the reason of its failure."""

_STOP_SECONDS = 5.0
"""Time for a worker without its parent to stop cleanly."""


class Opener(Protocol):
    """Function that opens the installation of some settings; processes get it by its name."""

    def __call__(
        self, settings: Settings, *, creates: bool = False, logs: bool, counter_file: str | None = None
    ) -> Installation: ...


class SharedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings and files shared by the workers of one `serve`."""

    settings: Settings
    background: bool
    counters: str
    """File with the counters of rate limits."""
    meters: str
    """Folder with the counters of `/metrics`."""
    open_installation: Opener


def run_worker(number: int, status: Connection, shared: SharedSettings, listener: socket.socket) -> None:
    """Serve as worker `number` until SIGTERM or the end of the parent process. Runs in a new process."""
    # keyboard interrupts and closing terminals reach all processes; the parent handles them
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not shared.settings.certificate_file:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Thread(target=_end_with_parent, args=(shared,), daemon=True).start()
    reduce_gc_frequency()

    from firmograph.api.metrics import share_metrics

    set_up_logs(shared.settings.log_level)
    share_metrics(shared.meters, number)

    from firmograph.serving.server import run_server

    try:
        installation = shared.open_installation(shared.settings, logs=True, counter_file=shared.counters)
        log_outages(shared.meters)
        run_server(installation, listener, background=shared.background, ready=lambda: status.send(READY))
    except FirmographError as error:
        status.send(error.message)
        sys.exit(1)


def _end_with_parent(shared: SharedSettings) -> None:
    """Remove shared files and stop once the parent is gone, because a killed parent cannot do it."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        for folder in (shared.meters, os.path.dirname(shared.counters)):
            shutil.rmtree(folder, ignore_errors=True)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_STOP_SECONDS)
        os._exit(1)
