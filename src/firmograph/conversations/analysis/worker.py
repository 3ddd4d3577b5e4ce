"""Worker of analyses: the runner of the queue, with the local analyser in a process and the model over the network."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, Protocol

import structlog

from firmograph.conversations.analysis.analyser import Analysis, AnalysisInput, LocalAnalyser
from firmograph.conversations.analysis.findings import Findings
from firmograph.conversations.analysis.queue import (
    AnalysisQueue,
    AnalysisResult,
    AnalysisTask,
    RecordedAnalysis,
)
from firmograph.jobs.runner import Runner
from firmograph.jobs.runner_cycle import RunnerObserver, RunnerTexts
from firmograph.kit.clock import Clock

SLOTS: Final = 4
"""Conversations that one worker has at a time; one is analysed, as others wait for a model or to be recorded."""

TEXTS: Final = RunnerTexts(
    log=structlog.get_logger("firmograph.conversations"),
    name="conversations",
    act="analyse",
    waiting="analysis worker is waiting for the database and will resume automatically",
    failed="part of the analysis worker failed and will be retried",
    recovered="part of the analysis worker has recovered",
    unrecordable="result of an analysis cannot be recorded; the conversation is analysed again",
    unfinished="last analyses are not recorded; these conversations are analysed again",
)

AnalysisWorker = Runner[AnalysisTask, AnalysisResult, RecordedAnalysis]


class ModelAnalyser(Protocol):
    """Model at an endpoint of the operator."""

    async def improve(self, given: AnalysisInput, findings: Findings, most_tokens: int) -> Analysis:
        """Return the findings with those of the model in place of some; the local ones where it fails."""
        ...


class AnalysisPerformer:
    """Performer of analyses: the local one always, and then the model for accounts that have it."""

    def __init__(
        self, local: LocalAnalyser, model: ModelAnalyser | None, threads: ThreadPoolExecutor
    ) -> None:
        self._local = local
        self._model = model
        self._threads = threads

    async def perform(self, task: AnalysisTask) -> AnalysisResult:
        """Analyse a conversation; whatever the analysis raises is its failure, as it would raise again."""
        loop = asyncio.get_running_loop()
        try:
            findings = await loop.run_in_executor(self._threads, self._local.analyse, task.given)
            if self._model is None or task.model_tokens <= 0:
                return AnalysisResult(task, Analysis(findings, "local"))
            return AnalysisResult(task, await self._model.improve(task.given, findings, task.model_tokens))
        except Exception as error:
            # only the type, as the message may quote the transcript
            return AnalysisResult(task, None, f"the analyser failed: {type(error).__name__}")


def create_analysis_worker(
    queue: AnalysisQueue,
    make_local: Callable[[], LocalAnalyser],
    open_model: Callable[[], AbstractAsyncContextManager[ModelAnalyser | None]],
    clock: Clock,
    observer: RunnerObserver,
) -> AnalysisWorker:
    """Create a worker; it makes its analysers in the event loop that works."""

    @asynccontextmanager
    async def performer() -> AsyncIterator[AnalysisPerformer]:
        local = make_local()
        try:
            with ThreadPoolExecutor(1, "conversations-analyse") as threads:
                async with open_model() as model:
                    yield AnalysisPerformer(local, model, threads)
        finally:
            local.close()

    return Runner(queue, performer, clock, observer, TEXTS, slots=SLOTS)
