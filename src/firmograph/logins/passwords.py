"""Passwords: the rule of new ones, and their hashes by argon2id (RFC 9106)."""

import threading
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from firmograph.kit.errors import BadRequest

SHORTEST: Final = 12
LONGEST: Final = 256
"""Characters of a password."""
_AT_ONCE: Final = 2
"""Hashes that a process computes side by side; each takes 19 MiB."""


class Passwords:
    """Hashing of passwords; at most two at once in this process."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._nobodys: str | None = None

    def hash(self, password: str) -> str:
        """Return the encoded hash of a password, with its salt and parameters."""
        with self._turns:
            return self._hasher.hash(password)

    def verify(self, encoded: str | None, password: str) -> bool:
        """Return whether a password belongs to a hash; None, of an unknown login, takes as long and is false."""
        if encoded is None:
            if self._nobodys is None:
                self._nobodys = self.hash("nobody has this password")
            self._matches(self._nobodys, password)
            return False
        return self._matches(encoded, password)

    def _matches(self, encoded: str, password: str) -> bool:
        with self._turns:
            try:
                return self._hasher.verify(encoded, password)
            except (VerificationError, InvalidHashError):
                return False


def check_password(password: str, email: str) -> None:
    """Raise BadRequest for a password that nobody should choose."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadRequest(f"A password has {SHORTEST} to {LONGEST} characters")
    if password.strip().lower() == email:
        raise BadRequest("A password must not be the e-mail address")
