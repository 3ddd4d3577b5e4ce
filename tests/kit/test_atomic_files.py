"""Files that are complete or absent, and private while they are written."""

import stat
from contextlib import suppress

import pytest

from firmograph.kit.atomic_files import atomic_write, private_folder, remove_abandoned
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database


@pytest.fixture
def path(tmp_path):
    return tmp_path / "name"


def test_a_file_is_replaced_when_it_is_complete(path):
    with atomic_write(path, replace=False) as draft:
        draft.write_bytes(b"all of it")
        assert not path.exists()
        assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
    assert path.read_bytes() == b"all of it"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_the_previous_content(path):
    path.write_bytes(b"old")
    with suppress(ZeroDivisionError), atomic_write(path, replace=True) as draft:
        draft.write_bytes(b"half")
        _ = 1 / 0
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_an_existing_file_is_only_replaced_on_request(path):
    path.write_bytes(b"old")
    with pytest.raises(Refused, match="already exists"), atomic_write(path, replace=False):
        pytest.fail("it began")
    with atomic_write(path, replace=True) as draft:
        draft.write_bytes(b"new")
    assert path.read_bytes() == b"new"


def test_a_file_created_during_the_write_is_not_replaced_either(path):
    with pytest.raises(Refused, match="already exists"), atomic_write(path, replace=False):
        path.write_bytes(b"came")
    assert path.read_bytes() == b"came"


def test_a_folder_is_not_replaced(path):
    path.mkdir()
    with pytest.raises(Refused, match="is a folder"), atomic_write(path, replace=True):
        pytest.fail("it began")


def test_two_processes_do_not_make_the_same_file_at_once(path):
    with atomic_write(path, replace=True) as draft:
        with pytest.raises(Refused, match="Another process is writing"), atomic_write(path, replace=True):
            pytest.fail("it began")
        draft.write_bytes(b"first")
    assert path.read_bytes() == b"first"


def test_leftovers_of_a_killed_process_are_removed(path):
    leftover = path.with_name(".name.part")
    leftover.mkdir(mode=0o700)
    (leftover / "database").write_bytes(b"somebody's data")
    with private_folder(path) as folder:
        assert list(folder.iterdir()) == []
    assert not leftover.exists()


def test_abandoned_files_can_be_removed_and_files_in_use_cannot(path):
    leftover = path.with_name(".name.part")
    remove_abandoned(path)
    with private_folder(path) as folder:
        (folder / "database").write_bytes(b"somebody's data")
        remove_abandoned(path)
        assert (folder / "database").exists()
    leftover.mkdir(mode=0o700)
    (leftover / "database").write_bytes(b"somebody's data")
    remove_abandoned(path)
    assert not leftover.exists()
