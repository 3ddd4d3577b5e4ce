"""The secret by which an account's deliveries are signed."""

import re
from base64 import b64decode

import pytest

from firmograph.database.connection import AccountSession, account_scope
from firmograph.security.encryption import DecryptionError
from firmograph.security.keyring import Keyring
from firmograph.webhooks.sending import secrets
from firmograph.webhooks.sending.secrets import make_secrets
from record_factory import KEYRING


def regenerate(world, account, secrets=None):
    with world.database.write(account_scope(account)) as session:
        return (secrets or world.secrets).regenerate(session, account, world.clock.seconds())


def test_a_secret_is_32_random_bytes_in_the_format_of_the_libraries(world):
    generated = {regenerate(world, world.first) for _ in range(20)}
    assert len(generated) == 20
    for secret in generated:
        assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
        assert len(b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_regeneration_replaces_only_the_secret_of_its_account(world):
    before = {account: world.secret(account) for account in (world.first, world.second)}
    new_secret = regenerate(world, world.first)
    with world.database.read() as session:
        stored = world.secrets.find_all(session, [world.first, world.second, 999])
    assert stored == {world.first: new_secret, world.second: before[world.second]}
    assert new_secret != before[world.first]


def test_a_secret_is_stored_encrypted_for_its_own_account(world):
    secret = world.secret(world.first).encode()
    with world.database.write(account_scope(world.second)) as session:
        encrypted = secrets.find_encrypted(session, [world.first])[world.first]
        assert secret not in encrypted
        assert b64decode(secret.removeprefix(b"whsec_")) not in encrypted
        secrets.save_encrypted(AccountSession(session, world.second), encrypted, 1.0)
        with pytest.raises(DecryptionError):
            world.secrets.find(session, world.second)


def test_older_keys_still_decrypt_secrets_and_other_keys_do_not(world):
    secret_of_first = world.secret(world.first)
    newer = make_secrets(Keyring(hash=KEYRING.hash, tokens={**KEYRING.tokens, 2: "ef" * 32}))
    other = make_secrets(Keyring(hash=KEYRING.hash, tokens={2: "ef" * 32}))
    with world.database.read() as session:
        assert newer.find(session, world.first) == secret_of_first
        with pytest.raises(DecryptionError):
            other.find(session, world.first)
    new_secret = regenerate(world, world.first, newer)
    with world.database.read() as session:
        assert other.find(session, world.first) == new_secret
