"""Recording of answers: credits, values, misses, and the state of providers."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import structlog

from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import AccountSession, Database, Session, account_scope
from firmograph.kit.clock import Clock, iso
from firmograph.security.record_ids import Entity
from firmograph.waterfall.asks import ask_store, money, provider_store, value_store
from firmograph.waterfall.asks.ask_store import AskChange, end
from firmograph.waterfall.asks.choice import after_trouble, note_trouble
from firmograph.waterfall.asks.claim import AskTask, pay
from firmograph.waterfall.asks.contacts import ValueReader
from firmograph.waterfall.providers.types import Found, Miss, Trouble
from firmograph.waterfall.types import DATA_POINTS, Ask, AskState, ProviderCall, Trail

log = structlog.get_logger("firmograph.waterfall")

UNUSABLE = Miss("no usable value")
_encode = msgspec.json.encode
_decode_trail = msgspec.json.Decoder(Trail).decode


class AskResult(NamedTuple):
    """Answer of a provider."""

    task: AskTask
    answer: Found | Miss | Trouble
    took: float
    """Seconds."""


class RecordedAsk(NamedTuple):
    """Answer that counts."""

    outcome: str
    seconds: float | None = None


class AnswerRecorder:
    """Recorder of answers."""

    def __init__(self, database: Database, clock: Clock, values: ValueReader, units: PaidUnits) -> None:
        self._database = database
        self._clock = clock
        self._values = values
        self._paid_units = units

    def record(self, results: Sequence[AskResult]) -> list[RecordedAsk]:
        """Record answers and return those that count. Idempotent; one transaction. Raises Busy and Unavailable."""
        if not results:
            return []
        scopes = {account_scope(result.task.ask.account_id) for result in results}
        with self._database.write(*scopes) as session:
            claims = [result.task.claim for result in results]
            asks = {ask.id: ask for ask in ask_store.select_claimed(session, claims)}
            live = [result for result in results if result.task.claim.key in asks]
            return _Records(session, self._values, self._paid_units, self._clock.seconds()).add_all(
                live, asks
            )


class _Records:
    """Answers that one transaction records."""

    def __init__(self, session: Session, values: ValueReader, units: PaidUnits, now: float) -> None:
        self._session = session
        self._values = values
        self._paid_units = units
        self._now = now
        self._changes: list[AskChange] = []
        self._released: list[Ask] = []
        self._misses: list[tuple[int, int, str]] = []
        self._calls: list[ProviderCall] = []

    def add_all(self, results: Sequence[AskResult], asks: dict[int, Ask]) -> list[RecordedAsk]:
        recorded = [self._add(result, asks[result.task.claim.key]) for result in results]
        money.settle(self._session, [], self._released, self._now)
        value_store.put_misses(self._session, self._misses, self._now)
        value_store.add_calls(self._session, self._calls)
        ask_store.change_asks(self._session, self._changes)
        self._store_states(results)
        return recorded

    def _add(self, result: AskResult, ask: Ask) -> RecordedAsk:
        answer, contents = result.answer, None
        if isinstance(answer, Found):
            data_point, day = DATA_POINTS[ask.data_point], iso(self._now)[:10]
            contents = self._values.read(self._session, result.task.contact, data_point, answer, day)
            if contents is None:
                answer = UNUSABLE
        if contents is not None:
            outcome, credits = self._match(ask, contents)
        elif isinstance(answer, Trouble):
            outcome, credits = self._retry(ask, answer), 0
        else:
            assert isinstance(answer, Miss)
            outcome, credits = self._pass_on(ask, answer), 0
        self._calls.append(
            ProviderCall(
                ask.account_id,
                ask.provider,
                ask.data_point,
                outcome,
                int(contents is not None),
                int(result.took * 1000),
                credits,
                self._now,
            )
        )
        return RecordedAsk(_outcome(answer), result.took)

    def _match(self, ask: Ask, contents: bytes) -> tuple[str, int]:
        """Pay for values, unless the data point was paid since the provider was asked."""
        own = AccountSession(self._session, ask.account_id)
        paid = self._paid_units.paid(own, Entity.CONTACT, [ask.contact_id], self._now)
        if (ask.contact_id, DATA_POINTS[ask.data_point]) in paid:
            self._released.append(ask)
            self._changes.append(end(ask._replace(provider="", held=0), AskState.OWN, self._now))
            return "paid since", 0
        pay(self._session, self._values.keys, ask, contents, self._now, self._now)
        self._changes.append(end(ask, AskState.MATCHED, self._now))
        return "match", ask.held

    def _pass_on(self, ask: Ask, miss: Miss) -> str:
        self._misses.append((ask.contact_id, ask.data_point, ask.provider))
        trail = _decode_trail(ask.trail)
        trail.missed.append(ask.provider)
        self._release(ask, trail)
        return miss.reason

    def _retry(self, ask: Ask, trouble: Trouble) -> str:
        trail = _decode_trail(ask.trail)
        note_trouble(trail, ask.provider, self._now, trouble.retry_after_seconds)
        self._release(ask, trail)
        return trouble.reason

    def _release(self, ask: Ask, trail: Trail) -> None:
        """Free an ask for its next provider."""
        if ask.held:
            self._released.append(ask)
        self._changes.append(
            AskChange(ask._replace(provider="", held=0, trail=_encode(trail)), self._now, 0.0)
        )

    def _store_states(self, results: Sequence[AskResult]) -> None:
        """Count failures in a row, and note answers after failures."""
        names = {result.task.ask.provider for result in results}
        held = provider_store.select_states(self._session, names) if names else {}
        answered = {result.task.ask.provider for result in results if not isinstance(result.answer, Trouble)}
        failed = [
            result.task.ask.provider
            for result in results
            if isinstance(result.answer, Trouble) and result.answer.counts
        ]
        changed = set(failed) | {name for name in answered if held[name].failures}
        if not changed:
            return
        states = provider_store.lock_states(self._session, changed)
        for name in sorted(changed):
            # of answers recorded together, any one shows that the provider works
            state = states[name]
            if name in answered:
                states[name] = state._replace(failures=0, rests_until=0.0)
                continue
            for _ in range(failed.count(name)):
                state = after_trouble(state, self._now)
            states[name] = state
            if state.rests_until > self._now:
                log.warning("a provider rests, as it does not answer", provider=name, failures=state.failures)
        provider_store.put_states(self._session, states)


def _outcome(answer: Found | Miss | Trouble) -> str:
    return "match" if isinstance(answer, Found) else "miss" if isinstance(answer, Miss) else "trouble"
