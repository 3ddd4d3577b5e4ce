"""Previews as something that is paid for by their number, where search has a price."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import UnsetType

from firmograph.accounts.caller import Caller
from firmograph.database.connection import Session
from firmograph.enrichment.reveal import Paid
from firmograph.enrichment.signal_filter import Active, Types

F = TypeVar("F")


class PricedPreviews(Generic[F]):
    """`reveal.Revealing` of records that are found and shown, with nothing else to pay for."""

    def __init__(
        self,
        active: Active,
        load: Callable[[Session, Collection[int]], Mapping[int, F]],
        errors: Callable[[Session, Collection[int]], Mapping[int, str]],
        preview: Callable[[Caller, F, str | UnsetType, Paid, Types], bytes],
    ) -> None:
        self.entity = active.entity
        self.load = load
        self.errors = errors
        self._active = active
        self._preview = preview

    def units(self, record: F, reveal: frozenset[str]) -> Sequence[str]:
        return ()

    def render(
        self, session: Session, caller: Caller, records: Mapping[int, F], reveal: frozenset[str], paid: Paid
    ) -> Callable[[int, str | UnsetType], bytes]:
        types = self._active.types(session, records)
        return lambda number, reference: self._preview(caller, records[number], reference, paid, types)
