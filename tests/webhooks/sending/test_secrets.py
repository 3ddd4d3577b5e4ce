"""The secret that an account's deliveries are signed with."""

import re
from base64 import b64decode

import pytest

from firmograph.database.connection import account_scope
from firmograph.security.encryption import DecryptionError
from firmograph.security.keyring import Keyring
from firmograph.webhooks.sending import secrets
from firmograph.webhooks.sending.secrets import make_secrets
from record_factory import KEYRING


def regenerate(world, account, secrets=None):
    with world.database.write(account_scope(account)) as session:
        return (secrets or world.secrets).regenerate(session, account, world.clock.seconds())


def test_a_secret_is_32_random_bytes_in_a_form_that_libraries_take(world):
    made = {regenerate(world, world.first) for _ in range(20)}
    assert len(made) == 20
    for secret in made:
        assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
        assert len(b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_another_secret_takes_the_place_of_the_one_before_and_of_nobody_elses(world):
    before = {account: world.secret(account) for account in (world.first, world.second)}
    made = regenerate(world, world.first)
    with world.database.read() as session:
        held = world.secrets.find_all(session, [world.first, world.second, 999])
    assert held == {world.first: made, world.second: before[world.second]}
    assert made != before[world.first]


def test_the_database_holds_it_sealed_for_its_own_account(world):
    secret = world.secret(world.first).encode()
    with world.database.write(account_scope(world.second)) as session:
        sealed = secrets.find_encrypted(session, [world.first])[world.first]
        assert secret not in sealed
        assert b64decode(secret.removeprefix(b"whsec_")) not in sealed
        secrets.save_encrypted(session, world.second, sealed, 1.0)
        with pytest.raises(DecryptionError):
            world.secrets.find(session, world.second)


def test_secrets_are_read_under_older_keys_and_not_without_them(world):
    held = world.secret(world.first)
    newer = make_secrets(Keyring(hash=KEYRING.hash, tokens={**KEYRING.tokens, 2: "ef" * 32}))
    other = make_secrets(Keyring(hash=KEYRING.hash, tokens={2: "ef" * 32}))
    with world.database.read() as session:
        assert newer.find(session, world.first) == held
        with pytest.raises(DecryptionError):
            other.find(session, world.first)
    made = regenerate(world, world.first, newer)
    with world.database.read() as session:
        assert other.find(session, world.first) == made
