"""SQL of saved quality reports. Every function runs in the caller's transaction."""

from typing import Final

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.ingest.quality.tables import quality_reports

_KEPT: Final = 400
"""Saved reports that are kept: more than a year of daily ones."""

_insert = sa.insert(quality_reports).values(at=sa.bindparam("at"), figures=sa.bindparam("figures"))
_last = sa.select(quality_reports.c.figures).order_by(quality_reports.c.id.desc()).limit(1)
_newest = sa.select(quality_reports.c.id).order_by(quality_reports.c.id.desc()).limit(_KEPT)
_drop_old = sa.delete(quality_reports).where(quality_reports.c.id.not_in(_newest))


def insert_report(session: Session, at: float, figures: str) -> None:
    """Insert a report, and delete the oldest ones beyond those that are kept."""
    session.execute(_insert, {"at": at, "figures": figures})
    session.execute(_drop_old)


def select_last(session: Session) -> str | None:
    """Return the figures that were saved last."""
    row = session.one(_last)
    return row[0] if row else None
