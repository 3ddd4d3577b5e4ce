"""All SQL on the audit of deliveries. An account's rows are asked for by account; only ageing is of all."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.kit.database import Session
from firmograph.webhooks.tables import audit_logs
from firmograph.webhooks.types import Status


class Entry(NamedTuple):
    """One attempt, or one delivery that was withheld or cancelled: these have no status code."""

    account_id: int
    subscription: str
    """Its public id."""
    payload_id: str
    status: Status
    status_code: int | None
    url: str
    at: float
    duration_ms: int | None
    error: str | None
    acknowledgement: bytes | None = None
    credits: int = 0
    """Captured."""


_ADD = sa.insert(audit_logs).values({name: bindparam(name) for name in Entry._fields})


def add(session: Session, entries: Sequence[Entry]) -> None:
    """One statement."""
    session.many(_ADD, entries)
