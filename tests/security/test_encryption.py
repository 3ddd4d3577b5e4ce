import pytest

from firmograph.security.encryption import DecryptionError, Encryptor
from firmograph.security.keyring import Keyring, new_keyring

pytestmark = pytest.mark.no_database

KEYRING = new_keyring()
ENCRYPTOR = Encryptor(KEYRING, "notes")


def test_an_encrypted_value_is_decrypted_and_not_visible():
    sealed = ENCRYPTOR.encrypt(b"whsec_secret", b"7")
    assert ENCRYPTOR.decrypt(sealed, b"7") == b"whsec_secret"
    assert b"secret" not in sealed


def test_equal_values_are_encrypted_differently():
    assert ENCRYPTOR.encrypt(b"same", b"7") != ENCRYPTOR.encrypt(b"same", b"7")


@pytest.mark.parametrize(
    ("other", "context"),
    [
        (Encryptor(KEYRING, "notes"), b"8"),
        (Encryptor(KEYRING, "letters"), b"7"),
        (Encryptor(new_keyring(), "notes"), b"7"),
        (Encryptor(Keyring(KEYRING.hash, {2: KEYRING.tokens[1]}), "notes"), b"7"),
    ],
    ids=["another context", "another purpose", "another keyring", "a key version that is gone"],
)
def test_decryption_needs_the_same_keys_purpose_and_context(other, context):
    with pytest.raises(DecryptionError):
        other.decrypt(ENCRYPTOR.encrypt(b"value", b"7"), context)


@pytest.mark.parametrize("cut", [0, 3, 10, 19, -1])
def test_a_shortened_or_changed_value_is_not_decrypted(cut):
    sealed = ENCRYPTOR.encrypt(b"value", b"7")
    with pytest.raises(DecryptionError):
        ENCRYPTOR.decrypt(sealed[:cut], b"7")
    with pytest.raises(DecryptionError):
        ENCRYPTOR.decrypt(bytes([*sealed[:-1], sealed[-1] ^ 1]), b"7")


def test_values_of_an_older_key_version_are_decrypted_and_new_ones_use_the_newest():
    newer = Encryptor(Keyring(KEYRING.hash, {**KEYRING.tokens, 2: new_keyring().tokens[1]}), "notes")
    assert newer.decrypt(ENCRYPTOR.encrypt(b"old", b""), b"") == b"old"
    with pytest.raises(DecryptionError):
        ENCRYPTOR.decrypt(newer.encrypt(b"new", b""), b"")
