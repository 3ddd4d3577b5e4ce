"""Previews charged by number, for plans that price search."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import UnsetType

from firmograph.caller import AccountCaller
from firmograph.database.connection import Session
from firmograph.directory.result_slots import ItemErrorCode
from firmograph.enrichment.reveal import Paid
from firmograph.enrichment.signal_filter import ActivityFilter, Types

F = TypeVar("F")


class PricedPreviews(Generic[F]):
    """Record kind (`reveal.RecordKind`) of previews, without paid units, and their renderer."""

    def __init__(
        self,
        activity: ActivityFilter,
        load: Callable[[Session, Collection[int]], Mapping[int, F]],
        errors: Callable[[Session, Collection[int]], Mapping[int, ItemErrorCode]],
        preview: Callable[[AccountCaller, F, str | UnsetType, Paid, Types], bytes],
    ) -> None:
        self.entity = activity.entity
        self.load = load
        self.errors = errors
        self._active = activity
        self._preview = preview

    def units(self, record: F, reveal: frozenset[str]) -> Sequence[str]:
        return ()

    def render(
        self,
        session: Session,
        caller: AccountCaller,
        records: Mapping[int, F],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        types = self._active.types(session, records)
        return lambda number, reference: self._preview(caller, records[number], reference, paid, types)
