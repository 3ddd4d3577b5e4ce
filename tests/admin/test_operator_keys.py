"""Operators' keys: how they are kept, and their command."""

import pytest

import database_fixtures
from firmograph.admin.operator_keys import OperatorKeys
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import read_actions


@pytest.fixture
def keys(database, clock):
    return OperatorKeys(database, clock)


def test_a_key_is_kept_as_a_hash_and_recorded_by_its_prefix(database, keys):
    new = keys.create(" shop ")
    assert new.operator_key.startswith(new.key.prefix)
    assert (len(new.key.prefix), new.key.name) == (12, "shop")
    assert new.operator_key[12:].encode() not in database_fixtures.content(database)
    keys.revoke(new.operator_key)
    with database.read() as session:
        actions = [(one.action, one.subject) for one in read_actions(session)]
    subject = f"key {new.key.prefix}"
    assert actions == [("operator key revoke", subject), ("operator key create", subject)]
    assert keys.all()[0].revoked_at is not None


def test_wrong_keys_and_names_are_refused(keys):
    prefix = keys.create().key.prefix
    keys.revoke(prefix)
    for wrong, message in ((prefix, "is revoked already"), ("fgo_none", "no such key"), ("", "no such key")):
        with pytest.raises(Refused, match=message):
            keys.revoke(wrong)
    with pytest.raises(Refused, match="100 printable"):
        keys.create("two\nlines")


def test_a_wrong_key_with_the_prefix_of_another_revokes_nothing(keys):
    new = keys.create()
    with pytest.raises(Refused, match="no such key"):
        keys.revoke(new.operator_key[:-1])
    assert [key.revoked_at for key in keys.all()] == [None]


def test_the_command_shows_a_key_once_lists_prefixes_and_revokes(command):
    assert command("account", "create", "acme").returncode == 0
    created = command("operator", "key", "create", "--name", "shop")
    operator_key = created.stdout.strip()
    assert created.stderr == "Store this key now: it is not shown again\n"
    listed = command.json("operator", "key", "list")["keys"]
    assert [(key["name"], key["prefix"]) for key in listed] == [("shop", operator_key[:12])]
    assert command.json("operator", "key", "revoke", operator_key[:12])["revokedAt"]
    again = command("operator", "key", "revoke", operator_key)
    assert (again.returncode, again.stderr) == (1, f"Error: The key {operator_key[:12]} is revoked already\n")
