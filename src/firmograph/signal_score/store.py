"""What is held of companies that signals are detected from: all SQL of the score."""

from collections import defaultdict
from collections.abc import Collection

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.signal_score.rules import Held
from firmograph.signals.tables import company_figures, job_postings

_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)
_figures = (
    sa.select(company_figures.c.company_id, company_figures.c.kind)
    .where(company_figures.c.company_id.in_(_numbers))
    .distinct()
)
_postings = (
    sa.select(job_postings.c.company_id, sa.func.max(sa.func.coalesce(job_postings.c.country_code, "")))
    .where(job_postings.c.company_id.in_(_numbers))
    .group_by(job_postings.c.company_id)
)


def held_of(session: Session, numbers: Collection[int]) -> dict[int, Held]:
    """Return the stored facts of these companies, and of all companies. Two statements."""
    asked = sorted(numbers)
    figures: dict[int, set[str]] = defaultdict(set)
    for number, kind in session.all_in(_figures, "numbers", asked):
        figures[number].add(kind)
    placed = {row[0]: row[1] != "" for row in session.all_in(_postings, "numbers", asked)}
    return {
        number: Held(frozenset(figures[number]), number in placed, placed.get(number, False))
        for number in asked
    }
