"""All SQL of erasing people from signals, inside the caller's transaction."""

from collections import defaultdict
from collections.abc import Collection, Iterable

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.post_store import HeldPost, decode_post
from firmograph.signals.posts import OF_SUMMARY
from firmograph.signals.tables import signal_people, signals
from firmograph.signals.types import NUMBER_OF, POSTS

_naming = sa.select(signal_people.c.signal_id, signal_people.c.digest).where(
    column_in(signal_people.c.digest, "digests")
)
_posts = sa.select(signals.c.id, signals.c.entity_id, signals.c.event).where(
    column_in(signals.c.id, "ids"), signals.c.type == NUMBER_OF[POSTS]
)
_companies = sa.select(signals.c.entity_id).where(
    column_in(signals.c.id, "ids"), signals.c.entity == int(Entity.COMPANY)
)
_of_contacts = sa.select(signals.c.id).where(
    signals.c.entity == int(Entity.CONTACT), column_in(signals.c.entity_id, "numbers")
)
_drop = sa.delete(signals).where(column_in(signals.c.id, "ids"))
_drop_people = sa.delete(signal_people).where(column_in(signal_people.c.signal_id, "ids"))
_drop_summary_people = sa.delete(signal_people).where(
    column_in(signal_people.c.signal_id, "ids"), sa.func.length(signal_people.c.digest) == OF_SUMMARY
)
_drop_person = sa.delete(signal_people).where(
    signal_people.c.digest == sa.bindparam("digest"), signal_people.c.signal_id == sa.bindparam("signal")
)


def naming(session: Session, digests: Collection[bytes]) -> dict[int, set[bytes]]:
    """The signals that name someone with one of these keys, and which of them each one names."""
    found: dict[int, set[bytes]] = defaultdict(set)
    for id, digest in session.all_in(_naming, "digests", sorted(digests)):
        found[id].add(digest)
    return found


def posts(session: Session, ids: Collection[int]) -> list[HeldPost]:
    """Those of the signals that are posts."""
    rows = session.all_in(_posts, "ids", sorted(ids))
    return [HeldPost(id, company, decode_post(event)) for id, company, event in rows]


def companies(session: Session, ids: Collection[int]) -> set[int]:
    """The numbers of the companies that these signals are of."""
    return {row[0] for row in session.all_in(_companies, "ids", sorted(ids))}


def of_contacts(session: Session, numbers: Collection[int]) -> list[int]:
    """The ids of the signals about these contacts."""
    return [row[0] for row in session.all_in(_of_contacts, "numbers", sorted(numbers))]


def drop(session: Session, ids: Collection[int]) -> None:
    """Delete signals with what is noted of whom they name; what accounts paid for them stays."""
    session.run_in(_drop_people, "ids", sorted(ids))
    session.run_in(_drop, "ids", sorted(ids))


def drop_summary_people(session: Session, ids: Collection[int]) -> None:
    """These posts have no summary any more that could name anyone."""
    session.run_in(_drop_summary_people, "ids", sorted(ids))


def drop_people(session: Session, people: Iterable[tuple[bytes, int]]) -> None:
    """A signal does not name a person any more: digests and the signals' ids."""
    session.many(_drop_person, sorted(people))
