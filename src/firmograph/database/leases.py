"""Leases on rows: workers claim due rows of a table for a limited time.

See docs/reference/webhooks.md#leases.

A row is due from `due_at` on, and free unless a lease on it runs. Each claim increments the row's fencing number, and
results under a claim are recorded only while the row still has that number. A worker that is suspended past the end of
its lease and resumes later therefore changes nothing. Only the end of a lease depends on clocks, and the clocks of
several machines may differ by a few seconds.

Concurrent claims skip rows that another worker is claiming: they neither wait for them nor return the same rows.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session

LEASE_SECONDS: Final = 30.0
"""Duration of a lease; when it ends, the worker is considered dead."""

Key = TypeVar("Key", bound=int | str)


def lease_columns() -> tuple["sa.Column[Any]", ...]:
    """Return the columns of a table whose rows can be claimed. A free row has `lease_until` 0."""
    return (
        sa.Column("due_at", sa.Double, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
        # number of claims
        sa.Column("fence", sa.BigInteger, nullable=False),
    )


class Claim(NamedTuple, Generic[Key]):
    """Row claimed by a worker, with the fencing number of the claim."""

    key: Key
    fence: int

    def holding(self) -> dict[str, Any]:
        """Return the parameters of `Leases.held`."""
        return {"held_key": self.key, "held_fence": self.fence}


class Leases(Generic[Key]):
    """Claims on the rows of one table that has `lease_columns` and a primary key of one column.

    Create it at module level, so that its statements are compiled once. Claim in a transaction without a scope
    (`database.write(None)`) that does nothing else.
    """

    def __init__(self, table: sa.Table, seconds: float | None = None) -> None:
        """Prepare the statements; a lease lasts `seconds`, or `LEASE_SECONDS` without them."""
        (key,) = table.primary_key.columns
        columns = table.c
        self._seconds = seconds
        # a literal, as a statement that runs for many rows takes only their values
        zero: sa.ColumnElement[float] = sa.literal_column("0")
        self.held: sa.ColumnElement[bool] = sa.and_(
            key == bindparam("held_key"), columns.fence == bindparam("held_fence"), columns.lease_until > zero
        )
        """Condition that the row is still claimed under the number, for statements that record results."""

        due = (
            sa.select(key)
            .where(columns.due_at <= bindparam("now"), columns.lease_until <= bindparam("now"))
            .order_by(columns.due_at, key)
            .limit(bindparam("most"))
            .with_for_update(skip_locked=True)
        )
        # The update reads the fence itself. The CTE chooses the rows once; a plain subquery could choose them again for
        # every updated row.
        take = (
            sa.update(table)
            .values(lease_until=bindparam("until"), fence=columns.fence + 1)
            .returning(key, columns.fence)
        )
        self._claim = take.where(key.in_(sa.select(due.cte("chosen"))))
        among = due.where(key.in_(bindparam("among", expanding=True)))
        self._claim_among = take.where(key.in_(sa.select(among.cte("chosen"))))
        mine = sa.update(table).where(self.held)
        self._renew = mine.values(lease_until=bindparam("until"))
        self._release = mine.values(lease_until=zero)
        self._complete = mine.values(lease_until=zero, due_at=bindparam("due"))
        self._leased = sa.select(key, columns.fence).where(
            key.in_(bindparam("keys", expanding=True)), columns.lease_until > bindparam("now")
        )

    @property
    def seconds(self) -> float:
        """Duration of a lease."""
        return LEASE_SECONDS if self._seconds is None else self._seconds

    def claim(self, session: Session, most: int, now: float) -> list[Claim[Key]]:
        """Claim up to `most` due and free rows, the earliest due first; return them in the order of their keys."""
        return self._claimed(session, self._claim, {"most": most, "now": now})

    def claim_among(self, session: Session, keys: Sequence[Key], most: int, now: float) -> list[Claim[Key]]:
        """Claim among these rows, at most 16,384, for queues that choose candidates by their own query."""
        return self._claimed(session, self._claim_among, {"among": keys, "most": most, "now": now})

    def _claimed(self, session: Session, statement: sa.Update, given: dict[str, Any]) -> list[Claim[Key]]:
        rows = session.all(statement, {**given, "until": given["now"] + self.seconds})
        # the order of returned rows is undefined
        return [Claim(key, fence) for key, fence in sorted(rows)]

    def still_claimed(self, session: Session, claims: Collection[Claim[Key]], now: float) -> set[Claim[Key]]:
        """Return those of the claims whose leases run; check this before an irreversible effect."""
        rows = session.all_in(self._leased, "keys", sorted({claim.key for claim in claims}), now=now)
        return {Claim(key, fence) for key, fence in rows}.intersection(claims)

    def renew(self, session: Session, claim: Claim[Key], now: float) -> bool:
        """Renew the lease; return False, changing nothing, when another worker owns the row."""
        return _changed(session, self._renew, {**claim.holding(), "until": now + self.seconds})

    def renew_all(self, session: Session, claims: Iterable[Claim[Key]], now: float) -> None:
        """Renew the leases of those rows that this worker still owns."""
        until = now + self.seconds
        session.many(self._renew, [(until, claim.key, claim.fence) for claim in sorted(claims)])

    def complete(self, session: Session, claim: Claim[Key], due_at: float) -> bool:
        """Free the row until it is due again; return False, changing nothing, when another worker owns it."""
        return _changed(session, self._complete, {**claim.holding(), "due": due_at})

    def complete_all(self, session: Session, claims: Iterable[Claim[Key]], due_at: float) -> None:
        """Free those rows that this worker still owns until they are due again."""
        session.many(self._complete, [(due_at, claim.key, claim.fence) for claim in sorted(claims)])

    def release(self, session: Session, claim: Claim[Key]) -> bool:
        """Free the row without changing when it is due; return False, changing nothing, when another worker owns it."""
        return _changed(session, self._release, claim.holding())


def _changed(session: Session, statement: sa.Update, params: dict[str, Any]) -> bool:
    return bool(session.execute(statement, params).rowcount == 1)
