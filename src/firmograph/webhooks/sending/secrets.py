"""The secret of an account, under which all its deliveries are signed (decisions G, Secret).

It is `whsec_` and the padded standard base64 of 32 random bytes, so that the libraries of Standard Webhooks take it as
it is. The database holds it sealed, for its own account only; it is in no list, log or error.
"""

import secrets as random
from base64 import b64encode
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from firmograph.database.connection import Session
from firmograph.security.encryption import Sealer, Unsealable
from firmograph.security.keyring import Keyring
from firmograph.webhooks.sending import secret_store

PREFIX: Final = "whsec_"
_BYTES: Final = 32
_PURPOSE: Final = "webhook secrets"


class Secrets:
    """Makes and opens secrets."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    def of(self, session: Session, account_ids: Collection[int]) -> dict[int, str]:
        """The secrets of those of these accounts that have one which can be opened; no other account waits for one
        whose key is missing."""
        opened = {}
        for account, sealed in secret_store.of(session, account_ids).items():
            with suppress(Unsealable):
                opened[account] = self._open(account, sealed)
        return opened

    def held(self, session: Session, account_id: int) -> str | None:
        """Raises Unsealable where a key is missing."""
        sealed = secret_store.of(session, [account_id]).get(account_id)
        return None if sealed is None else self._open(account_id, sealed)

    def _open(self, account_id: int, sealed: bytes) -> str:
        return self._sealer.open(sealed, _context(account_id)).decode()

    def regenerate(self, session: Session, account_id: int, at: float) -> str:
        """Make a secret, or another in place of the one before, which is invalid from the commit on.

        Part of the caller's transaction, of the account's scope.
        """
        secret = PREFIX + b64encode(random.token_bytes(_BYTES)).decode()
        secret_store.put(session, account_id, self._sealer.seal(secret.encode(), _context(account_id)), at)
        return secret


def webhook_secrets(keyring: Keyring) -> Secrets:
    return Secrets(Sealer(keyring, _PURPOSE))


def _context(account_id: int) -> bytes:
    return str(account_id).encode()
