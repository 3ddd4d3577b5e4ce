"""The follower of the change sequence: committed changes become findable despite failures."""

import os
from pathlib import Path

import people_fixtures
import pytest
from engine_state import fresh, head, state_of

from firmograph.backup import archive
from firmograph.backup.service import back_up, restore
from firmograph.directory.records import CompanyRef, Location
from firmograph.indexing import catch_up, change_batches, follower, store
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.checkpoints import MAX_DEAD_SHARE
from firmograph.indexing.follower import IndexFollower
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Loading
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.query import All, EmployedBy, Query, Term
from firmograph.prospecting.indexing import entry_changes as entry_building
from firmograph.prospecting.indexing.entry_changes import entry_changes
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import Entity
from index_fixtures import is_applied, search_checkpoints, search_follower, settle
from installation_factory import make_protections, make_suppression
from record_factory import contact, load_contacts

EVERYONE = Query(Entity.CONTACT, All(()))
WAIT = 30


@pytest.fixture
def index():
    return ActiveIndex()


@pytest.fixture
def make_follower(database, index, clock):
    """Return a function that makes followers of this test's database; each is stopped at the end."""
    made = []

    def make(**thresholds: float) -> IndexFollower:
        made.append(search_follower(database, index, clock, **thresholds))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def work_of(following):
    return following.indexes[0].work


def people(count, start=0, **fields):
    return [
        (f"p{n}", contact(f"Given{n}", f"Family{n}", emails=[f"p{n}@example.com"], **fields))
        for n in range(start, start + count)
    ]


def test_committed_changes_are_found(database, index, make_follower):
    make_follower().start()
    for count in (3, 700):
        load_contacts(database, "test", people(count))
        assert is_applied(index, head(database), WAIT)
        assert index.current.search(EVERYONE).total == count


def test_a_followed_index_equals_a_new_one(database, index, make_follower):
    following = make_follower()
    settle(following)
    people_fixtures.load(database)
    settle(following)
    load_contacts(database, "test", people(300, title="CEO", company="Acme Instruments"))
    load_contacts(database, "other", people(200, start=100, title="CTO", company="Umbrella Labs"))
    settle(following)
    assert index.current.applied == head(database)
    assert state_of(index.current) == fresh(database)


def test_nothing_is_ready_before_the_first_step(index):
    with pytest.raises(Loading):
        _ = index.current
    assert (index.state, index.applied) == ("loading", 0)
    assert not is_applied(index, 0, 0)


def test_a_contact_never_appears_before_its_company(database):
    employer = CompanyRef(name="Acme", domain="acme.example.com", country_iso2="US")
    load_contacts(database, "test", people(5, company=employer))
    engine = MemoryEngine.empty()
    at_acme = Query(Entity.CONTACT, EmployedBy(Term(fields.COUNTRY, "US")))
    totals = []
    while engine.applied < head(database):
        batch = change_batches.next_batch(database, engine.applied, engine.missing_companies, limit=1)
        engine.apply(entry_changes(batch))
        totals.append((engine.search(EVERYONE).total, engine.search(at_acme).total))
    assert totals == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 5)]


def test_indexed_companies_are_not_read_again(database):
    load_contacts(database, "test", people(1, company="Acme"))
    batch = change_batches.next_batch(database, 0, lambda numbers: (), limit=1)
    assert (len(batch.contacts), len(batch.companies), len(batch.employers)) == (1, 0, 0)


def test_a_deleted_contact_leaves_the_index(database, index, make_follower, keyring, clock):
    load_contacts(database, "test", people(3))
    following = make_follower()
    settle(following)
    suppression = make_suppression(database, keyring, clock)
    suppression.suppress(suppression.person(email="p1@example.com"))
    assert len(store.removed_since(database.session(), index.applied).contacts) == 1
    settle(following)
    assert not any(store.removed_since(database.session(), index.applied))
    assert index.current.search(EVERYONE).total == 2


