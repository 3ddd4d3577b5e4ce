"""The parent of several workers: starts them, starts again those that end, and ends them all."""

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

from firmograph.cli.serving.worker import READY
from firmograph.kit.errors import Refused

log = structlog.get_logger("firmograph.serve")

SHORT_SECONDS: Final = 10.0
"""A worker that ends sooner than this after its start has failed, as has one that never answered."""
TRIES: Final = 3
"""How often a worker may fail before any has ever answered."""
END_SECONDS: Final = 60.0
"""How long workers may take to end in good order; longer than the requests at hand may (`server.py`)."""
_LONGEST_PAUSE: Final = 30.0
_SPAWN = get_context("spawn")
_HELD_BACK: Final = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def pause(failures: int) -> float:
    """Seconds before a worker that failed so many times in a row is started again."""
    return 0.0 if failures < 2 else min(0.5 * 2.0 ** min(failures - 2, 10), _LONGEST_PAUSE)


class _Slot:
    """The place of one worker, whichever process fills it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: SpawnProcess | None = None
        self.told: Connection | None = None
        """Where the worker says that it answers, or why it cannot; None once it has."""
        self.answers = False
        self.reason = ""
        """Why the worker said it cannot."""
        self.since = 0.0
        self.due = 0.0
        self.failures = 0


class Supervisor:
    """Keeps `count` processes that run `target(number, telling, *arguments)`, numbered from 0.

    `telling` is where a worker sends READY once it answers, or the reason why it will not. With `reloads`
    SIGHUP is passed on to the workers; without, it ends them as SIGTERM and SIGINT do. `ending` is called once
    they are asked to end.
    """

    def __init__(
        self,
        target: Callable[..., None],
        arguments: tuple[Any, ...],
        count: int,
        *,
        reloads: bool = False,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        self._target = target
        self._arguments = arguments
        self._slots = [_Slot(number) for number in range(count)]
        self._reloads = reloads
        self._ending = ending
        self._answered = False
        """Some worker has answered at some time."""
        self._ends_at: float | None = None

    def run(self) -> None:
        """Until a signal ends it and all workers have ended. Raises Refused when they cannot be started at all."""
        with _signals() as arriving:
            try:
                while not self._step(arriving):
                    pass
            finally:
                self._kill()

    def _step(self, arriving: socket.socket) -> bool:
        """Look after every worker, wait for something to happen; whether all has ended."""
        for slot in self._slots:
            self._look_after(slot)
        running = [slot for slot in self._slots if slot.process]
        if self._ends_at is not None and (not running or time.monotonic() > self._ends_at):
            return True
        happening: list[Any] = [arriving]
        for slot in running:
            happening += [slot.process.sentinel] if slot.process else []
            happening += [slot.told] if slot.told else []
        connection.wait(happening, self._patience())
        with suppress(BlockingIOError):
            for number in arriving.recv(64):
                self._signalled(signal.Signals(number))
        return False

    def _patience(self) -> float | None:
        """Seconds until something is due by itself."""
        due = (
            [slot.due for slot in self._slots if not slot.process]
            if self._ends_at is None
            else [self._ends_at]
        )
        return max(min(due) - time.monotonic(), 0.0) + 0.001 if due else None

    def _look_after(self, slot: _Slot) -> None:
        code = slot.process.exitcode if slot.process else None
        self._hear(slot)
        if code is not None:
            self._ended(slot, code)
        if not slot.process and self._ends_at is None and time.monotonic() >= slot.due:
            self._start(slot)

    def _hear(self, slot: _Slot) -> None:
        """Whether the worker answers, or why it will not, once it says so."""
        if slot.told is None or not slot.told.poll():
            return
        # nothing more comes from one that has ended
        with suppress(EOFError):
            slot.reason = slot.told.recv()
            slot.answers = slot.reason == READY
            self._answered = self._answered or slot.answers
        slot.told.close()
        slot.told = None

    def _start(self, slot: _Slot) -> None:
        slot.told, telling = _SPAWN.Pipe(duplex=False)
        slot.answers, slot.reason = False, ""
        arguments = (slot.number, telling, *self._arguments)
        slot.process = _SPAWN.Process(target=self._target, args=arguments, name=f"worker {slot.number}")
        # held back in a new process until it knows what to do with them
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            slot.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)
        telling.close()
        slot.since = time.monotonic()

    def _ended(self, slot: _Slot, code: int) -> None:
        """Raises Refused when no worker has ever answered and there is no hope that one will."""
        now = time.monotonic()
        slot.process = None
        failed = not slot.answers or now - slot.since < SHORT_SECONDS
        slot.failures = slot.failures + 1 if failed else 0
        slot.due = now + pause(slot.failures)
        if self._ends_at is not None:
            return
        if not self._answered and slot.reason:
            raise Refused(slot.reason)
        if not self._answered and slot.failures >= TRIES:
            raise Refused("The workers end as soon as they are started; the log above tells why")
        told = {"reason": slot.reason} if slot.reason else {}
        log.warning("a worker ended and is started again", worker=slot.number, code=code, **told)

    def _signalled(self, number: signal.Signals) -> None:
        if number == signal.SIGHUP and self._reloads:
            self._send(signal.SIGHUP)
        elif number == signal.SIGINT and self._ends_at is not None:
            # asked a second time, the server does not wait for the requests at hand
            self._send(signal.SIGINT)
        elif self._ends_at is None:
            self._ends_at = time.monotonic() + END_SECONDS
            self._send(signal.SIGTERM)
            self._ending()

    def _send(self, number: signal.Signals) -> None:
        for slot in self._slots:
            if slot.process and slot.process.pid and slot.process.exitcode is None:
                os.kill(slot.process.pid, number)

    def _kill(self) -> None:
        """Of those that did not end in time, or at all."""
        for slot in self._slots:
            if slot.process:
                slot.process.kill()
                slot.process.join()


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """A socket on which the numbers of signals arrive, a byte each, so that waiting for processes sees them too."""
    # it lets signals through when it is started, so it is started before they are held back
    resource_tracker.ensure_running()
    arriving, sending = socket.socketpair()
    for end in (arriving, sending):
        end.setblocking(False)
    before = signal.set_wakeup_fd(sending.fileno())
    handlers = {number: signal.signal(number, _noted) for number in _HELD_BACK}
    try:
        yield arriving
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        arriving.close()
        sending.close()


def _noted(number: int, frame: Any) -> None:
    """The number is on the socket already."""
