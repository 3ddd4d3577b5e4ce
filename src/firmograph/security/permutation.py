"""Keyed permutations of numbers: public ids that cannot be counted or guessed from one another."""

import hashlib

from firmograph.security.keyring import Keyring

_ROUNDS = 4


class Permutation:
    """Permutation of the numbers below a power of two, an unbalanced Feistel network.

    `domain` separates ids of different things; each has one of its own for good. It must be below 256.
    """

    def __init__(self, keyring: Keyring, domain: int, bits: int) -> None:
        self._key = keyring.hash_key()
        self._domain = domain
        self._half = bits // 2
        self._low_mask = (1 << self._half) - 1
        self._high_mask = (1 << (bits - self._half)) - 1

    def apply(self, number: int) -> int:
        high, low = number >> self._half, number & self._low_mask
        for round_number in range(_ROUNDS):
            low, high = self._round(round_number, high, low)
        return high << self._half | low

    def invert(self, number: int) -> int:
        """Return the number whose permutation this is."""
        high, low = number >> self._half, number & self._low_mask
        for round_number in reversed(range(_ROUNDS)):
            low, high = self._round(round_number, high, low)
        return high << self._half | low

    def _round(self, round_number: int, high: int, low: int) -> tuple[int, int]:
        """Apply one round: even rounds change the low half, odd ones the high half."""
        source, mask = (high, self._low_mask) if round_number % 2 == 0 else (low, self._high_mask)
        digest = hashlib.blake2b(
            bytes([self._domain, round_number]) + source.to_bytes(4, "big"), key=self._key, digest_size=4
        ).digest()
        change = int.from_bytes(digest, "big") & mask
        return (low ^ change, high) if round_number % 2 == 0 else (low, high ^ change)
