"""A database that lacks the last commits under the same identity: a standby that took over without them."""

import pytest
import sqlalchemy as sa
from engine_state import fresh, head, state_of

from firmograph.database.connection import RECORDS
from firmograph.directory.tables import changes, contact_keys, contact_rows, contacts
from firmograph.indexing.active_index import ActiveIndex
from firmograph.prospecting.engines.query import All, Query
from firmograph.security.record_ids import Entity
from index_fixtures import search_checkpoints, search_follower, settle
from installation_factory import make_suppression
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
    return ActiveIndex()


@pytest.fixture
def following(database, index, clock):
    """Return a follower of a database with three people left, which it has read with ten."""
    load_contacts(database, "test", people(3))
    remaining_head = head(database)
    load_contacts(database, "test", people(7, start=3))
    following = search_follower(database, index, clock)
    settle(following)
    assert index.applied == head(database)
    search_checkpoints(database).save(index.current, following._identity)
    with database.write(RECORDS) as session:
        for statement in _lost:
            session.execute(statement, {"kept": 3})
        session.execute(_unwritten, {"kept": remaining_head})
    yield following
    following.stop()


def people(count: int, start: int = 0):
    return [
        (f"p{n}", contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"]))
        for n in range(start, start + count)
    ]


def test_the_index_forgets_the_lost_records(database, index, following):
    settle(following)
    assert index.current.search(EVERYONE).total == 3
    assert state_of(index.current) == fresh(database)


def test_its_checkpoint_is_not_used_when_the_database_has_reached_the_same_number_again(
    database, index, following, clock
):
    following.step()
    load_contacts(database, "test", people(20, start=50))
    settle(following)
    again = ActiveIndex()
    settle(search_follower(database, again, clock))
    for each in (index, again):
        assert state_of(each.current) == fresh(database)


def test_a_person_suppressed_afterwards_is_not_found(database, index, following, keyring, clock):
    settle(following)
    suppression = make_suppression(database, keyring, clock)
    assert suppression.suppress(suppression.person(email="p1@example.com")) == 1
    settle(following)
    assert index.current.search(EVERYONE).total == 2
