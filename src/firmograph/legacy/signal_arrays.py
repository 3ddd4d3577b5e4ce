"""Signals in legacy answers: the query of a request, and arrays of events by type.

See docs/reference/legacy.md#signals-next-to-records.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.enrichment.reveal import RequestedSignals, RevealBatch
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity
from firmograph.signals import types
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.filters import MOST_OF_A_TYPE, SignalQuery, read_query
from firmograph.signals.selection import SelectedSignal, group_by_type
from firmograph.signals.shapes import LegacyInclude

R = TypeVar("R")


class SignalBounds(NamedTuple):
    """Days and number of the requested signals, as `signals.filters.RequestFields`."""

    start_date: str | UnsetType = UNSET
    max_results_per_signal: int | UnsetType = UNSET


class Paths(NamedTuple):
    """Names of the properties of a request that errors speak of."""

    names: str = "signals"
    start: str = "startDate"
    include: str = "filters.include"


SIGNALS_CALL = Paths()


def read_signal_query(
    entity: Entity,
    names: Sequence[str],
    bounds: Any,
    today: date,
    *,
    paths: Paths = SIGNALS_CALL,
    include: LegacyInclude | UnsetType = UNSET,
) -> SignalQuery:
    """Return the parsed query. Raises BadRequest, also for types the legacy generation lacks."""
    query = read_query(
        entity,
        bounds,
        today,
        names=names,
        names_at=paths.names,
        start_at=paths.start,
        include=include,
        include_at=paths.include,
    )
    check_known(names, paths.names)
    return query._replace(
        types=tuple(type for type in query.types if type != types.POSTS),
        most=min(query.most, MOST_OF_A_TYPE) if query.most else None,
    )


def check_known(names: Sequence[str], path: str) -> None:
    """Raise BadRequest for a type that only the current generation has."""
    for position, name in enumerate(names):
        if name.casefold() == types.POSTS.casefold():
            problem = (
                f"{path}.{position} must be a type of this generation;"
                f" ask /v3/companies/signals for {types.POSTS}"
            )
            raise BadRequest(problem, [problem])


def render_arrays(
    renderer: EventRenderer,
    query: SignalQuery,
    subject: Subject,
    events: Mapping[str, Sequence[SelectedSignal]],
    *,
    is_truncated: bool,
) -> Iterator[bytes]:
    """Yield members with the events of each type: of a contact each requested type, of a company those with any."""
    for type in query.types:
        if type in events or query.entity is Entity.CONTACT:
            rendered = (renderer.legacy_event(subject, event) for event in events.get(type, ()))
            yield b'"%s":[%s]' % (type.encode(), b",".join(rendered))
    if is_truncated:
        yield b'"truncated":true'


class SignalArrays:
    """Events of a reveal, to be added to its records."""

    def __init__(
        self, renderer: EventRenderer, requested: RequestedSignals[R] | None, content: RevealBatch[R]
    ) -> None:
        self._renderer = renderer
        self._query = requested.query if requested else None
        self._selection = content.signals
        self._events = group_by_type(content.signals) if content.signals else {}

    def add(self, number: int, record: bytes) -> bytes:
        """Return a record, a JSON object, with the arrays of its signals."""
        if self._query is None or self._selection is None or number not in self._selection.subjects:
            return record
        members = render_arrays(
            self._renderer,
            self._query,
            self._selection.subjects[number],
            self._events.get(number, {}),
            is_truncated=number in self._selection.truncated,
        )
        return b"".join([record[:-1], *(b"," + member for member in members), b"}"])
