"""Kept answers in the form of releases before the charged call."""

import json

import sqlalchemy as sa

from firmograph.billing.tables import idempotency_keys
from firmograph.database.connection import Database

_kept = idempotency_keys.c.kept
_READ = sa.select(idempotency_keys.c.key, _kept)
_WRITE = (
    sa.update(idempotency_keys)
    .where(idempotency_keys.c.key == sa.bindparam("of"))
    .values(kept=sa.bindparam("written"))
)


def rewrite_kept_answers(database: Database) -> None:
    """Write each kept answer with the five values of those releases: the last signal too, 0 without signals."""
    with database.write(None) as session:
        for key, kept in session.all(_READ):
            request, credits, returned, records, *last = json.loads(kept)
            values = [request, credits, returned, records, last[0] if last else 0]
            written = json.dumps(values, separators=(",", ":")).encode()
            session.execute(_WRITE, {"of": key, "written": written})
