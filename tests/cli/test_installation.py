"""The keyring of an installation: created once, kept private, never mistaken for another.

See docs/reference/backup.md#keys.
"""

from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from firmograph.bootstrap.keyring import ensure_keyring
from firmograph.cli.context import open_database
from firmograph.database.connection import ACCOUNTS
from firmograph.kit.errors import Refused
from firmograph.security.keyring import new_keyring
from firmograph.settings import Settings

_ADD_COMPANY = sa.text(
    "INSERT INTO companies (id, card, preview, profile, partial, tokens) VALUES (1, '', '', '', 0, 0)"
)


@pytest.fixture
def settings(database_url):
    return Settings(database_url=database_url)


@pytest.fixture
def opened(settings):
    database = open_database(settings, creates=True)
    yield database
    database.close()


@pytest.fixture
def key_file(opened):
    return Path(f"{opened.companion}.keys")


def as_text(keyring):
    return msgspec.json.encode(keyring).decode()


def test_the_first_use_creates_a_private_file_next_to_the_database(settings, opened, key_file):
    keyring = ensure_keyring(settings, opened)
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert ensure_keyring(settings, opened) == keyring


def test_a_key_file_elsewhere_is_used_and_created_there(settings, opened, key_file, tmp_path):
    elsewhere = msgspec.structs.replace(settings, keys_file=str(tmp_path / "my.keys"))
    ensure_keyring(elsewhere, opened)
    assert (tmp_path / "my.keys").exists()
    assert not key_file.exists()


def test_keys_given_as_text_are_used_and_not_written(settings, opened, key_file):
    keyring = new_keyring()
    given = msgspec.structs.replace(settings, keys=as_text(keyring))
    assert ensure_keyring(given, opened) == keyring
    assert not key_file.exists()


def test_a_lost_key_is_not_replaced(settings, opened, key_file):
    ensure_keyring(settings, opened)
    key_file.unlink()
    with pytest.raises(Refused, match="is missing; restore it"):
        ensure_keyring(settings, opened)
    assert not key_file.exists()


def test_records_without_a_recorded_key_get_no_new_one(settings, opened, key_file):
    with opened.write(ACCOUNTS) as session:
        session.execute(_ADD_COMPANY)
    with pytest.raises(Refused, match="is missing; restore it"):
        ensure_keyring(settings, opened)
    assert not key_file.exists()


def test_another_key_is_refused(settings, opened):
    ensure_keyring(settings, opened)
    with pytest.raises(Refused, match="not the key of this database"):
        ensure_keyring(msgspec.structs.replace(settings, keys=as_text(new_keyring())), opened)


def test_a_newer_token_key_with_the_same_hash_key_is_the_same_keyring(settings, opened):
    keyring = ensure_keyring(settings, opened)
    rotated = msgspec.structs.replace(keyring, tokens={**keyring.tokens, 2: "ef" * 32})
    given = msgspec.structs.replace(settings, keys=as_text(rotated))
    assert ensure_keyring(given, opened) == rotated


def test_an_unwritable_key_file_is_named(settings, opened, tmp_path):
    nowhere = msgspec.structs.replace(settings, keys_file=str(tmp_path / "no" / "my.keys"))
    with pytest.raises(Refused, match=r"my.keys cannot be created"):
        ensure_keyring(nowhere, opened)


def test_a_damaged_key_file_is_refused(settings, opened, key_file):
    key_file.write_text("{}")
    with pytest.raises(Refused, match="is not a Firmograph key file"):
        ensure_keyring(settings, opened)


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o666])
def test_a_key_file_that_every_user_can_read_or_change_is_refused(settings, opened, key_file, mode):
    ensure_keyring(settings, opened)
    key_file.chmod(mode)
    with pytest.raises(Refused, match=r"Every user of this machine can read the key file .* chmod 600"):
        ensure_keyring(settings, opened)


def test_a_link_to_a_key_file_counts_as_the_file(settings, opened, key_file, tmp_path):
    ensure_keyring(settings, opened)
    key_file.chmod(0o644)
    link = tmp_path / "link.keys"
    link.symlink_to(key_file)
    with pytest.raises(Refused, match="chmod 600"):
        ensure_keyring(msgspec.structs.replace(settings, keys_file=str(link)), opened)


@pytest.mark.parametrize("mode", [0o640, 0o660])
def test_a_key_file_that_its_group_can_read_causes_a_warning(settings, opened, key_file, capsys, mode):
    ensure_keyring(settings, opened)
    key_file.chmod(mode)
    ensure_keyring(settings, opened)
    assert "Warning: the group of the key file" in capsys.readouterr().err


def test_a_setting_accepts_a_key_file_that_others_can_read(settings, opened, key_file, capsys):
    ensure_keyring(settings, opened)
    key_file.chmod(0o644)
    ensure_keyring(msgspec.structs.replace(settings, key_file_check="off"), opened)
    assert capsys.readouterr().err == ""


def test_processes_that_start_together_agree_on_one_key(command, in_process):
    started = [command.start("suppress", "--email", "ann@example.com", "--json") for _ in range(3)]
    assert [process.communicate()[1] for process in started] == [""] * 3
    assert in_process("account", "list").returncode == 0
