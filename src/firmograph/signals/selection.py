"""Selection of the signals that calls and tables show of records."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store as directory_store
from firmograph.directory.result_slots import ResultSlot
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store, store
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.filters import MOST_OF_A_TYPE, SignalQuery
from firmograph.signals.paid_store import NO_LIMIT, AccountSignal
from firmograph.signals.types import NAME_OF, NUMBER_OF


class SelectedSignal(NamedTuple):
    """Signal in a response."""

    identity: bytes
    type: str
    day: str
    event: bytes


class RecordSignals(NamedTuple):
    """Shown signals of one record, outside of a response."""

    subject: Subject
    events: Mapping[str, Sequence[SelectedSignal]]
    """By type, newest first; only types with signals."""


class Selection(NamedTuple):
    """Signals selected at one state of the database."""

    subjects: Mapping[int, Subject]
    shown: Sequence[AccountSignal]
    truncated: Collection[int]
    events: Mapping[int, bytes] = {}
    """By signal id."""
    slots: Sequence[ResultSlot] = ()


class SignalSelector:
    """Selection of the signals of records with the data that their events show."""

    def __init__(self, renderer: EventRenderer) -> None:
        self._renderer = renderer

    def find(
        self, session: AccountSession, query: SignalQuery, numbers: Collection[int]
    ) -> dict[int, RecordSignals]:
        """Return what a call would show of existing records by number. At most four statements."""
        selection = load_events(session.session, self.select(session, query, numbers))
        events = group_by_type(selection)
        return {
            number: RecordSignals(subject, events.get(number, {}))
            for number, subject in selection.subjects.items()
        }

    def select(
        self, session: AccountSession, query: SignalQuery, numbers: Collection[int], last: int = NO_LIMIT
    ) -> Selection:
        """Return the signals to show of those of the records that exist, without their events."""
        subjects = self._subjects(session.session, query.entity, set(numbers))
        stored = _read_signals(session, query, subjects.keys(), last) if subjects else []
        return Selection(subjects, *select_shown(query, stored))

    def _subjects(self, session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, Subject]:
        """Return the existing records with the data that their events show. One statement."""
        if entity is Entity.CONTACT:
            existing = sorted(directory_store.existing_contacts(session, numbers))
            return {number: self._renderer.contact(number) for number in existing}
        return {
            number: self._renderer.company(number, card)
            for number, card in store.company_summaries(session, numbers)
        }


def _read_signals(
    session: AccountSession, query: SignalQuery, numbers: Collection[int], last: int
) -> list[AccountSignal]:
    return paid_store.signals_of_records(
        session,
        query.entity,
        numbers,
        query.types,
        query.start or "",
        query.today,
        # the statement does not know what the filters exclude
        most=NO_LIMIT if query.detail_filters else (query.most or MOST_OF_A_TYPE) + 1,
        last=last,
    )


def load_events(session: Session, selection: Selection) -> Selection:
    """Load the events of the selected signals. One statement.

    On a server a signal may have been deleted since it was selected, for example with a person that it names. It is
    then not shown.
    """
    events = store.stored_events(session, [one.id for one in selection.shown]) if selection.shown else {}
    return selection._replace(shown=[one for one in selection.shown if one.id in events], events=events)


def select_shown(
    query: SignalQuery, signals: Iterable[AccountSignal]
) -> tuple[list[AccountSignal], set[int]]:
    """Return the signals to show, and the records with more signals of a type than can be shown.

    Input and output are ordered by record and type, newest first.
    """
    bounds = {
        NUMBER_OF[type]: (query.since(type), query.limit(type), query.detail_filters.get(type))
        for type in query.types
    }
    shown: list[AccountSignal] = []
    truncated: set[int] = set()
    counted, group = 0, (0, 0)
    for one in signals:
        since, limit, matches = bounds[one.type]
        if (one.number, one.type) != group:
            counted, group = 0, (one.number, one.type)
        if one.day < since or (matches and not matches(one.detail)):
            continue
        counted += 1
        if counted <= limit:
            shown.append(one)
        elif limit == MOST_OF_A_TYPE:
            truncated.add(one.number)
    return shown, truncated


def group_by_type(selection: Selection) -> dict[int, dict[str, list[SelectedSignal]]]:
    """Return the selected signals by record and type."""
    found: dict[int, dict[str, list[SelectedSignal]]] = {}
    group, type = (0, 0), ""
    views: list[SelectedSignal] = []
    for one in selection.shown:
        if (one.number, one.type) != group:
            group, type, views = (one.number, one.type), NAME_OF[one.type], []
            found.setdefault(one.number, {})[type] = views
        views.append(SelectedSignal(one.identity, type, one.day, selection.events[one.id]))
    return found
