"""Keyed permutations of numbers: public ids that cannot be counted or guessed from one another."""

import hashlib

from firmograph.security.keyring import Keyring

_ROUNDS = 4


class Permutation:
    """Permutation of the numbers below a power of two, an unbalanced Feistel network.

    `domain` separates ids of different things; each has one of its own for good. It must be below 256.
    """

    def __init__(self, keyring: Keyring, domain: int, bits: int) -> None:
        # hashing the key again each time takes twice as long
        self._hashes = [
            hashlib.blake2b(bytes([domain, number]), key=keyring.hash_key(), digest_size=4)
            for number in range(_ROUNDS)
        ]
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
        keyed = self._hashes[round_number].copy()
        keyed.update(source.to_bytes(4, "big"))
        change = int.from_bytes(keyed.digest(), "big") & mask
        return (low ^ change, high) if round_number % 2 == 0 else (low, high ^ change)
