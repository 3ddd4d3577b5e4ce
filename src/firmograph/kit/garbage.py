"""Python's collector of reference cycles, kept out of work that makes many objects and no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
