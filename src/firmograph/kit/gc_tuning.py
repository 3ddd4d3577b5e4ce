"""Python's collector of reference cycles, kept out of work that makes many objects and no cycles."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


def collect_seldom() -> None:
    """For a whole process: what its start makes, modules most of all, stays, and its end frees everything anyway.

    With Python's own numbers, looking through all that again and again took a third of a start and of a short command.
    """
    gc.set_threshold(10_000, 10, 10)
    atexit.register(gc.freeze)


def exempt_from_collections() -> None:
    """Exempt the objects that exist now; they are still freed once nothing refers to them.

    For large structures that stay: a full collection goes over every object, and stops all threads for that long.
    """
    gc.freeze()


@contextmanager
def no_collection() -> Iterator[None]:
    """No garbage is collected meanwhile: a full collection goes over every object that is held, again and again.

    Inside an import one took as long as a whole commit may; of making a large index they took a quarter.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
