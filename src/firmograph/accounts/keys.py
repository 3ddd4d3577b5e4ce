"""API keys: made from 256 random bits, shown once, stored as a plain SHA-256.

A slow or salted hash protects secrets that people choose, by making each guess dear. A key of 256 random
bits cannot be guessed however fast the guesses are and is never shared between accounts, so SHA-256 loses
nothing; and being unsalted, it is found by an index in one statement of each request.
"""

import hashlib
import secrets

_MARK = "fg_"
PREFIX_LENGTH = len(_MARK) + 8
"""How much of a key stays visible, to tell keys apart; the other 208 bits only the caller has."""


def new_api_key() -> str:
    return _MARK + secrets.token_urlsafe(32)


def digest(api_key: str) -> bytes:
    # What a header may hold beside text must lead to "unknown key", never to an encoding error.
    return hashlib.sha256(api_key.encode("utf-8", "surrogatepass")).digest()


def shown_prefix(api_key: str) -> str:
    return api_key[:PREFIX_LENGTH]
