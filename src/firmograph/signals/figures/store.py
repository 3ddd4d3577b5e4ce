"""All SQL of dated figures and of the companies whose signals are to be detected again."""

from collections.abc import Collection, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.signals.figures.detectors import Figure
from firmograph.signals.tables import company_figures, figures_to_judge


class FigureKey(NamedTuple):
    """Company and day of a figure of one kind and source."""

    company: int
    day: str
    """`YYYY-MM-DD`."""


class Amount(NamedTuple):
    value: float
    currency: str | None


_figures = company_figures.c
_of_feed = (_figures.kind == sa.bindparam("kind"), _figures.source == sa.bindparam("source"))
_of_companies = _figures.company_id.in_(sa.bindparam("companies", expanding=True))
_between = sa.select(_figures.company_id, _figures.day, _figures.value, _figures.currency).where(
    _of_companies, *_of_feed, _figures.day >= sa.bindparam("first"), _figures.day <= sa.bindparam("last")
)
_all_of = (
    sa.select(_figures.company_id, _figures.day, _figures.value, _figures.currency)
    .where(_of_companies, *_of_feed)
    .order_by(_figures.company_id, _figures.day)
)
_new_figure = insert(company_figures).values({column.name: sa.bindparam(column.name) for column in _figures})
_upsert_figure = _new_figure.on_conflict_do_update(
    index_elements=list(company_figures.primary_key),
    set_={name: _new_figure.excluded[name] for name in ("value", "currency")},
)
_insert_pending = (
    insert(figures_to_judge)
    .values({column.name: sa.bindparam(column.name) for column in figures_to_judge.c})
    .on_conflict_do_nothing()
)
_pending = (
    sa.select(figures_to_judge.c.company_id)
    .where(
        figures_to_judge.c.kind == sa.bindparam("kind"), figures_to_judge.c.source == sa.bindparam("source")
    )
    .order_by(figures_to_judge.c.company_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_clear_pending = sa.delete(figures_to_judge).where(
    figures_to_judge.c.kind == sa.bindparam("kind"),
    figures_to_judge.c.source == sa.bindparam("source"),
    figures_to_judge.c.company_id.in_(sa.bindparam("companies", expanding=True)),
)


def stored_amounts(
    session: Session, kind: str, source: int, keys: Collection[FigureKey]
) -> dict[FigureKey, Amount]:
    """Return the stored amounts of these keys, and possibly further ones."""
    if not keys:
        return {}
    days = [key.day for key in keys]
    companies = sorted({key.company for key in keys})
    rows = session.all_in(
        _between, "companies", companies, kind=kind, source=source, first=min(days), last=max(days)
    )
    return {FigureKey(company, day): Amount(value, currency) for company, day, value, currency in rows}


def store_amounts(session: Session, kind: str, source: int, amounts: dict[FigureKey, Amount]) -> None:
    """Store amounts, replacing existing ones, and mark their companies as pending."""
    rows = [(key.company, kind, source, key.day, *amount) for key, amount in sorted(amounts.items())]
    session.many(_upsert_figure, rows)
    companies = sorted({key.company for key in amounts})
    session.many(_insert_pending, [(kind, source, company) for company in companies])


def pending_companies(session: Session, kind: str, source: int, most: int) -> list[int]:
    """Return companies whose figures changed since their signals were last detected."""
    return [row[0] for row in session.all(_pending, {"kind": kind, "source": source, "most": most})]


def figures_of(session: Session, kind: str, source: int, companies: Sequence[int]) -> dict[int, list[Figure]]:
    """Return all figures of each company by day."""
    rows = session.all_in(_all_of, "companies", companies, kind=kind, source=source)
    return {
        company: [Figure(date.fromisoformat(day), value, currency) for _, day, value, currency in group]
        for company, group in groupby(rows, key=itemgetter(0))
    }


def clear_pending(session: Session, kind: str, source: int, companies: Sequence[int]) -> None:
    session.run_in(_clear_pending, "companies", companies, kind=kind, source=source)
