"""Background work of conversations: their analysis."""

from collections.abc import Sequence
from random import Random
from typing import Final

from firmograph.conversations.analysis.analyser import ProcessAnalyser
from firmograph.conversations.analysis.metrics import AnalysisMetrics
from firmograph.conversations.analysis.model import open_model
from firmograph.conversations.analysis.queue import RETRY_SECONDS, AnalysisQueue
from firmograph.conversations.analysis.worker import create_analysis_worker
from firmograph.installation import BackgroundWork, Installation, WorkerWiring
from firmograph.jobs.retry_policy import RetryPolicy


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


WORKER: Final = WorkerWiring(background=_background)
