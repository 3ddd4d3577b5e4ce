"""Background work of conversations: their analysis, and the retention."""

from collections.abc import Sequence
from random import Random
from typing import Final

from firmograph.conversations import store
from firmograph.conversations.analysis.analyser import ProcessAnalyser
from firmograph.conversations.analysis.metrics import AnalysisMetrics
from firmograph.conversations.analysis.model import open_model
from firmograph.conversations.analysis.queue import RETRY_SECONDS, AnalysisQueue
from firmograph.conversations.analysis.worker import create_analysis_worker
from firmograph.conversations.changes import delete_conversations
from firmograph.database.connection import AccountSession, Session, account_scope
from firmograph.installation import BackgroundWork, Installation, WorkerWiring
from firmograph.jobs.retry_policy import RetryPolicy
from firmograph.jobs.scheduler import JobPart, ScopedJob
from firmograph.kit.clock import DAY_SECONDS, day_number, day_start

_PART: Final = 10
"""Conversations that a part deletes at most: their words are counted again."""


def _periodic_jobs(installation: Installation) -> Sequence[ScopedJob]:
    days = installation.settings.retention_conversation_days

    def find(session: Session, now: float) -> JobPart | None:
        before = day_start(day_number(now) - days)
        account_id = store.find_account_before(session, before)
        if account_id is None:
            return None

        def forget(session: Session, now: float) -> int:
            own = AccountSession(session, account_id)
            found = store.select_started_before(own, before, _PART)
            delete_conversations(own, found)
            return len(found)

        return JobPart([account_scope(account_id)], forget)

    if not days:
        return []
    return [ScopedJob("forget-conversations", DAY_SECONDS, find, "Delete conversations past retention")]


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    settings, metrics = installation.settings, installation.get(AnalysisMetrics)
    queue = AnalysisQueue(
        installation.database,
        installation.clock,
        installation.digests,
        RetryPolicy(RETRY_SECONDS, Random()),
        settings.model_daily_tokens if settings.model_url else 0,
    )
    worker = create_analysis_worker(
        queue, ProcessAnalyser, lambda: open_model(settings), installation.clock, metrics
    )
    metrics.watch_in_flight(lambda: worker.in_flight)
    return [BackgroundWork("conversations", "Conversations analysed", worker)]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs, background=_background)
