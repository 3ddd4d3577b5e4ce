"""Queue of open runs: the claimed work of tables (`jobs/claimed_queue.py`).

A worker claims a run for a turn, does parts of it for about a second, and gives it back to the end of the queue.
"""

from collections.abc import Sequence
from itertools import count
from typing import Final, NamedTuple

import structlog

from firmograph.billing.plans import Plans
from firmograph.caller import Plan
from firmograph.database.connection import Database
from firmograph.database.leases import Claim
from firmograph.jobs.claimed_queue import ClaimedQueue
from firmograph.kit.clock import Clock
from firmograph.record_tables.runs import claim_store
from firmograph.record_tables.runs.claim_store import ClaimableRun, OpenRuns

log = structlog.get_logger("firmograph.tables")

POSTPONE_SECONDS: Final = 60.0
"""Delay of the runs of an account whose plan is not in the plans file."""


class Turn(NamedTuple):
    """Claimed run, with the account's plan of this moment."""

    claim: Claim[int]
    account_id: int
    plan: Plan
    daily_credits: int | None = None
    """Daily cap of the key that began it."""


class TurnResult(NamedTuple):
    """End of a turn; what it filled is committed already, part by part."""

    turn: Turn
    outcome: str
    """`continued`, or the state in which the run has ended."""
    seconds: float | None = None
    """From the acceptance of a run to its end, of one that is done."""


class RunQueue(ClaimedQueue[Turn, TurnResult, TurnResult]):
    """Open runs of the active accounts of one database, shared by any number of workers."""

    def __init__(self, database: Database, clock: Clock, plans: Plans) -> None:
        super().__init__(database, clock, claim_store.leases)
        self._plans = plans
        self._turns = count(1)
        # number of the last turn that each account has had of this worker
        self._served: dict[int, int] = {}

    def claim(self, limit: int, now: float) -> list[Turn]:
        """Claim at most `limit` runs, fairly between accounts and their runs."""
        with self._database.look() as session:
            found = claim_store.find_claimable(session, limit, now)
        claimable = {each.run_id: each for each in self._next(found)[:limit]}
        if not claimable:
            return []
        with self._database.write(None) as session:
            claims = claim_store.leases.claim_among(session, sorted(claimable), len(claimable), now)
        turns, withheld = [], []
        for claim in claims:
            run = claimable[claim.key]
            plan = self._plans.find(run.plan)
            if plan is None:
                log.warning("runs of an account are postponed", account=run.account_id, missing="plan")
                withheld.append(claim)
            else:
                turns.append(Turn(claim, run.account_id, plan, run.daily_credits))
                self._served[run.account_id] = next(self._turns)
        if withheld:
            with self._database.write(None) as session:
                claim_store.leases.complete_all(session, withheld, now + POSTPONE_SECONDS)
        return turns

    def _next(self, found: Sequence[ClaimableRun]) -> list[ClaimableRun]:
        """Return runs in the order of claiming: an account whose last turn is the longest ago is first.

        An account with runs in work, of any worker, comes after those without.
        """
        return sorted(found, key=lambda each: (each.place, self._served.get(each.account_id, 0)))

    def record(self, results: Sequence[TurnResult]) -> list[TurnResult]:
        """Free the runs; return the results of those that no other worker has claimed since."""
        if not results:
            return []
        now = self._clock.seconds()
        with self._database.write(None) as session:
            return [each for each in results if claim_store.settle(session, each.turn.claim, now)]

    def log_fields(self, result: TurnResult) -> dict[str, int]:
        return {"run": result.turn.claim.key}

    def backlog(self) -> OpenRuns:
        with self._database.look() as session:
            return claim_store.backlog(session, self._clock.seconds())