def test_a_contact_deleted_while_a_batch_is_read_does_not_return_with_it(
    database, index, make_follower, keyring, clock, monkeypatch
):
    load_contacts(database, "test", people(1))
    following = make_follower()
    settle(following)
    read_batch = change_batches.next_batch
    suppression = make_suppression(database, keyring, clock)

    def shown():
        with database.read() as session:
            return SearchSnapshot.of(session, index).search(EVERYONE).total

    def suppress_behind_it(*arguments, **named):
        batch = read_batch(*arguments, **named)
        suppression.suppress(suppression.person(email="p0@example.com"))
        totals.append(shown())
        return batch

    totals = []
    monkeypatch.setattr(follower, "next_batch", suppress_behind_it)
    load_contacts(database, "test", people(1, title="CEO"))
    assert shown() == 1
    following.step()
    assert [shown(), *totals] == [0, 0]
    settle(following)
    assert (shown(), index.current.search(EVERYONE).total) == (0, 0)
    assert set(totals) == {0}


def test_a_failing_database_is_retried(database, index, make_follower, monkeypatch):
    make_follower().start()
    assert is_applied(index, 0, WAIT)
    load_contacts(database, "test", people(1))
    # the follower pauses: a query on its way now could be answered with later changes
    assert is_applied(index, head(database), WAIT)
    ask, failures = store.changes_after, iter([RuntimeError("disk I/O error")] * 3)

    def ask_in_vain(*arguments):
        for failure in failures:
            raise failure
        return ask(*arguments)

    monkeypatch.setattr(follower, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(store, "changes_after", ask_in_vain)
    load_contacts(database, "test", people(2))
    assert is_applied(index, head(database), WAIT)
    assert next(failures, None) is None
    assert index.current.search(EVERYONE).total == 2


def test_a_record_without_a_valid_entry_does_not_block_others(database, index, make_follower, monkeypatch):
    make_entry = entry_building.contact_entry

    def fail_for_one(number, company, record, *activity):
        if record.last_name == "Family1":
            raise ValueError(record.last_name)
        return make_entry(number, company, record, *activity)

    monkeypatch.setattr(entry_building, "contact_entry", fail_for_one)
    following = make_follower()
    settle(following)
    load_contacts(database, "test", people(3))
    settle(following)
    assert index.current.search(EVERYONE).total == 2
    assert fresh(database)[Entity.CONTACT].total == 2


@pytest.fixture
def put_back(database, tmp_path):
    """Make a backup now; each call of the result restores it over the database."""
    file = tmp_path / "kept.backup"
    back_up(database, None, file, SetClock(), replace=False, progress_of=unwatched)

    def restore_it():
        with archive.open_archive(file) as backup:
            restore(backup, database, make_protections(), force=True, progress_of=unwatched)

    return restore_it


def unwatched(what):
    return lambda done, total: None


def test_when_a_backup_replaces_the_database_the_index_is_rebuilt(database, index, make_follower, put_back):
    following = make_follower()
    load_contacts(database, "test", people(3))
    settle(following)
    put_back()
    # the same sequence number, with another person
    load_contacts(database, "test", people(3, start=100, title="CEO"))
    settle(following)
    assert index.applied == head(database)
    assert state_of(index.current) == fresh(database)


def test_nothing_answers_from_the_moment_the_restore_is_noticed(database, index, make_follower, put_back):
    following = make_follower()
    load_contacts(database, "test", people(3))
    settle(following)
    put_back()
    assert following.step()
    with pytest.raises(Loading):
        _ = index.current
    assert index.state == "loading"


def test_an_index_of_the_replaced_database_is_never_saved_for_the_new_one(
    database, index, make_follower, put_back, clock
):
    following = make_follower(idle_changes=1, checkpoint_changes=1)
    load_contacts(database, "test", people(3))
    settle(following)
    put_back()
    following.stop()
    following.indexes[0].save_at_end()
    loaded = search_checkpoints(database).load()
    assert loaded is None


def test_an_unfinished_build_of_the_replaced_database_is_discarded(
    database, index, make_follower, put_back, clock
):
    following = make_follower(small_index=0, checkpoint_changes=1)
    load_contacts(database, "test", people(10))
    settle(following)
    load_contacts(database, "test", people(10, location=Location(country_iso2="US")))
    clock.advance(61)
    while work_of(following) is None:
        following.step()
    work_of(following).exception(timeout=60)
    put_back()
    settle(following)
    assert work_of(following) is None
    assert state_of(index.current) == fresh(database)


def test_stopping_is_possible_before_the_start(make_follower):
    make_follower().stop()


def test_a_small_index_is_saved_at_the_end(database, index, make_follower):
    following = make_follower(idle_changes=3)
    following.start()
    load_contacts(database, "test", people(3))
    assert is_applied(index, head(database), WAIT)
    following.stop()
    loaded = search_checkpoints(database).load()
    assert loaded is not None
    assert state_of(loaded) == fresh(database)


def test_a_few_changes_do_not_justify_a_checkpoint(database, make_follower):
    following = make_follower(idle_changes=4)
    load_contacts(database, "test", people(3))
    following.start()
    following.stop()
    assert not search_checkpoints(database).path.exists()


@pytest.mark.parametrize(("changes", "seconds", "written"), [(3, 61, True), (4, 61, False), (4, 601, True)])
def test_a_checkpoint_is_written_periodically(database, make_follower, clock, changes, seconds, written):
    load_contacts(database, "test", people(3))
    following = make_follower(idle_changes=1, checkpoint_changes=changes)
    settle(following)
    assert not search_checkpoints(database).path.exists()
    clock.advance(seconds)
    settle(following)
    assert search_checkpoints(database).path.exists() is written


def test_a_mostly_dead_index_is_replaced_by_a_new_one(database, index, make_follower, clock):
    load_contacts(database, "test", people(10))
    following = make_follower()
    settle(following)
    old = index.current
    load_contacts(database, "test", people(10, location=Location(country_iso2="US")))
    settle(following)
    assert index.current is old
    assert old.dead_share > MAX_DEAD_SHARE
    clock.advance(61)
    settle(following)
    assert index.current is not old
    assert index.current.dead_share == 0
    assert state_of(index.current) == fresh(database)


def test_a_large_index_is_built_and_saved_by_another_process(database, index, make_follower, clock):
    load_contacts(database, "test", people(30, company="Acme"))
    following = make_follower(small_index=0, checkpoint_changes=10)
    settle(following)
    made = index.current
    assert search_checkpoints(database).load().applied == head(database) == made.applied

    load_contacts(database, "test", people(10, start=30))
    clock.advance(61)
    settle(following)
    assert index.current is made
    assert search_checkpoints(database).load().applied == head(database)

    load_contacts(database, "test", people(40, location=Location(country_iso2="US")))
    clock.advance(61)
    settle(following)
    assert index.current is not made
    assert index.current.dead_share == 0
    assert state_of(index.current) == fresh(database)


def test_if_another_process_fails_the_index_is_built_in_this_one(database, index, make_follower):
    load_contacts(database, "test", people(3))
    Path(f"{database.companion}.search.part").mkdir()
    following = make_follower(small_index=0)
    settle(following)
    assert index.current.search(EVERYONE).total == 3


def test_a_far_behind_follower_uses_another_process_for_bulk_catch_up(
    database, index, make_follower, monkeypatch
):
    following = make_follower()
    settle(following)
    people_fixtures.load(database)
    load_contacts(database, "test", people(250, company="Acme Instruments", title="CEO"))
    monkeypatch.setattr(follower, "BULK_THRESHOLD", 100)
    monkeypatch.setattr(IndexFollower, "_follow_once", lambda *arguments: None)
    settle(following)
    assert index.applied == head(database)
    assert index.current.dead_share == 0
    assert state_of(index.current) == fresh(database)


def test_indexed_companies_are_not_read_again_by_bulk_catch_up(database, index, make_follower, monkeypatch):
    load_contacts(database, "test", people(3, company="Acme"))
    following = make_follower()
    settle(following)
    load_contacts(database, "test", people(3, start=3, company="Acme"))
    monkeypatch.setattr(follower, "BULK_THRESHOLD", 1)
    settle(following)
    assert index.applied == head(database)
    assert index.current.companies.documents.count == 1


def test_a_step_continues_when_the_bulk_catch_up_process_dies(database, index, make_follower, monkeypatch):
    following = make_follower()
    settle(following)
    load_contacts(database, "test", people(10))
    monkeypatch.setattr(follower, "BULK_THRESHOLD", 5)
    monkeypatch.setattr(catch_up, "_read_batches", os.abort)
    settle(following)
    assert state_of(index.current) == fresh(database)
