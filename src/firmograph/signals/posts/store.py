"""All SQL of stored posts and the people they name, inside the caller's transaction."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.tables import changes
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Post, event_json
from firmograph.signals.tables import signal_people, signals

_stored = sa.select(signals.c.identity, signals.c.id, signals.c.entity_id, signals.c.event).where(
    signals.c.identity.in_(sa.bindparam("identities", expanding=True))
)
_rewrite = (
    sa.update(signals).values(event=sa.bindparam("new_event")).where(signals.c.id == sa.bindparam("signal"))
)
_insert_person = (
    insert(signal_people)
    .values(digest=sa.bindparam("digest"), signal_id=sa.bindparam("signal_id"))
    .on_conflict_do_nothing()
)

decode_post = msgspec.json.Decoder(Post).decode


class StoredPost(NamedTuple):
    """Stored signal of a post."""

    id: int
    company: int
    """Number of the company of the signal."""
    post: Post


def stored_posts(session: Session, identities: Collection[bytes]) -> dict[bytes, StoredPost]:
    """Return the stored posts by identity. One statement."""
    rows = session.all_in(_stored, "identities", sorted(identities))
    return {row[0]: StoredPost(row[1], row[2], decode_post(row[3])) for row in rows}


def rewrite_posts(session: Session, posts: Collection[StoredPost]) -> None:
    """Replace stored posts and add their companies to the change sequence."""
    session.many(_rewrite, [(event_json(each.post), each.id) for each in posts])
    mark_changed(session, (each.company for each in posts))


def add_people(session: Session, people: Iterable[tuple[bytes, int]]) -> None:
    """Add people named in posts, as digest and signal id; existing rows stay."""
    session.many(_insert_person, sorted(people))


def mark_changed(session: Session, companies: Iterable[int]) -> None:
    """Add companies with changed signals to the change sequence."""
    rows = [(int(Entity.COMPANY), number) for number in sorted(set(companies))]
    session.load(changes, rows, ("entity", "entity_id"))
