"""Worker of runs: the runner of the queue of open runs, which takes turns at what it claims."""

import time
from collections.abc import Callable, Mapping
from typing import Final

import structlog

from firmograph.jobs.runner import Runner, ThreadedPerformer
from firmograph.jobs.runner_cycle import RunnerObserver, RunnerTexts, Step
from firmograph.kit.clock import Clock
from firmograph.record_tables.runs.filling import ClaimLost, FilledPart, RunFilling
from firmograph.record_tables.runs.queue import RunQueue, Turn, TurnResult
from firmograph.record_tables.runs.store import Filled
from firmograph.record_tables.types import RunState

SLOTS: Final = 2
"""Runs that one worker fills at a time, of two accounts if there are."""

TURN_SECONDS: Final = 1.0
"""Time after which a run is given back to the end of the queue."""

TEXTS: Final = RunnerTexts(
    log=structlog.get_logger("firmograph.tables"),
    name="tables",
    act="fill",
    waiting="table worker is waiting for the database and will resume automatically",
    failed="part of the table worker failed and will be retried",
    recovered="part of the table worker has recovered",
    unrecordable="end of a turn at a run cannot be recorded; the run goes on when its lease ends",
    unfinished="last turns are not recorded; their runs go on when their leases end",
)

_OUTCOMES: Final = {
    RunState.OPEN: "continued",
    RunState.DONE: "done",
    RunState.STOPPED: "stopped",
    RunState.BOUND_REACHED: "bound_reached",
}

RunWorker = Runner[Turn, TurnResult, TurnResult]


class RunTurns:
    """Turns at claimed runs: parts for about a second, with a rest after each."""

    def __init__(
        self,
        filling: RunFilling,
        count_cells: Callable[[Filled], None],
        *,
        seconds: float = TURN_SECONDS,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        self._filling = filling
        self._count_cells = count_cells
        self._seconds = seconds
        self._rest = rest

    def take(self, turn: Turn) -> TurnResult:
        """Take a turn at a run. Raises Busy and Unavailable; what was filled before stays."""
        began = time.monotonic()
        while True:
            at = time.monotonic()
            try:
                part = self._filling.fill_next(turn)
            except ClaimLost:
                return TurnResult(turn, "lost")
            self._count_cells(part.filled)
            if part.run is None or part.run.state is not RunState.OPEN:
                return _ended(turn, part)
            # without a rest, other writes of the account would wait, and calls of the same process
            self._rest(time.monotonic() - at)
            if time.monotonic() - began >= self._seconds:
                return TurnResult(turn, "continued")


def _ended(turn: Turn, part: FilledPart) -> TurnResult:
    run = part.run
    if run is None:
        return TurnResult(turn, _OUTCOMES[RunState.STOPPED])
    is_done = run.state is RunState.DONE and run.ended_at is not None
    return TurnResult(turn, _OUTCOMES[run.state], (run.ended_at or 0.0) - run.created_at if is_done else None)


def create_run_worker(
    queue: RunQueue,
    turns: RunTurns,
    clock: Clock,
    observer: RunnerObserver,
    *,
    slots: int = SLOTS,
    steps: Mapping[str, Step] | None = None,
) -> RunWorker:
    """Create a worker; `steps` are other work at tables in each of its cycles."""
    return Runner(
        queue,
        lambda: ThreadedPerformer(turns.take, slots, "tables-fill"),
        clock,
        observer,
        TEXTS,
        slots=slots,
        steps=dict(steps or {}),
    )
