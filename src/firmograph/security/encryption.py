"""Small secrets at rest: sealed by AES-SIV (RFC 5297) under a key that is derived from the keyring.

What is sealed can be opened only for the same purpose and context, so a value that is moved to another row does not
open there. Sealing is randomised: equal values look different.
"""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firmograph.security.keyring import Keyring

_NONCE = 16
_VERSION = 4


class Unsealable(ValueError):
    """Sealed under a key that is not there, for something else, or damaged."""


class Sealer:
    """Seals for one purpose. Values are sealed under the newest token key, and open under every one that is held."""

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

    def seal(self, plain: bytes, context: bytes) -> bytes:
        """36 bytes longer: the key's version, a nonce, the tag."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._ciphers[self._newest].encrypt(plain, [context, nonce])
        return self._newest.to_bytes(_VERSION, "big") + nonce + sealed

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Raises Unsealable."""
        cipher = self._ciphers.get(int.from_bytes(sealed[:_VERSION], "big"))
        nonce = sealed[_VERSION : _VERSION + _NONCE]
        if cipher is None or len(nonce) < _NONCE:
            raise Unsealable
        try:
            return cipher.decrypt(sealed[_VERSION + _NONCE :], [context, nonce])
        except InvalidTag as error:
            raise Unsealable from error
