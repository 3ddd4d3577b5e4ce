"""Failing workers under a real supervisor."""

import signal
import sys
from pathlib import Path

from firmograph.kit.errors import Refused
from firmograph.kit.logs import set_up_logs
from firmograph.serving.supervisor import Supervisor
from firmograph.serving.worker import READY


def fails(number, connection, folder):
    sys.exit(3)


def refuses(number, connection, folder):
    connection.send(f"worker {number} will not")
    sys.exit(1)


def answers_once(number, connection, folder):
    """Answer as the first worker and end; later ones end at once, the fourth waits for its end."""
    begun = folder / "begun"
    begun.write_text(before := (begun.read_text() if begun.exists() else "") + "x")
    if before == "x":
        connection.send(READY)
    if len(before) == 4:
        (folder / "stays").touch()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        signal.pause()


def main(name, folder):
    set_up_logs("warning")
    target = {"fails": fails, "refuses": refuses, "answers_once": answers_once}[name]
    try:
        Supervisor(target, (Path(folder),), 1 if target is answers_once else 2).run()
    except Refused as error:
        print(error.message)
        sys.exit(1)
