"""Renewing the checkpoint in a process of its own."""

import os
from collections.abc import Callable
from multiprocessing.connection import Connection

from firmograph.database.connection import Database
from firmograph.kit.machine_errors import machine_error_text
from firmograph.prospecting.engines.memory.build_process import working
from firmograph.prospecting.engines.memory.checkpoints import Keeper, Stopped
from firmograph.prospecting.engines.memory.rebuild import Told

_LOOK_SECONDS = 0.1
_GENTLY = 5
"""How much the process yields to others on a busy machine, as `nice` counts."""


class Failed(Exception):
    """The other process ended without a checkpoint; the text says why, as far as is known."""


def renew_elsewhere(url: str, folder: str, told: Told, stopping: Callable[[], bool]) -> int:
    """`Keeper.renew` of the database at a URL; the place that the checkpoint has reached.

    Raises Failed when the process fails or dies, Stopped, once it has ended, when it should stop.
    """
    with working(_renew, url, folder) as receiving:
        try:
            while not stopping():
                if receiving.poll(_LOOK_SECONDS):
                    message = receiving.recv()
                    if isinstance(message, str):
                        raise Failed(message)
                    if isinstance(message, int):
                        return message
                    told(*message)
        except EOFError:
            raise Failed("the process died, perhaps for lack of memory") from None
        raise Stopped


def _renew(url: str, folder: str, sending: Connection) -> None:
    """The other process."""
    os.nice(_GENTLY)
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
    told = machine_error_text(error)
    return f"{type(error).__name__}: {told}" if told else type(error).__name__
