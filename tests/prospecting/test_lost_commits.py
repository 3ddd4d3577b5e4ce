"""A database that lacks the last commits although it is the same one: a standby that took over without them."""

import pytest
import sqlalchemy as sa
from engine_state import fresh, head, state_of

from firmograph.database.connection import RECORDS
from firmograph.directory.tables import changes, contact_keys, contact_rows, contacts
from firmograph.prospecting.engines.memory.checkpoints import Checkpoints
from firmograph.prospecting.engines.memory.follower import IndexFollower
from firmograph.prospecting.engines.query import All, Query
from firmograph.prospecting.indexing.active_engine import SearchIndex
from firmograph.security.record_ids import Entity
from firmograph.webhooks.erasure import make_suppression
from record_factory import contact, load_contacts

EVERYONE = Query(Entity.CONTACT, All(()))
_lost = [
    sa.delete(table).where(column > sa.bindparam("kept"))
    for table, column in (
        (contacts, contacts.c.id),
        (contact_rows, contact_rows.c.contact_id),
        (contact_keys, contact_keys.c.contact_id),
    )
]
_unwritten = sa.delete(changes).where(changes.c.sequence > sa.bindparam("kept"))


@pytest.fixture
def index():
    return SearchIndex()


@pytest.fixture
def following(database, index, clock):
    """A follower of a database of which three people are left, and which it has seen with ten."""
    load_contacts(database, "test", people(3))
    kept = head(database)
    load_contacts(database, "test", people(7, start=3))
    following = IndexFollower(database, index, clock)
    settle(following)
    assert index.applied == head(database)
    Checkpoints(database).save(index.current, following._identity)
    with database.write(RECORDS) as session:
        for statement in _lost:
            session.execute(statement, {"kept": 3})
        session.execute(_unwritten, {"kept": kept})
    yield following
    following.stop()


def people(count: int, start: int = 0):
    return [
        (f"p{n}", contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"]))
        for n in range(start, start + count)
    ]


def settle(following: IndexFollower) -> None:
    while following.step():
        pass


def test_the_index_forgets_what_the_database_lost(database, index, following):
    settle(following)
    assert index.current.search(EVERYONE).total == 3
    assert state_of(index.current) == fresh(database)


def test_its_checkpoint_is_not_taken_up_when_the_database_has_come_as_far_again(
    database, index, following, clock
):
    following.step()
    load_contacts(database, "test", people(20, start=50))
    settle(following)
    again = SearchIndex()
    settle(IndexFollower(database, again, clock))
    for each in (index, again):
        assert state_of(each.current) == fresh(database)


def test_who_is_suppressed_then_is_not_found(database, index, following, keyring, clock):
    settle(following)
    suppression = make_suppression(database, keyring, clock)
    assert suppression.suppress(suppression.person(email="p1@example.com")) == 1
    settle(following)
    assert index.current.search(EVERYONE).total == 2
