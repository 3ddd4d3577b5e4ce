"""Posts as they are kept: found when they come again, and rewritten. All inside the caller's transaction."""

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

_held = sa.select(signals.c.identity, signals.c.id, signals.c.entity_id, signals.c.event).where(
    signals.c.identity.in_(sa.bindparam("identities", expanding=True))
)
_rewrite = (
    sa.update(signals).values(event=sa.bindparam("new_event")).where(signals.c.id == sa.bindparam("signal"))
)
_put_person = (
    insert(signal_people)
    .values(digest=sa.bindparam("digest"), signal_id=sa.bindparam("signal_id"))
    .on_conflict_do_nothing()
)

decode_post = msgspec.json.Decoder(Post).decode


class HeldPost(NamedTuple):
    """A post's signal as it is stored."""

    id: int
    company: int
    """The number of the company whose signal it is."""
    post: Post


def held_posts(session: Session, identities: Collection[bytes]) -> dict[bytes, HeldPost]:
    """Those of these signals that are held. One statement."""
    rows = session.all_in(_held, "identities", sorted(identities))
    return {row[0]: HeldPost(row[1], row[2], decode_post(row[3])) for row in rows}


def rewrite(session: Session, posts: Collection[HeldPost]) -> None:
    """Store posts in the place of what was held, and note their companies in the change sequence."""
    session.many(_rewrite, [(event_json(each.post), each.id) for each in posts])
    note(session, (each.company for each in posts))


def put_people(session: Session, people: Iterable[tuple[bytes, int]]) -> None:
    """Note whom posts name: digests of people and the signals' ids; those that are noted stay."""
    session.many(_put_person, sorted(people))


def note(session: Session, companies: Iterable[int]) -> None:
    """Give companies whose signals changed their places in the change sequence."""
    rows = [(int(Entity.COMPANY), number) for number in sorted(set(companies))]
    session.load(changes, rows, ("entity", "entity_id"))
