"""A process that watches a server under load and its machine, 50 times a second.

It has a core with the load client, not with the server. While a call waits for longer than `LATE_SECONDS` it looks
at the stacks of the server's threads (py-spy, which does not stop them), and at their waits in the kernel.
"""

import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.steady_load import Pending

LATE_SECONDS = 0.25
TICK_SECONDS = 0.02
_START_SECONDS = 30
_PROBE_SECONDS = 0.5
_LOOK_SECONDS = 2.0
_MOST_STACKS = 400
_HERTZ = os.sysconf("SC_CLK_TCK")
_SPAWN = get_context("spawn")


class Tick(msgspec.Struct, array_like=True):
    """The state at a moment. Counters run from some start; times are in seconds, of all cores together."""

    at: float
    """`time.monotonic`, as everywhere here."""
    late: float
    """Delay of this tick, as the machine or the core of the load client stood still."""
    own: float
    """Processor time of the server's main thread, counted."""
    queued: float
    """Time in which that thread was ready and had no core, counted."""
    server: float
    """Processor time of all threads of the server, counted."""
    faults: int
    """Pages that the server read from the disk and waited for, counted."""
    stolen: float
    """Time taken by the host of a virtual machine, counted."""
    disk: float
    """Time in which some process waited for the disk, counted; 0 if the kernel does not report it."""
    frames: int
    """Pages in the write-ahead log."""
    moved: int
    """Those of them already in the database file."""


class Thread(msgspec.Struct, array_like=True):
    """The state of a thread of the server."""

    main: bool
    interprets: bool
    """Whether it held the lock of the interpreter."""
    kernel: str
    """Its state (R: it runs or could, D: it waits for the disk, S: it sleeps), and its wait in the kernel."""
    frames: list[str]
    """Frames, the innermost first, as `FILE:LINE FUNCTION`."""


class Stacks(msgspec.Struct, array_like=True):
    """The state of all threads at a moment; empty if this system allows no look into a process."""

    at: float
    threads: list[Thread]


class Probe(NamedTuple):
    """The time of flushing 4 KiB to the disk."""

    at: float
    seconds: float


class Watched(msgspec.Struct):
    ticks: list[Tick]
    stacks: list[Stacks]
    probes: list[Probe]


class Target(NamedTuple):
    """The watched server."""

    pid: int
    database: Path


@contextmanager
def watching(target: Target, pending: Pending, out: Path) -> Iterator[None]:
    """Watch as long as the block runs; then everything is in the file `out` (`read`)."""
    began, ending = _SPAWN.Event(), _SPAWN.Event()
    process = _SPAWN.Process(target=_watch, args=(target, pending, out, began, ending), daemon=True)
    process.start()
    try:
        began.wait(_START_SECONDS)
        yield
    finally:
        ending.set()
        process.join(30)
    if process.exitcode != 0:
        raise RuntimeError("The process that watches the server failed")


def read_watched(path: Path) -> Watched:
    return msgspec.msgpack.decode(path.read_bytes(), type=Watched)


def _watch(target: Target, pending: Pending, out: Path, began: Any, ending: Any) -> None:
    watcher = _Watcher(target, pending)
    watcher.tick()
    began.set()
    probing = threading.Thread(target=watcher.probe, args=(out.with_suffix(".probe"), ending))
    probing.start()
    while not ending.is_set():
        watcher.tick()
    probing.join()
    out.write_bytes(msgspec.msgpack.encode(Watched(watcher.ticks, watcher.stacks, watcher.probes)))


class _Watcher:
    def __init__(self, target: Target, pending: Pending) -> None:
        self._target = target
        self._pending = pending
        self._log = Path(f"{target.database}-shm")
        self._next = time.monotonic()
        self._last_stacks = 0.0
        self.ticks: list[Tick] = []
        self.stacks: list[Stacks] = []
        self.probes: list[Probe] = []

    def tick(self) -> None:
        self._next += TICK_SECONDS
        time.sleep(max(0.0, self._next - time.monotonic()))
        now = time.monotonic()
        late, self._next = now - self._next, max(self._next, now - TICK_SECONDS)
        self.ticks.append(self._look(now, late))
        waited = self._pending.longest(now)
        if (
            waited > LATE_SECONDS
            and now - self._last_stacks > LATE_SECONDS
            and len(self.stacks) < _MOST_STACKS
        ):
            self._last_stacks = now
            self.stacks.append(Stacks(now, _threads(self._target.pid)))

    def _look(self, now: float, late: float) -> Tick:
        pid = self._target.pid
        own, queued = (int(figure) / 1e9 for figure in _text(f"/proc/{pid}/task/{pid}/schedstat").split()[:2])
        about = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
        processors = _text("/proc/stat").split("\n", 1)[0].split()
        frames, moved = _log_state(self._log)
        return Tick(
            now,
            late,
            own,
            queued,
            (int(about[11]) + int(about[12])) / _HERTZ,
            int(about[9]),
            int(processors[8]) / _HERTZ,
            _disk_pressure(),
            frames,
            moved,
        )

    def probe(self, path: Path, ending: Any) -> None:
        with path.open("wb", buffering=0) as file:
            while not ending.wait(_PROBE_SECONDS):
                began = time.monotonic()
                file.seek(0)
                file.write(bytes(4096))
                os.fsync(file.fileno())
                self.probes.append(Probe(began, time.monotonic() - began))
        path.unlink()


def _text(path: str) -> str:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def _disk_pressure() -> float:
    try:
        some = _text("/proc/pressure/io").partition("\n")[0]
    except OSError:
        return 0.0
    return int(some.rpartition("=")[2]) / 1e6


def _log_state(path: Path) -> tuple[int, int]:
    """Return the frames in the write-ahead log, and how many are moved, from its index (sqlite.org/walformat)."""
    with suppress(OSError, struct.error), path.open("rb", buffering=0) as file:
        header = file.read(100)
        return struct.unpack_from("=I", header, 16)[0], struct.unpack_from("=I", header, 96)[0]
    return 0, 0


def _threads(pid: int) -> list[Thread]:
    kernel = _kernel(pid)
    command = [str(Path(sys.executable).with_name("py-spy")), "dump", "--nonblocking", "--json"]
    try:
        done = subprocess.run(
            [*command, "--pid", str(pid)], capture_output=True, timeout=_LOOK_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return [Thread(number == pid, False, state, []) for number, state in kernel.items()]
    dump = msgspec.json.decode(done.stdout)
    return [
        Thread(
            one["os_thread_id"] == pid,
            one["owns_gil"],
            kernel.get(one["os_thread_id"], ""),
            [f"{_short(each['filename'])}:{each['line']} {each['name']}" for each in one["frames"]],
        )
        for one in dump
    ]


def _kernel(pid: int) -> dict[int, str]:
    """Return each thread's state and its place of waiting."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with suppress(OSError):
            state = _text(f"/proc/{pid}/task/{thread}/stat").rpartition(")")[2].split()[0]
            found[int(thread)] = f"{state} {_text(f'/proc/{pid}/task/{thread}/wchan')}"
    return found


def _short(file: str) -> str:
    """Return a path without the folder of the service or package."""
    for folder in ("/src/", "/site-packages/"):
        file = file.rpartition(folder)[2]
    return file
