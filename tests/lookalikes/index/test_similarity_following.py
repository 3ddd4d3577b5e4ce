"""The similarity index of a real database: built, followed, loaded, changed over, and after a kill."""

import signal
from random import Random

import pytest
from vector_records import state_of

import database_fixtures
from checkpoint_writers import exit_codes, write_and_die
from firmograph.database.connection import Database
from firmograph.directory.records import Company, CompanyRef, Location
from firmograph.indexing import change_batches, local_index, store
from firmograph.indexing.checkpoints import Checkpoints, build_index
from firmograph.indexing.follower import IndexFollower
from firmograph.indexing.local_index import LocalIndex, Tuning
from firmograph.kit.worker_process import ProcessFailed
from firmograph.lookalikes.index import changes
from firmograph.lookalikes.index.index_kind import SIMILARITY
from firmograph.lookalikes.model.training import ensure_model, learn_next, put_in_force
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.security.record_ids import Entity
from index_fixtures import settle
from installation_factory import make_suppression
from record_factory import contact, load_companies, load_contacts

TRADES = {
    "Baking": ["bread", "ovens", "flour"],
    "Software": ["cloud", "compilers", "databases"],
    "Shipping": ["containers", "ports", "vessels"],
}


def firm(number, trade):
    return Company(
        name=f"Firm {number}",
        domain=f"firm{number}.example",
        industry=trade,
        keywords=Random(number).sample(TRADES[trade], 2),
        location=Location(country_iso2="DE"),
    )


def firms(count, start=0):
    return [firm(number, list(TRADES)[number % 3]) for number in range(start, start + count)]


def person(number, employer, title):
    return contact(
        f"Given{number}",
        f"Family{number}",
        emails=[f"p{number}@firm{employer}.example"],
        title=title,
        company=CompanyRef(name=f"Firm {employer}", domain=f"firm{employer}.example"),
    )


def people(count, start=0):
    titles = ["Engineer", "Baker", "Captain"]
    return [person(number, number % 15, titles[number % 3]) for number in range(start, start + count)]


@pytest.fixture
def records(database):
    load_companies(database, "test", firms(30))
    load_contacts(database, "test", people(30))
    return database


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


def numbers(database, entity=Entity.COMPANY):
    """Return the number of each company by domain, or of each contact by name."""
    records = build_records(database, entity)
    return {
        one.record.domain if entity is Entity.COMPANY else one.record.full_name: one.number for one in records
    }


def build_records(database, entity):
    every = change_batches.next_batch(database, 0, lambda numbers: (), limit=100_000)
    return every.companies if entity is Entity.COMPANY else every.contacts


def names(database, found, entity=Entity.COMPANY):
    name_of = {number: name for name, number in numbers(database, entity).items()}
    return [(name_of[one.number], one.similarity) for one in found]


def test_a_followed_a_built_and_a_loaded_index_are_the_same(records, follow, clock):
    following, (similarity,) = follow(SIMILARITY, checkpoint_changes=1, idle_changes=1)
    settle(following)
    load_companies(records, "test", firms(20, start=20))
    load_contacts(records, "test", people(40, start=10))
    settle(following)
    clock.advance(61)
    settle(following)
    assert similarity.applied == similarity.head == store.head(records.session())
    followed = state_of(similarity.current)
    assert followed == state_of(build_index(SIMILARITY, records))
    assert followed == state_of(Checkpoints(SIMILARITY, records).load())
    assert followed == state_of(Checkpoints(SIMILARITY, records).up_to_date(10, lambda done, total: None))
    assert len(followed[Entity.COMPANY]) == 40


