"""Dated figures of companies as they are held, and whose changed since they were last looked at for signals."""

from collections.abc import Collection, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.signals.figures import Figure
from firmograph.signals.tables import company_figures, figures_to_judge


class At(NamedTuple):
    """Which figure of one kind and source."""

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
_put = _new_figure.on_conflict_do_update(
    index_elements=list(company_figures.primary_key),
    set_={name: _new_figure.excluded[name] for name in ("value", "currency")},
)
_put_changed = (
    insert(figures_to_judge)
    .values({column.name: sa.bindparam(column.name) for column in figures_to_judge.c})
    .on_conflict_do_nothing()
)
_to_judge = (
    sa.select(figures_to_judge.c.company_id)
    .where(
        figures_to_judge.c.kind == sa.bindparam("kind"), figures_to_judge.c.source == sa.bindparam("source")
    )
    .order_by(figures_to_judge.c.company_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_judged = sa.delete(figures_to_judge).where(
    figures_to_judge.c.kind == sa.bindparam("kind"),
    figures_to_judge.c.source == sa.bindparam("source"),
    figures_to_judge.c.company_id.in_(sa.bindparam("companies", expanding=True)),
)


def held(session: Session, kind: str, source: int, places: Collection[At]) -> dict[At, Amount]:
    """What is held at these places; it may hold more than was asked for."""
    if not places:
        return {}
    days = [place.day for place in places]
    companies = sorted({place.company for place in places})
    rows = session.all_in(
        _between, "companies", companies, kind=kind, source=source, first=min(days), last=max(days)
    )
    return {At(company, day): Amount(value, currency) for company, day, value, currency in rows}


def put(session: Session, kind: str, source: int, amounts: dict[At, Amount]) -> None:
    """Write figures in the place of what was held there, and note whose they are for `to_judge`."""
    rows = [(place.company, kind, source, place.day, *amount) for place, amount in sorted(amounts.items())]
    session.many(_put, rows)
    companies = sorted({place.company for place in amounts})
    session.many(_put_changed, [(kind, source, company) for company in companies])


def to_judge(session: Session, kind: str, source: int, most: int) -> list[int]:
    """Some of the companies whose figures changed since they were `judged`."""
    return [row[0] for row in session.all(_to_judge, {"kind": kind, "source": source, "most": most})]


def figures_of(session: Session, kind: str, source: int, companies: Sequence[int]) -> dict[int, list[Figure]]:
    """All figures of each company, by day."""
    rows = session.all_in(_all_of, "companies", companies, kind=kind, source=source)
    return {
        company: [Figure(date.fromisoformat(day), value, currency) for _, day, value, currency in group]
        for company, group in groupby(rows, key=itemgetter(0))
    }


def judged(session: Session, kind: str, source: int, companies: Sequence[int]) -> None:
    session.run_in(_judged, "companies", companies, kind=kind, source=source)
