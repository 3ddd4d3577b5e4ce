"""Analysers behind one interface; the local one runs in a process of its own."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from threading import Lock
from typing import Final, NamedTuple, Protocol

from firmograph.conversations.analysis.findings import Findings
from firmograph.conversations.transcript import Transcript
from firmograph.conversations.types import CompetitorName
from firmograph.kit.worker_process import prepare_pooled_process

_NICENESS: Final = 5
"""Priority that the process yields, so that requests are answered first on a busy machine."""


class AnalysisInput(NamedTuple):
    """Input of an analyser."""

    transcript: Transcript
    competitors: tuple[CompetitorName, ...] = ()
    internal_speakers: frozenset[str] = frozenset()


class Analysis(NamedTuple):
    """Findings, with the analyser that made them."""

    findings: Findings
    analyser: str
    tokens: int = 0
    """Tokens of a model that were used."""


Analyse = Callable[[AnalysisInput], Findings]
"""Analyses a conversation without database and network; a function of a module."""


def analyse_locally(given: AnalysisInput) -> Findings:
    """Analyse a conversation by the rules of this package."""
    from firmograph.conversations.analysis import local

    return local.analyse(given.transcript, given.competitors, given.internal_speakers)


class LocalAnalyser(Protocol):
    """Local analysis, wherever it runs."""

    def analyse(self, given: AnalysisInput) -> Findings:
        """Return the findings of a conversation. Raises whatever the analysis raises."""
        ...

    def close(self) -> None: ...


class ProcessAnalyser:
    """Local analysis in a process of its own, which starts at the first conversation."""

    def __init__(self, function: Analyse = analyse_locally) -> None:
        self._function = function
        self._lock = Lock()
        self._pool: ProcessPoolExecutor | None = None

    def analyse(self, given: AnalysisInput) -> Findings:
        """Return the findings; raises BrokenProcessPool if the process died, and the next one at once too.

        A single death tells nothing about the conversation: who stops a service often ends all its processes.
        """
        try:
            return self._analyse(given)
        except BrokenProcessPool:
            return self._analyse(given)

    def _analyse(self, given: AnalysisInput) -> Findings:
        try:
            return self._start().submit(self._function, given).result()
        except BrokenProcessPool:
            self.close()
            raise

    def close(self) -> None:
        """End the process."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    1,
                    mp_context=get_context("spawn"),
                    initializer=prepare_pooled_process,
                    initargs=(_NICENESS,),
                )
            return self._pool
