"""Revocations of hashed keys, which a restore repeats in its copy."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session


class KeyRevocations:
    """Revocations in a table of keys with the columns `digest` and `revoked_at`, of all who have keys."""

    def __init__(self, keys: sa.Table) -> None:
        digest, revoked_at = keys.c.digest, keys.c.revoked_at
        self._all = sa.select(digest, revoked_at).where(revoked_at.is_not(None))
        self._valid_among = sa.select(digest).where(column_in(digest, "digests"), revoked_at.is_(None))
        self._revoke = (
            sa.update(keys)
            .where(digest == bindparam("key_digest"))
            .values(revoked_at=bindparam("at", type_=sa.Double))
        )

    def repeat(self, replaced: Session, copy: Session) -> int:
        """Revoke the keys of a copy that are revoked in the replaced database; return the number of valid ones."""
        revocations: Mapping[bytes, float] = dict(replaced.all(self._all))
        valid = [row[0] for row in copy.all_in(self._valid_among, "digests", sorted(revocations))]
        for digest in valid:
            copy.execute(self._revoke, {"key_digest": digest, "at": revocations[digest]})
        return len(valid)
