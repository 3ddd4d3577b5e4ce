"""Cache of values bounded by their bytes, shared by threads."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class ByteCache(Generic[V]):
    """Values by key; the one that was used longest ago goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self.bytes = 0

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Keep a value of `size` bytes in place of the one before; one above the bound is not kept."""
        with self._lock:
            self._drop(key)
            if size > self._most:
                return
            self._values[key] = value, size
            self.bytes += size
            while self.bytes > self._most:
                self._drop(next(iter(self._values)))

    def _drop(self, key: Hashable) -> None:
        if key in self._values:
            self.bytes -= self._values.pop(key)[1]
