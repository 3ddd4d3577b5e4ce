"""Signal columns: the newest events of chosen types of each row."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from firmograph.billing.affordable_charge import PricedGroup
from firmograph.billing.types import signal_unit
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import day_of
from firmograph.record_tables.columns.kind import NO_DATA, CellContent
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.types import TableColumn, ValueType
from firmograph.security.record_ids import Entity
from firmograph.signals.event_renderer import MOST_CELL_EVENTS, EventRenderer
from firmograph.signals.filters import SignalQuery
from firmograph.signals.selection import RecordSignals, SignalSelector
from firmograph.signals.service import PRICE_KEYS
from firmograph.signals.types import TYPES

SIGNAL: Final = "signal"


MOST_NAMED_TYPES: Final = 4
"""Types that the name of a column lists."""


class SignalSettings(msgspec.Struct, rename="camel", omit_defaults=True):
    """Settings of a signal column, as stored."""

    types: list[str]
    """In documented order."""
    start_date: str | None = None
    """First day; None for all stored signals."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SignalSettings).decode


def signal_column(entity: int, types: Collection[str], start: str | None) -> NewColumn:
    """Return a signal column to insert. `types` are known ones; a table has one column of the same types."""
    ordered = [type for type in TYPES[Entity(entity)] if type in types]
    return NewColumn(
        SIGNAL,
        None,
        f"{SIGNAL}:{','.join(sorted(ordered))}",
        f"Signals: {_describe_types(ordered)}",
        _encode(SignalSettings(ordered, start)),
    )


def _describe_types(types: Sequence[str]) -> str:
    """Return the types in words for the name of a column."""
    if len(types) <= MOST_NAMED_TYPES:
        return ", ".join(types)
    return f"{', '.join(types[:MOST_NAMED_TYPES])} and {len(types) - MOST_NAMED_TYPES} more"


class SignalKind:
    """Kind of the signal columns."""

    def __init__(self, renderer: EventRenderer) -> None:
        self._selector = SignalSelector(renderer)
        self._renderer = renderer

    def value_type(self, column: TableColumn, entity: Entity) -> ValueType:
        return "object"

    def load(
        self,
        session: AccountSession,
        entity: Entity,
        columns: Collection[TableColumn],
        numbers: Collection[int],
        at: float,
    ) -> Mapping[int, Mapping[int, CellContent]]:
        """Return the content of cells, without events of days to come. At most four statements a column."""
        today = day_of(at).isoformat()
        contents: dict[int, Mapping[int, CellContent]] = {}
        for column in columns:
            settings = _decode(column.settings or b"")
            # one more than is shown, to know of further ones
            most = MOST_CELL_EVENTS + 1
            query = SignalQuery(entity, tuple(settings.types), settings.start_date, today, most, {})
            found = self._selector.find(session, query, numbers)
            contents[column.id] = {number: self._content(entity, one) for number, one in found.items()}
        return contents

    def _content(self, entity: Entity, found: RecordSignals) -> CellContent:
        value = self._renderer.cell(found.subject, found.events)
        if value is None:
            return NO_DATA
        groups = (
            PricedGroup(
                PRICE_KEYS[entity], frozenset(signal_unit(one.identity) for one in some[:MOST_CELL_EVENTS])
            )
            for some in found.events.values()
        )
        return CellContent(value, tuple(groups))
