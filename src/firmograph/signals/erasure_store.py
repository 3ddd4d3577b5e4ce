"""All SQL that removes records, and erases people, from signals and facts, inside the caller's transaction."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.posts.analysis import OF_SUMMARY
from firmograph.signals.posts.store import StoredPost, decode_post
from firmograph.signals.tables import (
    company_figures,
    figures_to_judge,
    job_postings,
    signal_people,
    signals,
)
from firmograph.signals.types import NUMBER_OF, POSTS

_naming = sa.select(signal_people.c.signal_id, signal_people.c.digest).where(
    column_in(signal_people.c.digest, "digests")
)
_posts = sa.select(signals.c.id, signals.c.entity_id, signals.c.event).where(
    column_in(signals.c.id, "ids"), signals.c.type == NUMBER_OF[POSTS]
)
_records = sa.select(signals.c.id, signals.c.entity, signals.c.entity_id).where(
    column_in(signals.c.id, "ids")
)
_identities = sa.select(signals.c.identity).where(column_in(signals.c.id, "ids"))
_events = sa.select(signals.c.identity, signals.c.event).where(column_in(signals.c.identity, "identities"))
_of_records = sa.select(signals.c.id).where(
    signals.c.entity == sa.bindparam("entity", type_=sa.SmallInteger),
    column_in(signals.c.entity_id, "numbers"),
)
_all_signals = sa.select(signals).where(column_in(signals.c.id, "ids"))
_all_mentions = sa.select(signal_people).where(column_in(signal_people.c.digest, "digests"))
_delete = sa.delete(signals).where(column_in(signals.c.id, "ids"))
_delete_people = sa.delete(signal_people).where(column_in(signal_people.c.signal_id, "ids"))
_delete_summary_people = sa.delete(signal_people).where(
    column_in(signal_people.c.signal_id, "ids"), sa.func.length(signal_people.c.digest) == OF_SUMMARY
)
_delete_facts = [
    sa.delete(table).where(column_in(table.c.company_id, "numbers"))
    for table in (company_figures, figures_to_judge, job_postings)
]
_delete_person = sa.delete(signal_people).where(
    signal_people.c.digest == sa.bindparam("digest"), signal_people.c.signal_id == sa.bindparam("signal")
)


def signals_naming(session: Session, digests: Collection[bytes]) -> dict[int, set[bytes]]:
    """Return the signals that name people with these digests, each with the digests it names."""
    found: dict[int, set[bytes]] = defaultdict(set)
    for id, digest in session.all_in(_naming, "digests", sorted(digests)):
        found[id].add(digest)
    return found


def posts_among(session: Session, ids: Collection[int]) -> list[StoredPost]:
    """Return the posts among the signals."""
    rows = session.all_in(_posts, "ids", sorted(ids))
    return [StoredPost(id, company, decode_post(event)) for id, company, event in rows]


def records_of_signals(session: Session, ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return the records of these signals, as entity and number."""
    return {row[0]: (row[1], row[2]) for row in session.all_in(_records, "ids", sorted(ids))}


def identities_of(session: Session, ids: Collection[int]) -> list[bytes]:
    """Return the identities of these signals."""
    return [row[0] for row in session.all_in(_identities, "ids", sorted(ids))]


def events_of(session: Session, identities: Collection[bytes]) -> dict[bytes, bytes]:
    """Return the events of those of these signals that are stored, by identity."""
    return {row[0]: row[1] for row in session.all_in(_events, "identities", sorted(identities))}


def signals_of_records(session: Session, entity: Entity, numbers: Collection[int]) -> list[int]:
    """Return the ids of the signals of these records."""
    return [row[0] for row in session.all_in(_of_records, "numbers", sorted(numbers), entity=int(entity))]


def select_signals(session: Session, ids: Collection[int]) -> list[dict[str, Any]]:
    """Return these signals by column."""
    rows = session.all_in(_all_signals, "ids", sorted(ids))
    return [dict(zip(signals.c.keys(), row, strict=True)) for row in rows]


def select_mentions(session: Session, digests: Collection[bytes]) -> list[dict[str, Any]]:
    """Return the people named in signals with these digests, by column."""
    rows = session.all_in(_all_mentions, "digests", sorted(digests))
    return [dict(zip(signal_people.c.keys(), row, strict=True)) for row in rows]


def delete_signals(session: Session, ids: Collection[int]) -> None:
    """Delete signals and the people they name; payments of accounts stay."""
    session.run_in(_delete_people, "ids", sorted(ids))
    session.run_in(_delete, "ids", sorted(ids))


def delete_facts(session: Session, companies: Collection[int]) -> None:
    """Delete figures and job postings of companies."""
    for statement in _delete_facts:
        session.run_in(statement, "numbers", sorted(companies))


def delete_summary_mentions(session: Session, ids: Collection[int]) -> None:
    """Delete the people named in the summaries of posts; the summaries are gone."""
    session.run_in(_delete_summary_people, "ids", sorted(ids))


def delete_mentions(session: Session, people: Iterable[tuple[bytes, int]]) -> None:
    """Delete people named in signals, given as digest and signal id."""
    session.many(_delete_person, sorted(people))
