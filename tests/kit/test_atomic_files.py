"""Files are whole or not there, and nobody else can read them on the way."""

import stat
from contextlib import suppress

import pytest

from firmograph.kit.atomic_files import atomic_write, private_folder, remove_abandoned
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database


@pytest.fixture
def path(tmp_path):
    return tmp_path / "name"


def test_a_file_takes_its_place_when_it_is_done(path):
    with atomic_write(path, replace=False) as draft:
        draft.write_bytes(b"all of it")
        assert not path.exists()
        assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
    assert path.read_bytes() == b"all of it"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(path):
    path.write_bytes(b"old")
    with suppress(ZeroDivisionError), atomic_write(path, replace=True) as draft:
        draft.write_bytes(b"half")
        _ = 1 / 0
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_there_is_not_replaced_unasked(path):
    path.write_bytes(b"old")
    with pytest.raises(Refused, match="already exists"), atomic_write(path, replace=False):
        pytest.fail("it began")
    with atomic_write(path, replace=True) as draft:
        draft.write_bytes(b"new")
    assert path.read_bytes() == b"new"


def test_a_file_that_came_meanwhile_is_not_replaced_either(path):
    with pytest.raises(Refused, match="already exists"), atomic_write(path, replace=False):
        path.write_bytes(b"came")
    assert path.read_bytes() == b"came"


def test_a_folder_is_not_replaced(path):
    path.mkdir()
    with pytest.raises(Refused, match="is a folder"), atomic_write(path, replace=True):
        pytest.fail("it began")


def test_two_do_not_make_the_same_file_at_once(path):
    with atomic_write(path, replace=True) as draft:
        with pytest.raises(Refused, match="Another process is writing"), atomic_write(path, replace=True):
            pytest.fail("it began")
        draft.write_bytes(b"first")
    assert path.read_bytes() == b"first"


def test_what_a_killed_process_left_is_cleared_away(path):
    left = path.with_name(".name.part")
    left.mkdir(mode=0o700)
    (left / "database").write_bytes(b"somebody's data")
    with private_folder(path) as folder:
        assert list(folder.iterdir()) == []
    assert not left.exists()


def test_what_is_abandoned_can_be_cleared_away_and_what_is_in_use_cannot(path):
    left = path.with_name(".name.part")
    remove_abandoned(path)
    with private_folder(path) as folder:
        (folder / "database").write_bytes(b"somebody's data")
        remove_abandoned(path)
        assert (folder / "database").exists()
    left.mkdir(mode=0o700)
    (left / "database").write_bytes(b"somebody's data")
    remove_abandoned(path)
    assert not left.exists()
