"""One of several processes of one `serve`: what it is started with, and how it ends."""

import os
import shutil
import signal
import socket
import sys
import threading
import time
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection

import msgspec

from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import reduce_gc_frequency
from firmograph.settings import Settings

READY = ""
"""What a worker tells once it answers; anything else is why it cannot."""

_ENDING_SECONDS = 5.0
"""How long a worker that has lost its parent may take to end in good order."""


class SharedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the workers of one `serve` have together."""

    settings: Settings
    background: bool
    counters: str
    """The file in which rate limits are counted."""
    meters: str
    """The folder in which `/metrics` counts."""


def work(number: int, telling: Connection, shares: SharedSettings, listener: socket.socket) -> None:
    """Serve as worker `number` until SIGTERM; ends by itself when its parent is gone. Runs in a new process."""
    # an interrupt from the keyboard and a terminal that closes reach everybody; the parent decides what they mean
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not shares.settings.certificate_file:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Thread(target=_end_with_parent, args=(shares,), daemon=True).start()
    reduce_gc_frequency()

    from firmograph.api.metrics import share_metrics
    from firmograph.cli.context import open_database, open_keyring
    from firmograph.cli.logs import set_up_logs

    set_up_logs(shares.settings.log_level)
    share_metrics(shares.meters, number)

    from firmograph.cli.serving.server import run

    try:
        database = open_database(shares.settings, logs=True)
        keyring = open_keyring(shares.settings, database)
        run(
            shares.settings,
            database,
            keyring,
            listener,
            background=shares.background,
            shared=shares.counters,
            ready=lambda: telling.send(READY),
        )
    except FirmographError as error:
        telling.send(error.message)
        sys.exit(1)


def _end_with_parent(shares: SharedSettings) -> None:
    """A parent that is killed ends no children and removes no files; nobody would start them again or end them."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        for folder in (shares.meters, os.path.dirname(shares.counters)):
            shutil.rmtree(folder, ignore_errors=True)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_ENDING_SECONDS)
        os._exit(1)