def test_another_order_of_the_same_imports_gives_the_same_results(records, tmp_path, clock):
    other = Database(database_fixtures.fresh(tmp_path, "other"))
    shuffled_firms, shuffled_people = firms(30), people(30)
    Random(4).shuffle(shuffled_firms)
    Random(5).shuffle(shuffled_people)
    load_contacts(other, "test", shuffled_people)
    load_companies(other, "test", shuffled_firms)
    indexes = {database: build_index(SIMILARITY, database) for database in (records, other)}
    seeds = {
        Entity.COMPANY: [f"firm{n}.example" for n in (0, 3, 6, 9, 12)],
        Entity.CONTACT: ["Given3 Family3"],
    }
    for entity, given in seeds.items():
        answers = []
        for database, index in indexes.items():
            numbered = numbers(database, entity)
            found = index.similar(entity, [numbered[name] for name in given], (), 20)
            answers.append(names(database, found, entity))
        assert answers[0] == answers[1]
        assert answers[0]
    assert build_index(SIMILARITY, other).model.to_bytes() == indexes[records].model.to_bytes()
    other.close()
    database_fixtures.drop(other.url)


def test_a_suppressed_person_is_no_result_and_leaves_the_index(records, follow, keyring, clock):
    following, (similarity,) = follow(SIMILARITY)
    settle(following)
    numbered = numbers(records, Entity.CONTACT)
    seeds, gone = [numbered["Given0 Family0"]], numbered["Given15 Family15"]
    found = similarity.current.similar(Entity.CONTACT, seeds, (), 30)
    assert gone in {one.number for one in found}
    suppression = make_suppression(records, keyring, clock)
    suppression.suppress(suppression.person(email="p15@firm0.example"))
    index, removed = similarity.with_removed(records.session())
    at_once = index.similar(Entity.CONTACT, seeds, removed.contacts, 30)
    assert at_once == [one for one in found if one.number != gone]
    settle(following)
    assert gone not in state_of(similarity.current)[Entity.CONTACT]


def test_a_record_that_fails_is_left_out_and_stops_no_other(records, follow, monkeypatch):
    following, (similarity,) = follow(SIMILARITY)
    settle(following)
    attributes = changes.contact_attributes

    def fail(record):
        if record.first_name in ("Given3", "Given31"):
            raise ValueError("not this one")
        return attributes(record)

    monkeypatch.setattr(changes, "contact_attributes", fail)
    changed = [person(number, 1, "Pilot") for number in (3, 4)]
    for each in changed:
        each.update_date = "2026-06-01"
    load_contacts(records, "test", [*changed, *people(2, start=30)])
    settle(following)
    numbered, held = numbers(records, Entity.CONTACT), state_of(similarity.current)[Entity.CONTACT]
    missing = {name for name, number in numbered.items() if number not in held}
    assert missing == {"Given3 Family3", "Given31 Family31"}
    assert similarity.applied == store.head(records.session())


def test_a_changed_employer_changes_the_similarity_of_its_staff(records, follow, clock):
    following, (similarity,) = follow(SIMILARITY)
    settle(following)
    numbered = numbers(records, Entity.CONTACT)
    baker, engineer = numbered["Given0 Family0"], numbered["Given1 Family1"]

    def similarity_of_both():
        found = similarity.current.similar(Entity.CONTACT, [baker], (), 30)
        return {one.number: one.similarity for one in found}.get(engineer, 0.0)

    before = similarity_of_both()
    changed = firm(0, "Baking")
    same = Company(name="Firm 1", domain="firm1.example", industry="Baking", keywords=changed.keywords)
    same.location, same.update_date = changed.location, "2026-06-01"
    load_companies(records, "newer", [same])
    settle(following)
    assert similarity_of_both() > before
    assert state_of(similarity.current) == state_of(build_index(SIMILARITY, records))


def test_a_contact_is_never_without_the_employer_that_came_with_it(records, follow):
    following, (similarity,) = follow(SIMILARITY)
    settle(following)
    load_contacts(records, "test", [person(100, 5, "Captain"), person(101, 77, "Captain")])
    settle(following)
    assert state_of(similarity.current) == state_of(build_index(SIMILARITY, records))


