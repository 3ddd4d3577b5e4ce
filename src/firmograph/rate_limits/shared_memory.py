"""Rate limit counters in memory shared by the processes of one `serve --workers N`.

The parent process creates a file and removes it at its end; each worker opens it by its path:

    path = create_counter_file(load_plans(settings.plans_file))  # parent, before it starts workers
    make_installation(..., counter_file=path)                    # each worker; calls `open_counter_file`
    remove_counter_file(path)                                    # parent, after its workers have ended

Only the owner can read the file (mode 600, in a folder of its own). It lies in a memory file system if there is one,
and takes space only for accounts that make calls. Each account has a slot of fixed size, guarded by a lock on its first
byte, which the system releases when a process ends in any way.
"""

import contextlib
import fcntl
import mmap
import os
import struct
import tempfile
from pathlib import Path

from firmograph.billing.plans import Plans
from firmograph.kit.errors import Unavailable
from firmograph.rate_limits.windows import CELLS, OPERATOR_SECOND, AccountCounters

_HEADER = struct.Struct("=8sQ")
_MAGIC = b"fgcount1"
_HEADER_BYTES = mmap.ALLOCATIONGRANULARITY
_MEMORY = "/dev/shm"
_SLOTS = 1024
"""Slots mapped at once: a multiple of 64, so that a chunk of 64-byte slots ends at a page boundary."""
_POSITION = 0
_FIRST = 8 * (CELLS + 2)


def create_counter_file(plans: Plans) -> str:
    """Create the file, sized for the largest `second` of the plans and of operators, and return its path."""
    largest = max(OPERATOR_SECOND, *(plan.second or 0 for plan in plans))
    folder = tempfile.mkdtemp(prefix="firmograph-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
    path = Path(folder, "counters")
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.write(descriptor, _HEADER.pack(_MAGIC, largest))
    os.close(descriptor)
    return str(path)


def remove_counter_file(path: str) -> None:
    """Remove the file and its folder. Workers that still run keep their open file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
        os.rmdir(Path(path).parent)


def open_counter_file(path: str) -> "SharedCounterFile":
    """Open the parent's file. At most once per process, as the file locks of one process do not exclude each other."""
    return SharedCounterFile(os.open(path, os.O_RDWR | os.O_CLOEXEC))


class SharedCounterFile:
    """Counters of all accounts in a shared file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._times: int
        magic, self._times = _HEADER.unpack(os.pread(descriptor, _HEADER.size, 0))
        if magic != _MAGIC:
            raise ValueError("not a file of shared counters")
        # a multiple of cache lines, so that processes do not contend for the lines of other accounts
        self._slot: int = -(-(_FIRST + 8 * self._times) // 64) * 64
        self._chunks: dict[int, memoryview] = {}
        self._accounts: dict[int, AccountCounters] = {}

    def acquire(self, account_id: int) -> AccountCounters:
        counters = self._accounts.get(account_id) or self._open(account_id)
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, self._offset(account_id))
        return counters

    def release(self, account_id: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, self._offset(account_id))

    def _offset(self, account_id: int) -> int:
        return _HEADER_BYTES + account_id * self._slot

    def _open(self, account_id: int) -> AccountCounters:
        try:
            # allocate first: touching a page without space behind it would kill the process
            os.posix_fallocate(self._descriptor, self._offset(account_id), self._slot)
            chunk = self._chunk(account_id // _SLOTS)
        except OSError as error:
            raise Unavailable("The service has no space left to count requests. Try again later") from error
        begin = account_id % _SLOTS * self._slot
        slot = chunk[begin : begin + self._slot]
        counters = AccountCounters(slot[: 8 * CELLS].cast("q"), _TimeRing(slot[8 * CELLS :], self._times))
        self._accounts[account_id] = counters
        return counters

    def _chunk(self, number: int) -> memoryview:
        chunk = self._chunks.get(number)
        if chunk is None:
            size = _SLOTS * self._slot
            begin = _HEADER_BYTES + number * size
            # unlike ftruncate, it never shortens a file that another process has extended
            os.posix_fallocate(self._descriptor, begin + size - 1, 1)
            chunk = self._chunks[number] = memoryview(mmap.mmap(self._descriptor, size, offset=begin))
        return chunk

    def close(self) -> None:
        """Close the descriptor; locks and mappings end with the process."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _TimeRing:
    """Ring buffer of the times of one account's latest requests."""

    __slots__ = ("_count", "_latest", "_size", "_times")

    def __init__(self, slot: memoryview, size: int) -> None:
        self._latest = slot[:8].cast("d")
        self._count = slot[8:16].cast("q")
        self._times = slot[16 : 16 + 8 * size].cast("d")
        self._size = size

    @property
    def latest(self) -> float:
        return self._latest[0]

    @latest.setter
    def latest(self, at: float) -> None:
        self._latest[0] = at

    def nth(self, number: int) -> float:
        count = self._count[0]
        # a plan changed since the start may allow more than the buffer holds; then fewer requests are admitted
        number = min(number, self._size)
        return self._times[(count - number) % self._size] if count >= number > 0 else 0.0

    def add(self, at: float) -> None:
        if self._size:
            count = self._count[0]
            self._times[count % self._size] = at
            self._count[0] = count + 1

    def within(self, since: float) -> list[float]:
        latest = [self.nth(number) for number in range(min(self._size, self._count[0]), 0, -1)]
        return [at for at in latest if at > since]

    def clear(self) -> None:
        self._count[0] = 0
        self._latest[0] = 0.0
