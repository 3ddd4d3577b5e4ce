"""Encryption of small stored secrets with AES-SIV (RFC 5297), under keys derived from the keyring.

A value can be decrypted only with its own purpose and context, so a value copied to another row cannot be decrypted
there. Encryption is randomised: equal values have different ciphertexts.
"""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firmograph.security.keyring import Keyring

_NONCE = 16
_VERSION = 4


class DecryptionError(ValueError):
    """Ciphertext under an unknown key, of another purpose or context, or damaged."""


class Encryptor:
    """Encryption for one purpose, under the newest token key; decryption works with all token keys."""

    def __init__(self, keyring: Keyring, purpose: str) -> None:
        self._ciphers = {
            version: AESSIV(
                HKDF(SHA256(), 64, salt=None, info=b"firmograph " + purpose.encode()).derive(
                    bytes.fromhex(key)
                )
            )
            for version, key in keyring.tokens.items()
        }
        self._newest = max(self._ciphers)

    def encrypt(self, plain: bytes, context: bytes) -> bytes:
        """Encrypt; the result is 36 bytes longer (key version, nonce and tag)."""
        nonce = secrets.token_bytes(_NONCE)
        ciphertext = self._ciphers[self._newest].encrypt(plain, [context, nonce])
        return self._newest.to_bytes(_VERSION, "big") + nonce + ciphertext

    def decrypt(self, encrypted: bytes, context: bytes) -> bytes:
        """Decrypt; raises DecryptionError."""
        cipher = self._ciphers.get(int.from_bytes(encrypted[:_VERSION], "big"))
        nonce = encrypted[_VERSION : _VERSION + _NONCE]
        if cipher is None or len(nonce) < _NONCE:
            raise DecryptionError
        try:
            return cipher.decrypt(encrypted[_VERSION + _NONCE :], [context, nonce])
        except InvalidTag as error:
            raise DecryptionError from error
