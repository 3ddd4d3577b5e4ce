"""Tuning of Python's cyclic garbage collector for work that creates many objects and no cycles."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


def reduce_gc_frequency() -> None:
    """Reduce collections for the whole process, as objects created at start, such as modules, live until its end.

    With Python's default thresholds, collections took a third of the time of a start and of a short command.
    """
    gc.set_threshold(10_000, 10, 10)
    atexit.register(gc.freeze)


def freeze_existing_objects() -> None:
    """Exempt all existing objects from collections; they are still freed when unreferenced.

    Meant for large permanent structures: a full collection visits every object and stops all threads.
    """
    gc.freeze()


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable collections for the duration of the block, because each full collection visits every live object.

    During an import, one collection took as long as a commit; collections took a quarter of building a large index.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
