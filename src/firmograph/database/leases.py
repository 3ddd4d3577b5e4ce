"""Leases on rows: a queue is a state of rows, and a worker claims some of them for a while.

See docs/reference/webhooks.md#leases.

A row is due from `due_at` on, and free unless a lease on it runs. Every claim raises the row's fencing number:
what a worker does under a claim counts only while that number is still the row's, so one
that was stopped past its lease and goes on later changes nothing. Whether a claim may still be recorded is asked
of the number alone, never of a clock; only when a row is free again depends on clocks, and those of several
machines may differ by a few seconds.

Claims of different workers pass each other by: no one waits for rows that another is taking, nor gets the same.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session

LEASE_SECONDS: Final = 30.0
"""How long a claim keeps others away; after that, its worker is considered dead."""

Key = TypeVar("Key", bound=int | str)


def lease_columns() -> tuple["sa.Column[Any]", ...]:
    """Return the columns of a table whose rows are claimed. A free row has `lease_until` 0."""
    return (
        sa.Column("due_at", sa.Double, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
        # how often the row was claimed
        sa.Column("fence", sa.BigInteger, nullable=False),
    )


class Claim(NamedTuple, Generic[Key]):
    """A row that this worker has, under its fencing number of that moment."""

    key: Key
    fence: int

    def holding(self) -> dict[str, Any]:
        """Return the parameters of `Leases.held`."""
        return {"held_key": self.key, "held_fence": self.fence}


class Leases(Generic[Key]):
    """Claims on the rows of one table that has `lease_columns` and a primary key of one column.

    Keep it at module level: its statements are made once. Claims belong in a transaction that no scope serialises
    (`database.write(None)`), which should do nothing else.
    """

    def __init__(self, table: sa.Table) -> None:
        (key,) = table.primary_key.columns
        columns = table.c
        self.held: sa.ColumnElement[bool] = sa.and_(
            key == bindparam("held_key"), columns.fence == bindparam("held_fence"), columns.lease_until > 0
        )
        """Whether the row is still this worker's: for statements of the table's own that record what was done."""

        due = (
            sa.select(key)
            .where(columns.due_at <= bindparam("now"), columns.lease_until <= bindparam("now"))
            .order_by(columns.due_at, key)
            .limit(bindparam("most"))
            .with_for_update(skip_locked=True)
        )
        # with a fence that is read in the update itself, and rows that are chosen once: as a plain subquery they
        # could be chosen again for every row that is updated
        take = (
            sa.update(table)
            .values(lease_until=bindparam("until"), fence=columns.fence + 1)
            .returning(key, columns.fence)
        )
        self._claim = take.where(key.in_(sa.select(due.cte("chosen"))))
        among = due.where(key.in_(bindparam("among", expanding=True)))
        self._claim_among = take.where(key.in_(sa.select(among.cte("chosen"))))
        self._still_held = sa.select(sa.literal(1)).where(self.held, columns.lease_until > bindparam("now"))
        mine = sa.update(table).where(self.held)
        self._renew = mine.values(lease_until=bindparam("until"))
        self._release = mine.values(lease_until=0.0)
        self._complete = mine.values(lease_until=0.0, due_at=bindparam("due"))

    def claim(self, session: Session, most: int, now: float) -> list[Claim[Key]]:
        """Up to `most` rows that are due and free, the longest due; nobody else gets them for a while.

        They come in the order of their keys.
        """
        return self._taken(session, self._claim, {"most": most, "now": now})

    def claim_among(self, session: Session, keys: Sequence[Key], most: int, now: float) -> list[Claim[Key]]:
        """Claim among these rows, at most 16,384; for queues with a query of their own for order or fairness."""
        return self._taken(session, self._claim_among, {"among": keys, "most": most, "now": now})

    def _taken(self, session: Session, statement: sa.Update, given: dict[str, Any]) -> list[Claim[Key]]:
        rows = session.all(statement, {**given, "until": given["now"] + LEASE_SECONDS})
        # the databases answer in an order of their own, and not always the same
        return [Claim(key, fence) for key, fence in sorted(rows)]

    def still_held(self, session: Session, claim: Claim[Key], now: float) -> bool:
        """Whether the lease runs, and is this worker's: to be asked just before an effect that cannot be undone."""
        return session.one(self._still_held, {**claim.holding(), "now": now}) is not None

    def renew(self, session: Session, claim: Claim[Key], now: float) -> bool:
        """Keep the row for a whole lease more; False, with nothing changed, when it is another's by now."""
        return _changed(session, self._renew, {**claim.holding(), "until": now + LEASE_SECONDS})

    def complete(self, session: Session, claim: Claim[Key], due_at: float) -> bool:
        """Let the row go until it is due again; False, with nothing changed, when it is another's by now."""
        return _changed(session, self._complete, {**claim.holding(), "due": due_at})

    def release(self, session: Session, claim: Claim[Key]) -> bool:
        """Let the row go, due as it was; False, with nothing changed, when it is another's by now."""
        return _changed(session, self._release, claim.holding())


def _changed(session: Session, statement: sa.Update, params: dict[str, Any]) -> bool:
    return bool(session.execute(statement, params).rowcount == 1)
