"""Several indexes that follow one change sequence: shared batches, own checkpoints, and a failure of one."""

from collections import Counter

import pytest
from country_index import Countries, CountryIndex, Places

from firmograph.directory.records import Location
from firmograph.indexing import change_batches, follower, store
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.follower import IndexFollower
from firmograph.indexing.local_index import LocalIndex, Tuning
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.engines.query import All, Query
from firmograph.security.record_ids import Entity
from index_fixtures import settle
from installation_factory import make_suppression
from record_factory import contact, load_contacts

EVERYONE = Query(Entity.CONTACT, All(()))


@pytest.fixture
def follow(database, clock):
    """Return a function that makes a follower of these kinds of indexes; each is stopped at the end."""
    made = []

    def make(*kinds, **thresholds):
        tuning = Tuning(**thresholds)
        indexes = [LocalIndex(kind, database, clock, tuning=tuning) for kind in kinds]
        made.append(IndexFollower(database, clock, indexes))
        return made[-1], [index.active for index in indexes]

    yield make
    for each in made:
        each.stop()


def people(count, country, start=0):
    return [
        (
            f"p{n}",
            contact(
                f"Given{n}",
                f"Family{n}",
                emails=[f"p{n}@example.com"],
                location=Location(country_iso2=country),
            ),
        )
        for n in range(start, start + count)
    ]


def head(database):
    return store.head(database.session())


def count_decodes(monkeypatch):
    """Return a list that gets the number of each contact that is decoded from the change sequence."""
    numbers, decode = [], change_batches._decode_contact

    def counting(stored, activity):
        numbers.append(stored.number)
        return decode(stored, activity)

    monkeypatch.setattr(change_batches, "_decode_contact", counting)
    return numbers


def test_an_index_of_countries_follows_every_change(database, follow, keyring, clock):
    load_contacts(database, "test", people(3, "DE"))
    following, (countries,) = follow(Countries())
    settle(following)
    assert countries.current.counts == Counter(DE=3)
    load_contacts(database, "test", [*people(1, "FR"), *people(2, "US", start=10)])
    suppression = make_suppression(database, keyring, clock)
    suppression.suppress(suppression.person(email="p1@example.com"))
    settle(following)
    assert countries.current.counts == Counter(DE=1, FR=1, US=2)
    assert countries.applied == countries.head == head(database)


def test_a_batch_is_read_and_decoded_once_for_all_indexes(database, follow, monkeypatch):
    following, (search, countries, places) = follow(MEMORY_SEARCH, Countries(), Places())
    settle(following)
    decoded = count_decodes(monkeypatch)
    load_contacts(database, "test", people(150, "DE"))
    settle(following)
    assert len(decoded) == len(set(decoded)) == 150
    assert search.current.search(EVERYONE).total == 150
    assert countries.current.counts == places.current.counts == Counter(DE=150)


def test_another_process_reads_a_batch_once_for_all_indexes(database, follow, monkeypatch):
    following, (search, countries) = follow(MEMORY_SEARCH, Countries())
    settle(following)
    load_contacts(database, "test", people(250, "DE"))
    monkeypatch.setattr(follower, "BULK_THRESHOLD", 100)
    monkeypatch.setattr(IndexFollower, "_follow_once", lambda *arguments: None)
    settle(following)
    assert search.current.search(EVERYONE).total == 250
    assert countries.current.counts == Counter(DE=250)


def test_an_index_that_is_behind_joins_the_others(database, follow, monkeypatch):
    load_contacts(database, "test", people(3, "DE"))
    Checkpoints(Countries(), database).renew()
    load_contacts(database, "test", people(250, "US", start=3))
    following, (countries, places) = follow(Countries(), Places())
    settle(following)
    assert countries.current.counts == places.current.counts == Counter(DE=3, US=250)
    decoded = count_decodes(monkeypatch)
    load_contacts(database, "test", people(2, "FR"))
    settle(following)
    assert len(decoded) == 2
    assert countries.applied == places.applied == head(database)


def test_each_index_has_a_checkpoint_of_its_own(database, follow, clock):
    load_contacts(database, "test", people(3, "DE"))
    following, _ = follow(MEMORY_SEARCH, Countries(), idle_changes=1, checkpoint_changes=1)
    settle(following)
    clock.advance(61)
    settle(following)
    search = Checkpoints(MEMORY_SEARCH, database)
    countries = Checkpoints(Countries(), database)
    assert {search.path.suffix, countries.path.suffix} == {".search", ".countries"}
    assert search.load().search(EVERYONE).total == 3
    assert countries.load().counts == Counter(DE=3)


def test_an_index_in_memory_is_not_written_after_a_deletion_that_it_lacks(database, clock, keyring):
    load_contacts(database, "test", people(3, "DE"))
    checkpoints = Checkpoints(Countries(), database)
    before = checkpoints.renew().built
    identity = store.identity(database.session())
    assert checkpoints.save(before, identity)
    suppression = make_suppression(database, keyring, clock)
    suppression.suppress(suppression.person_of(1))
    assert checkpoints.renew().built.counts == Counter(DE=2)
    assert not checkpoints.save(before, identity)
    assert checkpoints.load().counts == Counter(DE=2)


def test_a_checkpoint_of_another_format_is_rebuilt(database, follow, monkeypatch):
    load_contacts(database, "test", people(3, "DE"))
    Checkpoints(Countries(), database).renew()
    monkeypatch.setattr(Countries, "format", "countries 2")
    assert Checkpoints(Countries(), database).load() is None
    following, (countries,) = follow(Countries())
    settle(following)
    assert countries.current.counts == Counter(DE=3)
    assert Checkpoints(Countries(), database).renew().rebuilt


def test_a_large_index_is_built_by_another_process_while_the_old_one_answers(database, follow, clock):
    load_contacts(database, "test", people(10, "DE"))
    following, (countries,) = follow(Countries(), small_index=0, checkpoint_changes=5)
    settle(following)
    old = countries.current
    load_contacts(database, "test", people(10, "US"))
    clock.advance(61)
    while not following.indexes[0].work:
        following.step()
    assert countries.current is old
    settle(following)
    assert countries.current.counts == Counter(US=10)
    assert Checkpoints(Countries(), database).load().applied == head(database)


def test_an_index_that_fails_is_retried_and_stops_no_other(database, follow, clock, monkeypatch):
    following, (countries, search) = follow(Countries(), MEMORY_SEARCH)
    settle(following)
    load_contacts(database, "test", people(3, "DE"))

    def fail(index, changes):
        raise RuntimeError("not now")

    with monkeypatch.context() as failing:
        failing.setattr(CountryIndex, "apply", fail)
        settle(following)
    assert (search.current.search(EVERYONE).total, countries.current.counts) == (3, Counter())
    load_contacts(database, "test", people(1, "US", start=3))
    settle(following)
    assert (search.current.search(EVERYONE).total, countries.current.counts) == (4, Counter())
    clock.advance(follower.RETRY_SECONDS)
    settle(following)
    assert countries.current.counts == Counter(DE=3, US=1)
