"""Analysers of tests, which are functions of a module as the process needs."""

import os
from contextlib import suppress
from random import Random

from firmograph.conversations.analysis.findings import Chapter, Findings
from firmograph.conversations.analysis.queue import RETRY_SECONDS, AnalysisQueue
from firmograph.conversations.analysis.worker import create_analysis_worker
from firmograph.directory.identity import Digests
from firmograph.jobs.retry_policy import RetryPolicy


def count_segments(given):
    """Return a summary that counts segments and names what the analyser was given."""
    names = ",".join(one.name for one in given.competitors)
    summary = (
        f"{len(given.transcript.segments)} segments; {names}; {','.join(sorted(given.internal_speakers))}"
    )
    return Findings(summary, ("talk",), (), (), (), (), None, (Chapter("All", 0, 0),), ())


def fail(given):
    raise ValueError("words of the transcript")


def die(given):
    os._exit(3)


def die_once(given):
    """End the process unless an earlier one has ended, as a folder tells that only the first can make."""
    with suppress(FileExistsError):
        os.mkdir(os.environ["DIED_ONCE"])
        os._exit(3)
    return count_segments(given)


class InThread:
    """Local analyser without a process."""

    def __init__(self, function=count_segments):
        self.analyse = function

    def close(self):
        pass


class Silence:
    """Observer of nothing."""

    def count_attempts(self, outcome, count):
        pass

    def observe_seconds(self, seconds):
        pass

    def set_backlog(self, *figures):
        pass


def make_queue(service, daily_tokens=0):
    digests = Digests(service.installation.keyring)
    policy = RetryPolicy(RETRY_SECONDS, Random(1))
    return AnalysisQueue(service.database, service.clock, digests, policy, daily_tokens)


def make_worker(service, local=InThread, model=None, daily_tokens=0):
    from contextlib import nullcontext

    queue = make_queue(service, daily_tokens)
    return create_analysis_worker(
        queue, local, model or (lambda: nullcontext(None)), service.clock, Silence()
    )
