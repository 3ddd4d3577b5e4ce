"""Supervisor of several worker processes: starts, restarts and stops them."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Final

import structlog

from firmograph.kit.errors import Refused
from firmograph.serving.worker import READY

log = structlog.get_logger("firmograph.serve")

SHORT_SECONDS: Final = 10.0
"""A worker fails if it ends sooner than this after its start, or before it is ready."""
MAX_FAILURES: Final = 3
"""Failures of a worker before any has been ready."""
END_SECONDS: Final = 60.0
"""Time for workers to stop cleanly, longer than that for open requests (`server.py`)."""
_MAX_DELAY: Final = 30.0
_SPAWN = get_context("spawn")
_BLOCKED: Final = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def restart_delay(failures: int) -> float:
    """Return the seconds before the restart of a worker after consecutive failures."""
    return 0.0 if failures < 2 else min(0.5 * 2.0 ** min(failures - 2, 10), _MAX_DELAY)


class _Slot:
    """Slot of one worker, filled by successive processes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: SpawnProcess | None = None
        self.status_pipe: Connection | None = None
        """Pipe for the worker's readiness or failure; None after its message."""
        self.ready = False
        self.reason = ""
        """Reason that the worker gave for its failure."""
        self.started_at = 0.0
        self.restart_at = 0.0
        self.failures = 0


class Supervisor:
    """Supervisor of `count` processes that run `target(number, status, *arguments)`.

    Processes are numbered from 0. A worker sends READY to the pipe `status` when it accepts requests, or the reason
    for its failure. With `reloads`, SIGHUP is forwarded to the workers; without, it stops them like SIGTERM and SIGINT.
    `on_stop` is called when they are stopped.
    """

    def __init__(
        self,
        target: Callable[..., None],
        arguments: tuple[Any, ...],
        count: int,
        *,
        reloads: bool = False,
        on_stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._target = target
        self._arguments = arguments
        self._slots = [_Slot(number) for number in range(count)]
        self._reloads = reloads
        self._on_stop = on_stop
        self._ever_ready = False
        """Whether any worker has ever been ready."""
        self._ends_at: float | None = None

    def run(self) -> None:
        """Run until a signal stops all workers. Raises Refused if they cannot be started at all."""
        with _signals() as signal_socket:
            try:
                while not self._step(signal_socket):
                    pass
            finally:
                self._kill()

    def _step(self, signal_socket: socket.socket) -> bool:
        """Check all workers and wait for an event; return whether all have stopped."""
        for slot in self._slots:
            self._check_worker(slot)
        running = [slot for slot in self._slots if slot.process]
        if self._ends_at is not None and (not running or time.monotonic() > self._ends_at):
            return True
        events: list[Any] = [signal_socket]
        for slot in running:
            events += [slot.process.sentinel] if slot.process else []
            events += [slot.status_pipe] if slot.status_pipe else []
        connection.wait(events, self._timeout())
        with suppress(BlockingIOError):
            for number in signal_socket.recv(64):
                self._handle_signal(signal.Signals(number))
        return False

    def _timeout(self) -> float | None:
        """Return the seconds until the next restart or the end; None without any."""
        due = (
            [slot.restart_at for slot in self._slots if not slot.process]
            if self._ends_at is None
            else [self._ends_at]
        )
        return max(min(due) - time.monotonic(), 0.0) + 0.001 if due else None

    def _check_worker(self, slot: _Slot) -> None:
        code = slot.process.exitcode if slot.process else None
        self._read_status(slot)
        if code is not None:
            self._handle_exit(slot, code)
        if not slot.process and self._ends_at is None and time.monotonic() >= slot.restart_at:
            self._start(slot)

    def _read_status(self, slot: _Slot) -> None:
        """Read the worker's readiness or reason of failure, if it has sent one."""
        if slot.status_pipe is None or not slot.status_pipe.poll():
            return
        # a worker that has ended closes the pipe
        with suppress(EOFError):
            slot.reason = slot.status_pipe.recv()
            slot.ready = slot.reason == READY
            self._ever_ready = self._ever_ready or slot.ready
        slot.status_pipe.close()
        slot.status_pipe = None

    def _start(self, slot: _Slot) -> None:
        slot.status_pipe, status = _SPAWN.Pipe(duplex=False)
        slot.ready, slot.reason = False, ""
        arguments = (slot.number, status, *self._arguments)
        slot.process = _SPAWN.Process(target=self._target, args=arguments, name=f"worker {slot.number}")
        # blocked in a new process until it has set its handlers
        signal.pthread_sigmask(signal.SIG_BLOCK, _BLOCKED)
        try:
            slot.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
        status.close()
        slot.started_at = time.monotonic()

    def _handle_exit(self, slot: _Slot, code: int) -> None:
        """Schedule the restart of a worker; raise Refused if none has ever been ready and restarts are pointless."""
        now = time.monotonic()
        slot.process = None
        failed = not slot.ready or now - slot.started_at < SHORT_SECONDS
        slot.failures = slot.failures + 1 if failed else 0
        slot.restart_at = now + restart_delay(slot.failures)
        if self._ends_at is not None:
            return
        if not self._ever_ready and slot.reason:
            raise Refused(slot.reason)
        if not self._ever_ready and slot.failures >= MAX_FAILURES:
            raise Refused("The workers fail immediately after their start; see the log above")
        details = {"reason": slot.reason} if slot.reason else {}
        log.warning("a worker ended and will be restarted", worker=slot.number, code=code, **details)

    def _handle_signal(self, number: signal.Signals) -> None:
        if number == signal.SIGHUP and self._reloads:
            self._send(signal.SIGHUP)
        elif number == signal.SIGINT and self._ends_at is not None:
            # the second interrupt: the server does not wait for open requests
            self._send(signal.SIGINT)
        elif self._ends_at is None:
            self._ends_at = time.monotonic() + END_SECONDS
            self._send(signal.SIGTERM)
            self._on_stop()

    def _send(self, number: signal.Signals) -> None:
        for slot in self._slots:
            if slot.process and slot.process.pid and slot.process.exitcode is None:
                os.kill(slot.process.pid, number)

    def _kill(self) -> None:
        """Kill the workers that are still running."""
        for slot in self._slots:
            if slot.process:
                slot.process.kill()
                slot.process.join()


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield a socket that receives the numbers of signals as bytes, to wait for signals and processes together."""
    # its start unblocks signals, so it has to start before they are blocked
    resource_tracker.ensure_running()
    signal_socket, sending = socket.socketpair()
    for end in (signal_socket, sending):
        end.setblocking(False)
    before = signal.set_wakeup_fd(sending.fileno())
    handlers = {number: signal.signal(number, _ignore) for number in _BLOCKED}
    try:
        yield signal_socket
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        signal_socket.close()
        sending.close()


def _ignore(number: int, frame: Any) -> None:
    """Do nothing: the signal number is already on the socket."""
