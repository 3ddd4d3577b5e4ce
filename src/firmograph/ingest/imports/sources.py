"""Sources with their content, and the effects of a removal, counted without a change."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.ingest.imports import removal_store, store
from firmograph.ingest.imports.effect_counts import EffectCounter, EffectCounts, RowPlan
from firmograph.ingest.imports.removal import check_removable
from firmograph.ingest.imports.removal_run import RemovalCounts, decode_progress, find_affected
from firmograph.ingest.imports.removal_store import StoredRemoval
from firmograph.ingest.imports.source_names import FoundSource, find_source, find_sources
from firmograph.ingest.imports.types import StoredImport
from firmograph.ingest.merging.source_history import Rows
from firmograph.ingest.merging.store import SourceSize, source_sizes
from firmograph.kit.clock import Clock
from firmograph.privacy.declarations import PersonalData
from firmograph.security.record_ids import Entity
from firmograph.signals import withdrawal as facts

SourceState = Literal["active", "importing", "removing", "removed"]

_NOTHING: Final = SourceSize(0, 0)


class SourceView(NamedTuple):
    """A source with its content."""

    name: str
    state: SourceState
    sizes: dict[Entity, SourceSize]
    feeds: list[str]
    """Kinds of facts."""
    figures: int
    postings: int
    signals: int
    """Signals that it states."""
    imports: list[StoredImport]
    """Oldest first."""
    removed_at: float | None
    removed: RemovalCounts | None
    """Counts of its removal so far."""


@dataclass
class RemovalPreview(EffectCounts):
    """Counts of the effects of a removal."""

    figures: int = 0
    postings: int = 0


class Sources:
    """The sources of one database."""

    def __init__(
        self, database: Database, clock: Clock, digests: Digests, declarations: Iterable[PersonalData]
    ) -> None:
        self._database = database
        self._clock = clock
        self._counter = EffectCounter(digests, declarations)

    def all(self) -> list[SourceView]:
        """Return all sources by name. Reads the rows of all records."""
        with self._database.read() as session:
            return self._views(session, find_sources(session).values())

    def find(self, name: str) -> SourceView:
        """Return a source. Raises Refused for an unknown one."""
        with self._database.read() as session:
            return self._views(session, [find_source(session, name)])[0]

    def _views(self, session: Session, found: Iterable[FoundSource]) -> list[SourceView]:
        now = self._clock.seconds()
        sizes = {entity: source_sizes(session, entity) for entity in Entity}
        counts = facts.count_facts(session)
        removals = {each.source: each for each in removal_store.select_removals(session)}
        imports: dict[str, list[StoredImport]] = defaultdict(list)
        for one in store.select_imports(session):
            imports[one.source].append(one)
        views = []
        for name, number, _ in found:
            removal = removals.get(number)
            views.append(
                SourceView(
                    name,
                    _state(removal, imports[name], now),
                    {entity: of_kind.get(number, _NOTHING) for entity, of_kind in sizes.items()},
                    counts.feeds.get(number, []),
                    counts.figures.get(number, 0),
                    counts.postings.get(number, 0),
                    counts.signals.get(number, 0),
                    imports[name],
                    removal.ended_at if removal else None,
                    decode_progress(removal).counts if removal else None,
                )
            )
        return views

    def preview_removal(self, name: str) -> RemovalPreview:
        """Return the effects that the removal of a source would have. Raises Refused as the removal does."""
        result = RemovalPreview()
        with self._database.read() as session:
            source = check_removable(session, name, self._clock.seconds())
            counts = facts.count_facts(session)
            result.figures = counts.figures.get(source.number, 0)
            result.postings = counts.postings.get(source.number, 0)
            result.signals = facts.count_signals_without(session, source.number)
            self._counter.count(session, _RowsOfSource(session, source), result)
        return result


class _RowsOfSource(RowPlan):
    """Removal of all rows of a source."""

    def __init__(self, session: Session, source: FoundSource) -> None:
        self._source = source
        affected = find_affected(session, source)
        self.records, self.named = affected.records, affected.named

    def remaining(self, session: Session, entity: Entity, stored: Mapping[int, Rows]) -> dict[int, Rows]:
        gone = self._source.numbers
        return {
            number: {slot: row for slot, row in rows.items() if slot[0] not in gone}
            for number, rows in stored.items()
        }


def _state(removal: StoredRemoval | None, imports: Iterable[StoredImport], now: float) -> SourceState:
    if removal:
        return "removing" if removal.is_open else "removed"
    return "importing" if any(one.state_at(now) == "running" for one in imports) else "active"
