"""All SQL of stored signals: written once, read by record, by id or in detection order."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.identity import Digests
from firmograph.directory.tables import changes, companies
from firmograph.kit.clock import day_of
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, event_json
from firmograph.signals.statements import Origin, Repetition, add_statements, repeat_statements
from firmograph.signals.tables import signal_feeds, signal_people, signals
from firmograph.signals.types import NAME_OF, NUMBER_OF, Signal

_entity = sa.bindparam("entity", type_=sa.SmallInteger)
_stored = sa.select(signals.c.identity).where(column_in(signals.c.identity, "identities"))
_with_events = sa.select(signals.c.identity, signals.c.id, signals.c.event).where(
    column_in(signals.c.identity, "identities")
)
_ids = sa.select(signals.c.identity, signals.c.id).where(column_in(signals.c.identity, "identities"))
_NEW = ("identity", "entity", "entity_id", "type", "day", "detail", "event", "detected_at", "quiet", "ahead")
_insert_feed = (
    insert(signal_feeds)
    .values(kind=sa.bindparam("kind"), source=sa.bindparam("source"))
    .on_conflict_do_nothing()
)
_feed_kinds = sa.select(signal_feeds.c.kind).distinct()
_newest = (
    sa.select(signals.c.entity_id, signals.c.type, sa.func.max(signals.c.day))
    .where(
        signals.c.entity == _entity,
        column_in(signals.c.entity_id, "numbers"),
        signals.c.day <= sa.bindparam("until"),
    )
    .group_by(signals.c.entity_id, signals.c.type)
)
_of_records = (
    sa.select(*signals.c)
    .where(
        signals.c.entity == _entity,
        column_in(signals.c.entity_id, "numbers"),
        signals.c.day >= sa.bindparam("since"),
    )
    .order_by(signals.c.entity_id, signals.c.type, signals.c.day.desc(), signals.c.identity)
)
_after = (
    sa.select(*signals.c)
    .where(signals.c.id > sa.bindparam("id"))
    .order_by(signals.c.id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_of_ids = sa.select(*signals.c).where(column_in(signals.c.id, "ids"))
_last = sa.select(sa.func.coalesce(sa.func.max(signals.c.id), 0))
_events = sa.select(signals.c.id, signals.c.event).where(column_in(signals.c.id, "ids"))
_company_summaries = sa.select(companies.c.id, companies.c.card).where(column_in(companies.c.id, "numbers"))


def store_signals(
    session: Session,
    digests: Digests,
    detected: Iterable[Detected],
    at: float,
    *,
    quiet: bool = False,
    origin: Origin | None = None,
) -> int:
    """Store new signals, add their records to the change sequence and return the number of new signals.

    Part of the caller's transaction, of scope RECORDS. Stored signals stay as they are, so that a detection may be
    repeated; that `origin` states them is noted in any case. Webhooks do not deliver `quiet` signals. At most three
    statements, two more if posts or news name people, and four with an origin.
    """
    by_identity = {one.identity(digests): one for one in detected}
    if not by_identity:
        return 0
    rows = session.all_in(_with_events, "identities", sorted(by_identity))
    stored: dict[bytes, tuple[int, bytes]] = {row[0]: (row[1], row[2]) for row in rows}
    new = {identity: one for identity, one in by_identity.items() if identity not in stored}
    if new:
        _insert_signals(session, new, at, quiet=quiet)
    if origin is not None:
        ids = signal_ids(session, new) if new else {}
        add_statements(session, origin, {ids[identity]: one.needs for identity, one in new.items()})
        repeat_statements(
            session,
            origin,
            {
                id: Repetition(one.needs, is_same=event == event_json(one.event))
                for identity, (id, event) in stored.items()
                for one in (by_identity[identity],)
            },
        )
    return len(new)


def _insert_signals(session: Session, new: dict[bytes, Detected], at: float, *, quiet: bool) -> None:
    today = day_of(at).isoformat()
    rows = [
        (
            identity,
            int(one.entity),
            one.number,
            NUMBER_OF[one.type],
            one.day,
            one.detail,
            event_json(one.event),
            at,
            int(quiet),
            int(one.day > today),
        )
        for identity, one in new.items()
    ]
    session.load(signals, rows, _NEW)
    _insert_people(session, new)
    mark_changed(session, ((int(one.entity), one.number) for one in new.values()))


def mark_changed(session: Session, records: Iterable[tuple[int, int]]) -> None:
    """Add records with new or deleted signals, as kind and number, to the change sequence."""
    session.load(changes, list(dict.fromkeys(records)), ("entity", "entity_id"))


def stored_identities(session: Session, identities: Iterable[bytes]) -> set[bytes]:
    """Return the identities that have a stored signal."""
    return {row[0] for row in session.all_in(_stored, "identities", sorted(identities))}


def signal_ids(session: Session, identities: Iterable[bytes]) -> dict[bytes, int]:
    """Return the ids of the stored ones of these signals, by identity."""
    return {row[0]: row[1] for row in session.all_in(_ids, "identities", sorted(identities))}


def _insert_people(session: Session, new: dict[bytes, Detected]) -> None:
    naming = [identity for identity, one in new.items() if one.people]
    if not naming:
        return
    ids = signal_ids(session, naming)
    session.load(
        signal_people, [(digest, ids[each]) for each in naming for digest in sorted(set(new[each].people))]
    )


def record_feed(session: Session, kind: str, source: int) -> None:
    """Record that facts of this kind were imported from this source."""
    session.many(_insert_feed, [(kind, source)])


def feed_kinds(session: Session) -> set[str]:
    """Return the kinds of facts ever imported (docs/reference/signal-score.md#score)."""
    return {row[0] for row in session.all(_feed_kinds)}


def newest_days(
    session: Session, entity: Entity, numbers: Collection[int], until: str
) -> dict[int, dict[str, str]]:
    """Find the newest day of each type that is not after `until`, of each record that has one. One statement."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    rows = session.all_in(_newest, "numbers", sorted(numbers), entity=int(entity), until=until)
    for number, type, day in rows:
        found[number][NAME_OF[type]] = day
    return found


def signals_of_records(
    session: Session, entity: Entity, numbers: Sequence[int], since: str = ""
) -> list[Signal]:
    """Return the signals of records dated on or after a day, by record and type, newest first, then by `signalId`."""
    rows = session.all_in(_of_records, "numbers", sorted(numbers), entity=int(entity), since=since)
    return [_signal(row) for row in rows]


def signals_after(session: Session, id: int, most: int) -> list[Signal]:
    """Return the next signals after an id, in the order of detection."""
    return [_signal(row) for row in session.all(_after, {"id": id, "most": most})]


def signals_by_id(session: Session, ids: Collection[int]) -> dict[int, Signal]:
    """Return signals by id, without deleted ones. One statement."""
    return {row[0]: _signal(row) for row in session.all_in(_of_ids, "ids", sorted(ids))}


def last_signal_id(session: Session) -> int:
    """Return the id of the signal detected last; 0 without signals."""
    row = session.one(_last)
    return row[0] if row else 0


def stored_events(session: Session, ids: Sequence[int]) -> dict[int, bytes]:
    """Return the stored JSON of events by signal id, without deleted signals. One statement."""
    return {row[0]: row[1] for row in session.all_in(_events, "ids", ids)}


def company_summaries(session: Session, numbers: Collection[int]) -> list[tuple[int, bytes]]:
    """Return number and company summary (inner JSON with name and domain) of the existing companies."""
    return [(row[0], row[1]) for row in session.all_in(_company_summaries, "numbers", sorted(numbers))]


def _signal(row: tuple[int, bytes, int, int, int, str, str, bytes, float, int, int]) -> Signal:
    return Signal._make((*row[:4], NAME_OF[row[4]], *row[5:]))
