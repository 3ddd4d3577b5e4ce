"""Signals in the index: found once committed, removed with their records, equal in any way of indexing."""

from contextlib import contextmanager

import pytest
from engine_state import fresh, head, state_of

from firmograph.backup import archive
from firmograph.backup.service import back_up, restore
from firmograph.database.connection import RECORDS
from firmograph.indexing.active_index import ActiveIndex
from firmograph.kit.clock import SetClock
from firmograph.prospecting.engines.query import EmployedBy, HasSignal, Query
from firmograph.security.record_ids import Entity
from firmograph.signals.activity.record_activity import RequestedSignal
from firmograph.signals.events import Detected, PersonReference, Post
from firmograph.signals.store import store_signals
from index_fixtures import search_checkpoints, search_follower, settle
from installation_factory import make_protections, make_suppression
from record_factory import KEYRING, contact, load_contacts
from signal_factory import DIGESTS, put_detected

PEOPLE = 30
CHANGED = HasSignal((RequestedSignal("companyChange"),))


@pytest.fixture
def index():
    return ActiveIndex()


@pytest.fixture
def follow(database, index, clock):
    """Return a function that follows the changes of this test's database up to the last."""
    load_contacts(
        database,
        "test",
        [
            (
                f"p{n}",
                contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"], company=f"Firm {n % 3}"),
            )
            for n in range(PEOPLE)
        ],
    )
    following = search_follower(database, index, clock, idle_changes=1, checkpoint_changes=1)

    def step():
        settle(following)
        return index.current

    step()
    yield step
    following.stop()


def numbers(engine, *types, entity=Entity.CONTACT, **days):
    criterion = HasSignal(tuple(RequestedSignal(type, **days) for type in types))
    return set(engine.search(Query(entity, criterion, size=100)).numbers)


def test_a_signal_is_found_once_it_is_committed(database, follow):
    assert numbers(follow(), "promotion", "companyChange") == set()
    put_detected(database, Entity.CONTACT, (1, "promotion", "2026-01-01"), (2, "companyChange", "2026-02-02"))
    put_detected(database, Entity.COMPANY, (1, "riskNews", "2026-03-03"))
    engine = follow()
    assert numbers(engine, "promotion", "companyChange") == {1, 2}
    assert numbers(engine, "promotion", "companyChange", since="2026-01-02") == {2}
    assert numbers(engine, "riskNews", entity=Entity.COMPANY) == {1}
    assert state_of(engine) == fresh(database)


def test_the_newest_signal_of_a_type_decides_in_any_order(database, follow):
    put_detected(database, Entity.CONTACT, (1, "promotion", "2026-05-05"))
    put_detected(database, Entity.CONTACT, (1, "promotion", "2026-01-01"))
    assert numbers(follow(), "promotion", since="2026-05-05") == {1}


def test_a_signal_of_a_future_day_is_found_on_that_day_by_the_same_index(database, follow, clock):
    yesterday, today, tomorrow = "2026-09-20", "2026-09-21", "2026-09-22"
    put_detected(database, Entity.CONTACT, (1, "promotion", yesterday), at=clock.seconds())
    put_detected(
        database,
        Entity.CONTACT,
        (1, "promotion", tomorrow),
        (2, "promotion", tomorrow),
        (3, "promotion", today),
        at=clock.seconds(),
    )
    engine = follow()
    assert numbers(engine, "promotion", until=today) == {1, 3}
    assert numbers(engine, "promotion", since=today, until=today) == {3}
    assert numbers(engine, "promotion", since=today, until=tomorrow) == {1, 2, 3}
    assert numbers(engine, "promotion", since=tomorrow, until=tomorrow) == {1, 2}
    assert state_of(engine) == fresh(database)


def test_an_already_stored_signal_changes_nothing(database, follow):
    put_detected(database, Entity.CONTACT, (1, "promotion", "2026-01-01"))
    before = head(database)
    assert put_detected(database, Entity.CONTACT, (1, "promotion", "2026-01-01")) == 0
    assert head(database) == before


def test_signals_of_a_company_find_new_contacts_and_survive_its_changes(database, follow):
    of_news = Query(Entity.CONTACT, EmployedBy(HasSignal((RequestedSignal("riskNews"),))), size=100)
    put_detected(database, Entity.COMPANY, (2, "riskNews", "2026-03-03"))
    assert follow().search(of_news).total == PEOPLE / 3
    load_contacts(
        database, "test", [("new", contact("New", "Comer", emails=["n@example.com"], company="Firm 1"))]
    )
    assert follow().search(of_news).total == PEOPLE / 3 + 1


def test_a_post_of_a_suppressed_author_does_not_find_its_company(database, follow, clock):
    author = PersonReference(7, "Given6 Family6", "")
    post = Post("2026-09-01", "", [], author, [], [], "https://example.com/post", None, 0, 0, 0, "post")
    named = (DIGESTS.contact_id(7),)
    found = Detected(
        Entity.COMPANY, 1, "linkedinActivityIntent", "post", "2026-09-01", post, "|Business|", named
    )
    with database.write(RECORDS) as session:
        store_signals(session, DIGESTS, [found], 0.0)
    put_detected(database, Entity.CONTACT, (7, "promotion", "2026-01-01"), (8, "promotion", "2026-01-01"))
    engine = follow()
    assert numbers(engine, "linkedinActivityIntent", entity=Entity.COMPANY) == {1}
    assert numbers(engine, "promotion") == {7, 8}
    suppression = make_suppression(database, KEYRING, clock)
    assert suppression.suppress(suppression.person(email="p6@example.com"))
    engine = follow()
    assert numbers(engine, "linkedinActivityIntent", entity=Entity.COMPANY) == set()
    assert numbers(engine, "promotion") == {8}
    assert state_of(engine) == fresh(database)


def test_a_checkpoint_contains_signals(database, follow, tmp_path):
    put_detected(database, Entity.CONTACT, *((n, "promotion", f"2026-01-{n:02}") for n in range(1, 20)))
    made = search_checkpoints(database).renew().built
    loaded = search_checkpoints(database).load()
    assert numbers(loaded, "promotion", since="2026-01-10") == set(range(10, 20))
    assert state_of(loaded) == state_of(made) == fresh(database)


@contextmanager
def restored_afterwards(database, file):
    """Restore the database after the block to its state before it."""
    back_up(database, None, file, SetClock(), replace=False, progress_of=_unwatched)
    yield
    with archive.open_archive(file) as backup:
        restore(backup, database, make_protections(), force=True, progress_of=_unwatched)


def _unwatched(what):
    return lambda done, total: None


def test_a_backup_that_replaces_the_database_brings_its_own_signals(database, follow, tmp_path):
    put_detected(database, Entity.CONTACT, (1, "promotion", "2026-01-01"))
    with restored_afterwards(database, tmp_path / "kept.backup"):
        put_detected(database, Entity.CONTACT, (2, "promotion", "2026-01-01"))
        assert numbers(follow(), "promotion") == {1, 2}
    engine = follow()
    assert numbers(engine, "promotion") == {1}
    assert state_of(engine) == fresh(database)
