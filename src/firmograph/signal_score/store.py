"""All SQL of the score: stored facts of companies."""

from collections import defaultdict
from collections.abc import Collection

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.signal_score.rules import StoredFacts
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


def stored_facts(session: Session, numbers: Collection[int]) -> dict[int, StoredFacts]:
    """Return the stored facts of each company. Two statements."""
    sorted_numbers = sorted(numbers)
    figures: dict[int, set[str]] = defaultdict(set)
    for number, kind in session.all_in(_figures, "numbers", sorted_numbers):
        figures[number].add(kind)
    located = {row[0]: row[1] != "" for row in session.all_in(_postings, "numbers", sorted_numbers)}
    return {
        number: StoredFacts(frozenset(figures[number]), number in located, located.get(number, False))
        for number in sorted_numbers
    }
