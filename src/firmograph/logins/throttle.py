"""Throttling of guesses at passwords, counted in the database, so that all servers count together."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Final

from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import TooManyRequests
from firmograph.logins import store

SECONDS: Final = 900.0
"""Time in which failures count."""
_MOST_OF_PAIR: Final = 10
"""Failures of an e-mail address from one network."""
_MOST_OF_ONE: Final = 100
"""Failures of an e-mail address from anywhere, and of a network with any address."""


class SignInAttempt:
    """Attempt to sign in, which counts as a failure until it succeeds."""

    def __init__(self) -> None:
        self.has_succeeded = False


class Throttle:
    """Limits of failed attempts by e-mail address and client's network."""

    def __init__(self, database: Database, clock: Clock, key: bytes) -> None:
        """Take the key of the digests under which addresses and networks are kept."""
        self._database = database
        self._clock = clock
        self._key = key

    @contextmanager
    def attempt(self, email: str, network: bytes) -> Iterator[SignInAttempt]:
        """Count an attempt from its beginning, so that many at once are no way around the limit.

        Raises TooManyRequests, and counts nothing, once a limit is reached.
        """
        now = self._clock.seconds()
        of_email, of_network = self._digest(b"email", email.encode()), self._digest(b"network", network)
        with self._database.write(None) as session:
            recent = store.select_failures(session, of_email, of_network, now - SECONDS, 2 * _MOST_OF_ONE)
            _check([at for *both, at in recent if both == [of_email, of_network]], _MOST_OF_PAIR, now)
            _check([at for one, _, at in recent if one == of_email], _MOST_OF_ONE, now)
            _check([at for _, one, at in recent if one == of_network], _MOST_OF_ONE, now)
            failure = store.insert_failure(session, of_email, of_network, now)
        attempt = SignInAttempt()
        try:
            yield attempt
        finally:
            if attempt.has_succeeded:
                with self._database.write(None) as session:
                    store.delete_failure(session, failure)

    def _digest(self, kind: bytes, value: bytes) -> bytes:
        return blake2b(value, key=self._key, digest_size=16, person=kind).digest()


def _check(failures: list[float], most: int, now: float) -> None:
    """Raise TooManyRequests if there are `most` failures, newest first, until one of them counts no more."""
    if len(failures) >= most:
        raise TooManyRequests(
            "Too many attempts to sign in; try again later", retry_after=failures[most - 1] + SECONDS - now
        )
