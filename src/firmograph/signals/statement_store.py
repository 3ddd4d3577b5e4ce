"""SQL on which sources state signals, inside the caller's transaction."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.signals.tables import signal_statements, signals

_s = signal_statements.c
_insert = (
    insert(signal_statements)
    .values({column.name: sa.bindparam(column.name) for column in _s})
    .on_conflict_do_nothing()
)
_of_signals = sa.select(_s.signal_id, _s.stated_by, _s.source).where(column_in(_s.signal_id, "ids"))
_most = sa.bindparam("most", type_=sa.Integer)
_import = sa.bindparam("import_id", type_=sa.BigInteger)
_of_source = (
    sa.select(_s.signal_id)
    .where(_s.source == sa.bindparam("source"))
    .distinct()
    .order_by(_s.signal_id)
    .limit(_most)
)
_of_import = (
    sa.select(_s.signal_id).where(_s.import_id == _import).distinct().order_by(_s.signal_id).limit(_most)
)
_needing = sa.select(_s.signal_id, _s.stated_by).where(
    column_in(_s.signal_id, "ids"), _s.source == sa.bindparam("source")
)
_made_by = (
    sa.select(_s.signal_id, _s.stated_by)
    .where(column_in(_s.signal_id, "ids"), _s.import_id == _import)
    .distinct()
)
_delete = sa.delete(signal_statements).where(
    _s.signal_id == sa.bindparam("signal"), _s.stated_by == sa.bindparam("by")
)

_signals = sa.select(signals.c.identity, signals.c.entity, signals.c.entity_id, signals.c.type).where(
    column_in(signals.c.id, "ids")
)


class StatementRow(NamedTuple):
    """A source that a statement of a signal needs."""

    signal: int
    stated_by: int
    source: int
    import_id: int | None


def load_statements(session: Session, rows: list[StatementRow]) -> None:
    """Insert the statements of new signals."""
    session.load(signal_statements, rows)


def put_statements(session: Session, rows: Iterable[StatementRow]) -> None:
    """Insert statements; existing ones stay."""
    session.many(_insert, rows)


def statements_of(session: Session, ids: Collection[int]) -> list[tuple[int, int, int]]:
    """Return signal, stating source and needed source of all statements of signals."""
    return [(row[0], row[1], row[2]) for row in session.all_in(_of_signals, "ids", sorted(ids))]


def signals_of_source(session: Session, source: int, most: int) -> list[int]:
    """Return the first signals with a statement that needs a source."""
    return [row[0] for row in session.all(_of_source, {"source": source, "most": most})]


def signals_of_import(session: Session, import_id: int, most: int) -> list[int]:
    """Return the first signals with a statement of an import."""
    return [row[0] for row in session.all(_of_import, {"import_id": import_id, "most": most})]


def statements_of_source(session: Session, ids: Collection[int], source: int) -> list[tuple[int, int]]:
    """Return signal and stating source of the statements of signals that need a source."""
    return [(row[0], row[1]) for row in session.all_in(_needing, "ids", sorted(ids), source=source)]


def statements_of_import(session: Session, ids: Collection[int], import_id: int) -> list[tuple[int, int]]:
    """Return signal and stating source of the statements of signals that an import made."""
    return [(row[0], row[1]) for row in session.all_in(_made_by, "ids", sorted(ids), import_id=import_id)]


def delete_statements(session: Session, statements: Iterable[tuple[int, int]]) -> None:
    """Delete statements by signal and stating source."""
    session.many(_delete, sorted(statements))


def select_signals(session: Session, ids: Collection[int]) -> list[tuple[bytes, int, int, int]]:
    """Return identity, kind and number of the record, and type of signals."""
    rows = session.all_in(_signals, "ids", sorted(ids))
    return [(row[0], row[1], row[2], row[3]) for row in rows]
