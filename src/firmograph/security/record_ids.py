"""Opaque record ids: `v{N}.` tokens (AES-SIV, RFC 5297) and legacy numbers.

A token is deterministic and authenticated: a record has one token per key version, and no token can be created or
altered without the key. The plain text is one byte of entity kind and seven bytes of record number, so a token is 24
bytes, 32 characters of base64url. Older key versions stay valid.
"""

import re
from binascii import a2b_base64, b2a_base64
from enum import IntEnum
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from firmograph.security.keyring import Keyring
from firmograph.security.permutation import Permutation

RECORD_ID: Final = r"(v[1-9][0-9]{0,5}\.[A-Za-z0-9_-]+|[0-9]+)"
"""Pattern of an id of any length."""

_WHOLE_TOKEN = re.compile(r"v[1-9][0-9]{0,5}\.[A-Za-z0-9_-]{32}", re.ASCII)
_TOKEN = re.compile(r"v([1-9][0-9]{0,5})\.([A-Za-z0-9_-]+)\Z")
_BODY_LENGTH = 32
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_DIGITS = re.compile(r"[0-9]+\Z")
_MAX_DIGITS = 16
"""Maximum length of a legacy number, which is below 2^53."""

_BITS = 53


class Entity(IntEnum):
    CONTACT = 1
    COMPANY = 2

    @property
    def singular(self) -> str:
        """Word for one record in paths and texts."""
        return "contact" if self is Entity.CONTACT else "company"

    @property
    def plural(self) -> str:
        return "contacts" if self is Entity.CONTACT else "companies"


def is_record_token(text: str) -> bool:
    """Return whether a text has the form of a token, of any installation."""
    return _WHOLE_TOKEN.fullmatch(text) is not None


class MalformedId(ValueError):
    """Text that is neither a `v{N}.` token nor digits."""


class RecordIds:
    """Conversion between record numbers and public ids."""

    def __init__(self, keyring: Keyring) -> None:
        self._ciphers = {n: AESSIV(bytes.fromhex(key)) for n, key in keyring.tokens.items()}
        self._version = max(self._ciphers)
        self._encrypt = self._ciphers[self._version].encrypt
        self._prefix = b"v%d." % self._version
        self._permutations = {kind: Permutation(keyring, kind, _BITS) for kind in Entity}
        # answers name the same companies again and again; a permutation takes 4 microseconds, a cache hit 0.1
        self._permuted = lru_cache(maxsize=131_072)(self._permute)
        self._kinds = [bytes([kind]) for kind in range(max(Entity) + 1)]

    def seal(self, kind: Entity, number: int) -> str:
        """Return the `v{N}.` token of a record."""
        return self.seal_bytes(kind, number).decode()

    def seal_bytes(self, kind: Entity, number: int) -> bytes:
        """Return the token as ASCII bytes, for JSON."""
        sealed = self._encrypt(self._kinds[kind] + number.to_bytes(7, "big"), None)
        return self._prefix + b2a_base64(sealed, newline=False).translate(_URL_SAFE)

    def open(self, kind: Entity, text: str) -> int | None:
        """Return the record number of a token or a legacy number, None if it is not a record of this kind.

        Raises MalformedId when the text is neither of the two forms (docs/reference/requests.md#ids).
        """
        match = _TOKEN.match(text)
        if match is None:
            if _DIGITS.match(text):
                return self.from_legacy(kind, int(text)) if len(text) <= _MAX_DIGITS else None
            raise MalformedId(text)
        cipher = self._ciphers.get(int(match[1]))
        if cipher is None:
            return None
        if len(match[2]) != _BODY_LENGTH:
            # 24 bytes are 32 characters without unused bits, so each token has a single spelling
            return None
        try:
            plain = cipher.decrypt(a2b_base64(match[2].encode().translate(_STANDARD)), None)
        except InvalidTag:
            return None
        return int.from_bytes(plain[1:], "big") if plain[0] == kind else None

    def legacy(self, kind: Entity, number: int) -> int:
        """Return the legacy numeric id, a keyed permutation of the numbers below 2^53 that hides how many there are."""
        return self._permuted(kind, number)

    def _permute(self, kind: Entity, number: int) -> int:
        return self._permutations[kind].apply(number)

    def from_legacy(self, kind: Entity, legacy: int) -> int | None:
        if not 0 <= legacy < 1 << _BITS:
            return None
        return self._permutations[kind].invert(legacy)