def test_a_batch_is_decoded_once_for_the_search_and_the_similarity_index(records, follow, monkeypatch):
    following, (search, similarity) = follow(MEMORY_SEARCH, SIMILARITY)
    settle(following)
    decoded, decode = [], change_batches._decode_contact

    def counting(stored, activity):
        decoded.append(stored.number)
        return decode(stored, activity)

    monkeypatch.setattr(change_batches, "_decode_contact", counting)
    load_contacts(records, "test", people(150, start=30))
    settle(following)
    assert len(decoded) == len(set(decoded)) == 150
    assert search.applied == similarity.applied == store.head(records.session())


@pytest.mark.parametrize("small_index", [0, 50_000])
def test_a_newer_model_changes_over_without_a_refused_call(records, follow, clock, small_index):
    following, (similarity,) = follow(SIMILARITY, small_index=small_index)
    settle(following)
    first = similarity.current
    seeds = list(numbers(records).values())[:5]
    load_companies(records, "test", firms(60, start=30))
    assert put_in_force(records, clock, learn_next(records))
    clock.advance(3)
    while similarity.current is first:
        following.step()
        assert similarity.current.similar(Entity.COMPANY, seeds, (), 3)
        if work := following.indexes[0].work:
            work.exception(timeout=60)
    settle(following)
    assert (first.model.number, similarity.current.model.number) == (1, 2)
    assert state_of(similarity.current) == state_of(build_index(SIMILARITY, records))
    assert similarity.applied == store.head(records.session())


def test_a_change_over_that_failed_is_tried_again_later(records, follow, clock, monkeypatch):
    following, (similarity,) = follow(SIMILARITY, small_index=0)
    settle(following)
    put_in_force(records, clock, learn_next(records))
    attempts = []

    def fail(*arguments, **options):
        attempts.append(clock.seconds())
        raise ProcessFailed("no space left on device")

    with monkeypatch.context() as failing:
        failing.setattr(local_index, "run_in_process", fail)
        for _ in range(100):
            clock.advance(3)
            settle(following)
    assert len(attempts) == 1
    assert similarity.current.model.number == 1
    clock.advance(600)
    settle(following)
    assert similarity.current.model.number == 2


def test_commands_use_the_newest_model(records, clock):
    checkpoints = Checkpoints(SIMILARITY, records)
    assert checkpoints.renew().built.model.number == 1
    put_in_force(records, clock, learn_next(records))
    assert checkpoints.up_to_date(1_000, lambda done, total: None).model.number == 2
    assert checkpoints.load().model.number == 2


def test_a_start_with_the_checkpoint_of_an_earlier_model_ends_with_the_newest(records, follow, clock):
    Checkpoints(SIMILARITY, records).renew()
    put_in_force(records, clock, learn_next(records))
    following, (similarity,) = follow(SIMILARITY)
    settle(following)
    assert similarity.current.model.number == 2


BLOCKS = Random(7).sample(range(2, 20), 3)


@pytest.mark.parametrize(
    "moment", [*map(str, BLOCKS), "before it is flushed", "before it is renamed", "once it is there"]
)
def test_a_process_killed_while_it_writes_leaves_the_old_checkpoint_or_the_new(records, moment):
    checkpoints = Checkpoints(SIMILARITY, records)
    before = state_of(checkpoints.renew().built)
    load_contacts(records, "test", people(30, start=30))
    assert exit_codes(write_and_die, (records.url, moment, SIMILARITY)) == [-signal.SIGKILL]
    after = state_of(build_index(SIMILARITY, records))
    assert state_of(checkpoints.load()) == (after if moment == "once it is there" else before)
    assert state_of(checkpoints.renew().built) == after


def test_an_index_of_no_records_is_ready_and_has_the_first_model(database, follow, clock):
    following, (similarity,) = follow(SIMILARITY)
    settle(following)
    assert similarity.current.similar(Entity.COMPANY, [1], (), 5) == []
    assert ensure_model(database, clock).number == similarity.current.model.number == 1
