"""Webhook secrets: one per account, used to sign all its deliveries.

See docs/reference/webhooks.md#secret.

A secret is `whsec_` and the padded standard base64 of 32 random bytes, so Standard Webhooks libraries accept it
unchanged. The database stores it encrypted for its own account only; it appears in no list, log or error.
"""

import secrets as random
from base64 import b64encode
from collections.abc import Collection
from contextlib import suppress
from typing import Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert
from firmograph.security.encryption import DecryptionError, Encryptor
from firmograph.security.keyring import Keyring
from firmograph.webhooks.sending.signing import SECRET_PREFIX
from firmograph.webhooks.tables import webhook_secrets

_BYTES: Final = 32
_PURPOSE: Final = "webhook secrets"

_c = webhook_secrets.c
_find = sa.select(_c.account_id, _c.sealed).where(_c.account_id.in_(bindparam("accounts", expanding=True)))
_delete = sa.delete(webhook_secrets).where(_c.account_id == bindparam("account")).returning(_c.account_id)
_save = insert(webhook_secrets).values(
    account_id=bindparam("account"), sealed=bindparam("sealed"), changed_at=bindparam("changed_at")
)
_save = _save.on_conflict_do_update(
    index_elements=[_c.account_id],
    set_={"sealed": _save.excluded.sealed, "changed_at": _save.excluded.changed_at},
)


class Secrets:
    """Generator and reader of the encrypted webhook secrets."""

    def __init__(self, encryptor: Encryptor) -> None:
        self._encryptor = encryptor

    def find_all(self, session: Session, account_ids: Collection[int]) -> dict[int, str]:
        """Return the secrets of these accounts that exist and can be decrypted, by account.

        An account whose encryption key is missing is left out, so that the others do not wait for it.
        """
        opened = {}
        for account, sealed in find_encrypted(session, account_ids).items():
            with suppress(DecryptionError):
                opened[account] = self._open(account, sealed)
        return opened

    def find(self, session: Session, account_id: int) -> str | None:
        """Return the account's secret, or None. Raises Unsealable where the encryption key is missing."""
        sealed = find_encrypted(session, [account_id]).get(account_id)
        return None if sealed is None else self._open(account_id, sealed)

    def _open(self, account_id: int, sealed: bytes) -> str:
        return self._encryptor.decrypt(sealed, _context(account_id)).decode()

    def regenerate(self, session: Session, account_id: int, at: float) -> str:
        """Generate and store a secret; the previous one becomes invalid with the commit.

        Runs in the caller's transaction, which holds the account's scope.
        """
        secret = SECRET_PREFIX + b64encode(random.token_bytes(_BYTES)).decode()
        sealed = self._encryptor.encrypt(secret.encode(), _context(account_id))
        save_encrypted(AccountSession(session, account_id), sealed, at)
        return secret


def find_encrypted(session: Session, account_ids: Collection[int]) -> dict[int, bytes]:
    """Return the encrypted secrets of these accounts, by account."""
    return {row[0]: row[1] for row in session.all_in(_find, "accounts", sorted(account_ids))}


def save_encrypted(session: AccountSession, sealed: bytes, at: float) -> None:
    """Store the account's encrypted secret in place of the previous one."""
    session.execute(_save, {"sealed": sealed, "changed_at": at})


def delete(session: AccountSession) -> int:
    """Delete the account's secret; return 1, or 0 if it has none."""
    return len(session.all(_delete))


def make_secrets(keyring: Keyring) -> Secrets:
    """Return the secrets encrypted under this keyring."""
    return Secrets(Encryptor(keyring, _PURPOSE))


def _context(account_id: int) -> bytes:
    return str(account_id).encode()
