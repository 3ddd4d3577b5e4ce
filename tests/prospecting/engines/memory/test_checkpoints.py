"""The checkpoint: used only if it is intact and of this database, written by one process at a time."""

import os
import shutil
import stat
import threading
from random import Random

import people_fixtures
import pytest
from engine_state import fresh, head, state_of

from firmograph.database.connection import RECORDS
from firmograph.database.schema import prepare
from firmograph.indexing import checkpoint_file, store
from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.checkpoint_file import CheckpointWriter
from firmograph.indexing.checkpoints import StopRequested, build_index, write_checkpoint
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from index_fixtures import is_applied, search_checkpoints, search_follower
from installation_factory import make_suppression


@pytest.fixture
def checkpoints(database):
    people_fixtures.load(database)
    return search_checkpoints(database)


@pytest.fixture
def written(checkpoints):
    checkpoints.renew()
    return checkpoints


@pytest.fixture(scope="module")
def unchanged(shared_database):
    """Return a database with a checkpoint, for tests that change neither."""
    people_fixtures.load(shared_database)
    search_checkpoints(shared_database).renew()
    return shared_database


@pytest.fixture
def copied(unchanged, tmp_path):
    """Return the checkpoint of this test alone, in a folder of its own."""
    checkpoints = search_checkpoints(unchanged, str(tmp_path))
    shutil.copyfile(search_checkpoints(unchanged).path, checkpoints.path)
    return checkpoints


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 0x40
    path.write_bytes(content)


def test_a_checkpoint_contains_the_records(database, checkpoints):
    renewed = checkpoints.renew()
    assert renewed.rebuilt
    loaded = checkpoints.load()
    assert loaded is not None
    assert state_of(loaded) == state_of(renewed.built) == fresh(database)


def test_a_checkpoint_is_next_to_the_database_and_private(written, database):
    assert written.path == database.companion.with_name(f"{database.companion.name}.search")
    assert stat.S_IMODE(written.path.stat().st_mode) == 0o600


def test_a_checkpoint_may_be_in_another_folder(database, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    checkpoints = search_checkpoints(database, str(folder))
    checkpoints.renew()
    assert checkpoints.path == folder / f"{database.companion.name}.search"
    assert checkpoints.load() is not None


def test_without_a_checkpoint_there_is_nothing_to_load(checkpoints):
    assert checkpoints.load() is None


def test_renewing_applies_later_changes(written, database):
    before = written.load().applied
    with database.write(RECORDS) as session:
        session.raw.execute("INSERT INTO changes (entity, entity_id) SELECT 1, min(id) FROM contacts")
    renewed = written.renew()
    assert not renewed.rebuilt
    assert written.load().applied == head(database) > before


def test_a_renewed_checkpoint_contains_nothing_of_a_suppressed_person(written, database, keyring, clock):
    suppression = make_suppression(database, keyring, clock)
    suppression.suppress(suppression.person(email="dan@people.example.com"))

    renewed = written.renew()

    assert renewed.rebuilt
    assert not len(renewed.built.contacts.documents.dead)
    assert not written.renew().rebuilt


def test_a_forced_rebuild_starts_from_the_records(copied):
    assert copied.renew(force_rebuild=True).rebuilt


@pytest.mark.parametrize("place", [0, 40, 200, -1, *(Random(4).randrange(64, 40_000) for _ in range(12))])
def test_a_damaged_checkpoint_is_detected(copied, place):
    flip(copied.path, place)
    assert copied.load() is None


@pytest.mark.parametrize("size", [0, 10, 60, 1_000, -1])
def test_a_truncated_checkpoint_is_detected(copied, size):
    content = copied.path.read_bytes()
    copied.path.write_bytes(content[:size])
    assert copied.load() is None


def test_the_checkpoint_of_another_database_is_detected(copied, empty):
    prepare(empty)
    foreign = search_checkpoints(empty)
    foreign.path.write_bytes(copied.path.read_bytes())
    assert foreign.load() is None


def test_the_checkpoint_of_another_format_is_detected(copied, monkeypatch):
    monkeypatch.setattr(type(MEMORY_SEARCH), "format", "firmograph search 0")
    assert copied.load() is None


def test_a_checkpoint_ahead_of_its_database_is_detected(written, database):
    with database.write(RECORDS) as session:
        session.raw.execute("DELETE FROM changes WHERE sequence = (SELECT max(sequence) FROM changes)")
    assert written.load() is None


def test_an_intact_file_without_an_index_is_detected(copied, monkeypatch):
    def fail(*arguments):
        raise KeyError("contacts/ranks")

    monkeypatch.setattr(type(MEMORY_SEARCH), "load", fail)
    assert copied.load() is None


def test_a_server_with_a_damaged_checkpoint_builds_another(written, database, clock):
    flip(written.path, 5_000)
    index = ActiveIndex()
    following = search_follower(database, index, clock)
    following.start()
    assert is_applied(index, head(database), 30)
    following.stop()
    assert state_of(index.current) == fresh(database)


def test_a_damaged_checkpoint_is_replaced(copied):
    flip(copied.path, 5_000)
    assert copied.renew().rebuilt
    assert copied.load() is not None


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_anything_but_a_regular_file_counts_as_damaged_and_is_replaced(copied, make):
    copied.path.unlink()
    make(copied.path)
    # as left by a killed writer
    os.mkfifo(copied.path.with_name(f"{copied.path.name}.part"))
    assert copied.load() is None
    assert copied.renew().rebuilt
    assert copied.load() is not None
    assert stat.S_ISREG(copied.path.lstat().st_mode)


def test_a_process_without_the_lock_does_not_wait(written, database):
    engine = written.load()
    with search_checkpoints(database).locked():
        assert not written.save(engine, store.identity(database.session()))
    assert written.save(engine, store.identity(database.session()))


def test_searches_do_not_wait_while_a_checkpoint_is_flushed(written, database, monkeypatch):
    engine = written.load()
    lock_states = []
    monkeypatch.setattr(checkpoint_file.os, "fsync", lambda handle: lock_states.append(engine.lock.locked()))
    assert written.save(engine, store.identity(database.session()))
    assert lock_states == [False]


def test_a_second_process_waits_and_uses_the_checkpoint_of_the_first(checkpoints, database):
    renewed = []
    second = threading.Thread(target=lambda: renewed.append(search_checkpoints(database).renew()))
    with checkpoints.locked():
        second.start()
        engine = build_index(MEMORY_SEARCH, database)
        write_checkpoint(MEMORY_SEARCH, engine, checkpoints.path, store.identity(database.session()))
        assert renewed == []
    second.join(30)
    assert [each.rebuilt for each in renewed] == [False]


def test_waiting_ends_on_request(checkpoints, database):
    with checkpoints.locked(), pytest.raises(StopRequested):
        search_checkpoints(database).renew(is_stopping=lambda: True)


def test_an_unwritable_folder_does_not_stop_the_server(written, monkeypatch, database):
    engine = written.load()

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CheckpointWriter, "write", fail)
    assert not written.save(engine, store.identity(database.session()))
    with pytest.raises(OSError, match="No space left"):
        written.renew(force_rebuild=True)
    assert written.load() is not None
