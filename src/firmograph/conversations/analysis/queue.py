"""Queue of conversations that wait for an analysis: claimed work (`jobs/claimed_queue.py`)."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import msgspec

from firmograph.conversations import store
from firmograph.conversations.analysis import claim_store
from firmograph.conversations.analysis.analyser import Analysis, AnalysisInput
from firmograph.conversations.analysis.claim_store import WaitingAnalyses
from firmograph.conversations.own_hosts import internal_names, read_own_hosts
from firmograph.conversations.store import StoredAnalysis
from firmograph.conversations.types import NEVER, CompetitorName, stored_transcript
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.database.leases import Claim
from firmograph.directory import store as directory
from firmograph.directory.identity import Digests
from firmograph.directory.stored_views import competitor_numbers, other_names, view_company
from firmograph.jobs.claimed_queue import ClaimedQueue
from firmograph.jobs.retry_policy import RetryPolicy
from firmograph.kit.clock import Clock, day_number

RETRY_SECONDS: Final = (60.0, 600.0, 3_600.0)
"""Delays after failed attempts; then the operator's command alone tries again (ruling J 1)."""

_encode = msgspec.json.encode


class AnalysisTask(NamedTuple):
    """Conversation claimed for an analysis."""

    claim: Claim[int]
    account_id: int
    given: AnalysisInput
    failures: int
    model_tokens: int
    """Tokens that a model may use for it; 0 for the local analyser."""


class AnalysisResult(NamedTuple):
    """End of an analysis."""

    task: AnalysisTask
    analysis: Analysis | None
    failure: str = ""
    """Reason in the program's own words."""


class RecordedAnalysis(NamedTuple):
    """Result that counts."""

    outcome: str
    seconds: float | None = None


class AnalysisQueue(ClaimedQueue[AnalysisTask, AnalysisResult, RecordedAnalysis]):
    """Conversations of all accounts that wait, shared by any number of workers."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        digests: Digests,
        policy: RetryPolicy,
        model_daily_tokens: int = 0,
    ) -> None:
        """Take the tokens that an account's model may use on a UTC day; 0 without a model."""
        super().__init__(database, clock, claim_store.leases)
        self._digests = digests
        self._policy = policy
        self._model_daily_tokens = model_daily_tokens

    def claim(self, limit: int, now: float) -> list[AnalysisTask]:
        """Claim conversations, one of each account before the second of any.

        They are read in the transaction that claims them: where reading fails, none is claimed.
        """
        with self._database.look() as session:
            found = dict(claim_store.find_claimable(session, limit, now))
        if not found:
            return []
        with self._database.write(None) as session:
            claims = claim_store.leases.claim_among(session, sorted(found), len(found), now)
            tasks = [self._read(AccountSession(session, found[claim.key]), claim, now) for claim in claims]
        return [task for task in tasks if task is not None]

    def _read(self, session: AccountSession, claim: Claim[int], now: float) -> AnalysisTask | None:
        """Return the task of a claim; None if the conversation was deleted since."""
        stored = store.select_by_id(session, [claim.key]).get(claim.key)
        contents = store.select_transcripts(session, [claim.key]).get(claim.key)
        if stored is None or contents is None:
            return None
        transcript = stored_transcript(stored, contents)
        own_hosts = read_own_hosts(session)
        given = AnalysisInput(
            transcript,
            _find_competitors(session, self._digests, own_hosts),
            internal_names(transcript.participants, own_hosts),
        )
        return AnalysisTask(claim, session.account_id, given, stored.failures, self._tokens(session, now))

    def _tokens(self, session: AccountSession, now: float) -> int:
        settings = store.select_settings(session)
        if settings.analyser != "model":
            return 0
        used = settings.tokens if settings.tokens_day == day_number(now) else 0
        return max(self._model_daily_tokens - used, 0)

    def record(self, results: Sequence[AnalysisResult]) -> list[RecordedAnalysis]:
        """Write findings, or the failure with the time of the next attempt, each in a transaction of its account."""
        recorded = []
        for result in results:
            with self._database.write(account_scope(result.task.account_id)) as session:
                own = AccountSession(session, result.task.account_id)
                if self._record(own, result, self._clock.seconds()):
                    recorded.append(RecordedAnalysis("analysed" if result.analysis else "failed"))
        return recorded

    def _record(self, session: AccountSession, result: AnalysisResult, now: float) -> bool:
        task, analysis = result.task, result.analysis
        if analysis is None:
            delay = self._policy.delay(task.failures)
            due_at = NEVER if delay is None else now + delay
            return claim_store.fail(session.session, task.claim, due_at, result.failure)
        if analysis.tokens:
            self._count_tokens(session, analysis.tokens, day_number(now))
        if not claim_store.finish(session.session, task.claim):
            return False
        findings = _encode(analysis.findings)
        store.put_analysis(session, task.claim.key, StoredAnalysis(analysis.analyser, now, findings))
        return True

    def _count_tokens(self, session: AccountSession, tokens: int, day: int) -> None:
        settings = store.select_settings(session)
        before = settings.tokens if settings.tokens_day == day else 0
        store.put_settings(session, settings._replace(tokens_day=day, tokens=before + tokens))

    def log_fields(self, result: AnalysisResult) -> dict[str, int]:
        return {"conversation": result.task.claim.key}

    def backlog(self) -> WaitingAnalyses:
        with self._database.look() as session:
            return claim_store.backlog(session, self._clock.seconds())


def _find_competitors(
    session: AccountSession, digests: Digests, own_hosts: Collection[str]
) -> tuple[CompetitorName, ...]:
    """Return the competitors of an account: those the operator gave, and those held of its own company (ruling J 8).

    Its own companies are those of its users' hosts.
    """
    given = store.select_settings(session).competitors
    found = {name.casefold(): CompetitorName(name, tuple(aliases)) for name, aliases in given.items()}
    keys = [digests.company_domain(host) for host in sorted(own_hosts)]
    numbers = directory.company_numbers(session.session, keys)
    own = sorted({number for some in numbers.values() for number in some})
    profiles = directory.company_profiles(session.session, own)
    held = sorted({one for each in profiles.values() for one in competitor_numbers(each.premium)})
    extras = directory.company_extras(session.session, held)
    for number, company in directory.companies_by_number(session.session, held).items():
        if name := view_company(company.preview).name:
            found.setdefault(name.casefold(), CompetitorName(name, tuple(other_names(extras.get(number)))))
    return tuple(found.values())
