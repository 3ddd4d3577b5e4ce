"""Statements of signals: which sources state a signal, and which import did so first.

See docs/reference/signals.md#sources. A source states a signal by facts of its own, some signals together with facts of
other sources: then the statement needs them all. A repetition with other values states the signal as it is stored only
together with those who stated it before. A signal without statements was stored before they were noted.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.signals import statement_store as store
from firmograph.signals.statement_store import StatementRow


class Origin(NamedTuple):
    """The source that states signals, and its import."""

    source: int
    import_id: int | None = None
    """None for an import that is not listed."""


class Repetition(NamedTuple):
    """Statement of a signal that is stored already."""

    needs: Collection[int]
    """Further sources that it needs."""
    is_same: bool
    """Whether its event equals the stored one."""


def add_statements(session: Session, origin: Origin, needs: Mapping[int, Collection[int]]) -> None:
    """Note that a source states new signals, given with the further sources that each needs."""
    rows = [row for id, others in needs.items() for row in _rows(origin, id, others)]
    store.load_statements(session, rows)


def repeat_statements(session: Session, origin: Origin, repeated: Mapping[int, Repetition]) -> None:
    """Note that a source states stored signals too, unless it stated them before."""
    if not repeated:
        return
    stated: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for id, by, source in store.statements_of(session, repeated):
        stated[id][by].add(source)
    rows: list[StatementRow] = []
    for id, each in repeated.items():
        if origin.source not in stated[id]:
            former = set[int]() if each.is_same else set[int]().union(*stated[id].values())
            rows += _rows(origin, id, {*each.needs, *former})
    store.put_statements(session, rows)


def _rows(origin: Origin, id: int, others: Collection[int]) -> list[StatementRow]:
    needed = sorted({origin.source, *others})
    return [StatementRow(id, origin.source, source, origin.import_id) for source in needed]


def extend_statements(session: Session, source: int, ids: Collection[int]) -> None:
    """Note that signals have values of a further source now, which all statements of them need."""
    stated = sorted({(id, by) for id, by, _ in store.statements_of(session, ids)})
    store.put_statements(session, [StatementRow(id, by, source, None) for id, by in stated])
