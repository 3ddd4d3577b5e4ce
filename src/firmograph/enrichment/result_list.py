"""Answers of the current generation: one result for each item, in order (docs/reference/lookups.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from msgspec import UnsetType

from firmograph.caller import AccountCaller
from firmograph.database.connection import Session
from firmograph.enrichment.record_renderer import render_item_error
from firmograph.enrichment.reveal import Paid, RevealBatch
from firmograph.security.record_ids import Entity

R = TypeVar("R")

RenderRecords = Callable[
    [Session, AccountCaller, Mapping[int, R], frozenset[str], Paid],
    Callable[[int, str | UnsetType], bytes],
]
"""Returns a function that renders a record under a reference, with the requested and paid units."""


class ResultName(NamedTuple):
    """Reference of an item in its result, and the requested id for errors."""

    reference: str | UnsetType
    token: str | None = None


class ShownResults(NamedTuple):
    """Content of an answer."""

    results: Sequence[bytes]
    """Rendered result of each item, or its error."""
    numbers: Sequence[int]
    """Record of each item that has one, in order."""

    @property
    def returned(self) -> int:
        return len(self.numbers)


class ResultList(NamedTuple, Generic[R]):
    """Results of a call of the current generation."""

    entity: Entity
    caller: AccountCaller
    reveal: frozenset[str]
    items: Sequence[ResultName]
    records: RenderRecords[R]

    def show(self, session: Session, batch: RevealBatch[R]) -> ShownResults:
        render = self.records(session, self.caller, batch.records, self.reveal, batch.paid)
        results, numbers = [], []
        for item, slot in zip(self.items, batch.slots, strict=True):
            if slot.number is not None and slot.number in batch.records:
                results.append(render(slot.number, item.reference))
                numbers.append(slot.number)
            else:
                results.append(render_item_error(self.entity, batch.error(slot), item.reference, item.token))
        return ShownResults(results, numbers)
