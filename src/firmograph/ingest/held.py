"""What contacts and companies have in common in the middle of a batch: rows that change, and keys that follow."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import msgspec

from firmograph.directory.records import PastJob
from firmograph.ingest import store
from firmograph.ingest.history import Row, drop_oldest, latest
from firmograph.kit.database import Session
from firmograph.kit.tokens import Entity

_encode = msgspec.json.Encoder().encode


class Held:
    """A record, as it is held or as the rows of the batch have made it so far."""

    __slots__ = ("changed", "keys", "new_keys", "number", "rows", "touched")

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[tuple[int, str], Row] = {}
        self.keys: set[bytes] | None = None
        """The keys it holds in the database; None while that was not asked."""
        self.new_keys: Collection[bytes] | None = None
        """The keys of a record that was made in this batch and not merged since."""
        self.touched: set[tuple[int, str]] = set()
        self.changed = False

    def merged(self) -> msgspec.Struct:
        """The canonical record."""
        raise NotImplementedError

    def place(
        self, at: tuple[int, str], row: Row, job_of: Callable[[Row], PastJob | None] = lambda row: None
    ) -> bool:
        """Put a row that did not come before among the rows; whether the record is merged from it now."""
        self._fill_rows()
        self.rows[at] = latest(self.rows[at], row, job_of) if at in self.rows else row
        self.touched.add(at)
        self.touched |= drop_oldest(self.rows)
        return at in self.rows

    def _fill_rows(self) -> None:
        """Give a row that was stored as the record itself a body of its own: it may soon differ from it."""
        for at, row in self.rows.items():
            if row.row is None:
                self.rows[at] = row._replace(row=_encode(self.merged()))
                self.touched.add(at)

    def stored_rows(self) -> list[store.StoredRow]:
        """The rows that the batch touched; the only row of a new record is the record itself, and stored once."""
        number = self.number
        if self.new_keys is not None:
            (((source, source_id), row),) = self.rows.items()
            return [(number, source, source_id, row.version, row.day, row.company_id, None, None)]
        return [
            (number, source, source_id, *row)
            for (source, source_id), row in self.rows.items()
            if (source, source_id) in self.touched
        ]


H = TypeVar("H", bound=Held)


def write_rows_and_keys(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    kept_elsewhere: Collection[tuple[bytes, int]],
) -> None:
    """Write what stands beside the records themselves; `kept_elsewhere` are the keys that stay with their holders."""
    touched = [held for held in batch if held.touched]
    store.put_rows(session, entity, [row for held in touched for row in held.stored_rows()])
    gone = [(held.number, *at) for held in touched for at in held.touched if at not in held.rows]
    store.drop_rows(session, entity, gone)
    added, dropped = _key_changes(touched, keys_of)
    if kept_elsewhere:
        added = [one for one in added if one not in kept_elsewhere]
    store.put_keys(session, entity, added)
    store.drop_keys(session, entity, dropped)
    store.put_changes(session, entity, [held.number for held in batch if held.changed])


_Keys = list[tuple[bytes, int]]


def _key_changes(touched: Sequence[H], keys_of: Callable[[H], set[bytes]]) -> tuple[_Keys, _Keys]:
    added: _Keys = []
    dropped: _Keys = []
    for held in touched:
        if held.new_keys is not None:
            added += [(key, held.number) for key in held.new_keys]
            continue
        assert held.keys is not None
        now = keys_of(held)
        added += [(key, held.number) for key in now - held.keys]
        dropped += [(key, held.number) for key in held.keys - now]
    return added, dropped
