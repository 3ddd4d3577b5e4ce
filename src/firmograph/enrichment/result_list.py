"""Answers of the current generation: one result for each item, in order (docs/reference/lookups.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from msgspec import UnsetType

from firmograph.api.envelope import render_answer
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


class ResultList(NamedTuple, Generic[R]):
    """Renderer of the answer to a call of the current generation."""

    entity: Entity
    caller: AccountCaller
    reveal: frozenset[str]
    items: Sequence[ResultName]
    records: RenderRecords[R]

    def render(self, session: Session, content: RevealBatch[R], request_id: str, credits: int) -> bytes:
        render = self.records(session, self.caller, content.records, self.reveal, content.paid)
        results, returned = [], 0
        for item, slot in zip(self.items, content.slots, strict=True):
            if slot.number is not None and slot.number in content.records:
                results.append(render(slot.number, item.reference))
                returned += 1
            else:
                error = content.error(slot)
                results.append(render_item_error(self.entity, error, item.reference, item.token))
        return render_answer(request_id, results, credits, returned)
