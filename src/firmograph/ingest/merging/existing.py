"""What contacts and companies have in common in the middle of a batch: rows that change, and keys that follow."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from firmograph.database.connection import Session
from firmograph.ingest.merging import store
from firmograph.ingest.merging.earlier_rows import place_now
from firmograph.ingest.merging.source_history import (
    NO_REMAINS,
    At,
    Remains,
    Restated,
    Row,
    drop_oldest,
    latest,
)
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class Held:
    """A record, as it is held or as the rows of the batch have made it so far."""

    __slots__ = ("changed", "keys", "made", "new_keys", "number", "rows", "touched")

    def __init__(self, number: int) -> None:
        self.number = number
        self.made = False
        """Whether it was made in this batch, so that the database holds nothing of it yet."""
        self.rows: dict[At, Row] = {}
        self.keys: set[bytes] | None = None
        """The keys it holds in the database; None while that was not asked."""
        self.new_keys: Collection[bytes] | None = None
        """The keys of a record that was made in this batch and not merged since."""
        self.touched: set[At] = set()
        self.changed = False

    def stored_record(self) -> tuple[Any, ...]:
        """Its row, in the order of the columns."""
        raise NotImplementedError

    def merged(self) -> msgspec.Struct:
        """The canonical record."""
        raise NotImplementedError

    def place(self, at: At, row: Row, remains_of: Callable[[Row], Remains] = lambda row: NO_REMAINS) -> bool:
        """Put a row that did not come before among the rows; whether the record may be another one now."""
        self.fill_rows()
        self.rows[at] = latest(self.rows[at], row, remains_of) if at in self.rows else row
        self.touched.add(at)
        dropped = drop_oldest(self.rows, remains_of)
        if dropped is None:
            return True
        self.touched |= {one for one in dropped if one}
        return dropped.at != at or dropped.heir is not None

    def restate(self, at: At, again: Restated) -> bool:
        """Keep what a version that came before says again; whether the record may be another one now."""
        self.touched.add(at)
        self.rows[at] = again.row
        if len(self.rows) == 1 and not again.changed:
            # the only row of a record that stays as it is needs no body of its own
            return False
        self.fill_rows()
        return True

    def fill_rows(self) -> None:
        """Give a row that was stored as the record itself a body of its own: it may soon differ from it."""
        for at, row in self.rows.items():
            if row.row is None:
                self.rows[at] = row._replace(row=_encode(self.merged()))
                self.touched.add(at)

    def remade_rows(self, remake: Callable[[Any], Any]) -> list["Remade"]:
        """The rows of an earlier release that are read in another way today; every row must have a body."""
        kind = type(self.merged())
        remade = []
        for at, row in self.rows.items():
            before = msgspec.json.decode(row.row or b"{}", type=kind)
            now, there = remake(before), place_now(at)
            if now is not before or there != at:
                remade.append(Remade(at, there, row._replace(row=_encode(now)), before, now))
        return remade

    def replace_row(self, earlier: At, at: At, row: Row) -> None:
        """Put a row where another one stood; of two rows for one place the newer one stays."""
        del self.rows[earlier]
        if at not in self.rows or self.rows[at].day <= row.day:
            self.rows[at] = row

    def settle_rows(self, stored: Mapping[tuple[int, str], Row]) -> None:
        """Note which rows differ from those that are stored; an only row that is the record itself has no body."""
        body = _encode(self.merged())
        is_only = any(row.row is None for row in stored.values())
        for at, row in self.rows.items():
            if is_only and row.row == body:
                self.rows[at] = row._replace(row=None)
        self.touched = {at for at in stored.keys() | self.rows.keys() if stored.get(at) != self.rows.get(at)}

    def stored_rows(self) -> list[store.StoredRow]:
        """The rows that the batch touched; the only row of a new record is the record itself, and stored once."""
        number = self.number
        if self.new_keys is not None:
            (((source, source_id), row),) = self.rows.items()
            return [(number, source, source_id, *row._replace(row=None))]
        return [
            (number, source, source_id, *row)
            for (source, source_id), row in self.rows.items()
            if (source, source_id) in self.touched
        ]


class Remade(NamedTuple):
    """A stored row as it is read today."""

    earlier: At
    at: At
    row: Row
    before: Any
    """The record that it said."""
    now: Any


H = TypeVar("H", bound=Held)


def write_records(session: Session, entity: Entity, batch: Iterable[Held]) -> None:
    """Write the records that changed."""
    changed = [held for held in batch if held.changed]
    store.load_records(session, entity, [held.stored_record() for held in changed if held.made])
    store.put_records(session, entity, [held.stored_record() for held in changed if not held.made])


def write_rows_and_keys(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    kept_elsewhere: Collection[store.Key],
) -> None:
    """Write what stands beside the records; `kept_elsewhere` are the keys that stay with their holders."""
    touched = [held for held in batch if held.touched]
    made = [held for held in touched if held.made]
    store.load_rows(session, entity, [row for held in made for row in held.stored_rows()])
    keys = [
        (key, held.number)
        for held in made
        for key in (keys_of(held) if held.new_keys is None else held.new_keys)
    ]
    store.load_keys(session, entity, _without(kept_elsewhere, keys))
    _rewrite(session, entity, [held for held in touched if not held.made], keys_of, kept_elsewhere)
    store.load_changes(session, entity, [held.number for held in batch if held.changed])


def write_again(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    added: Collection[store.Key],
) -> None:
    """Write what differs of records that were merged again from rows that they have, and the keys that they lacked.

    Of a record whose rows are read in another way today it is known which keys it held.
    """
    write_records(session, entity, batch)
    as_they_are = [held for held in batch if held.keys is None]
    store.put_rows(session, entity, [row for held in as_they_are for row in held.stored_rows()])
    _rewrite(session, entity, [held for held in batch if held.keys is not None], keys_of, ())
    store.put_keys(session, entity, added)
    store.load_changes(session, entity, [held.number for held in batch if held.changed])


def _rewrite(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    kept_elsewhere: Collection[store.Key],
) -> None:
    """Write rows and keys of records that had some before."""
    store.put_rows(session, entity, [row for held in batch for row in held.stored_rows()])
    gone = [(held.number, *at) for held in batch for at in held.touched if at not in held.rows]
    store.drop_rows(session, entity, gone)
    added: list[store.Key] = []
    dropped: list[store.Key] = []
    for held in batch:
        assert held.keys is not None
        now = keys_of(held)
        added += [(key, held.number) for key in now - held.keys]
        dropped += [(key, held.number) for key in held.keys - now]
    store.put_keys(session, entity, _without(kept_elsewhere, added))
    store.drop_keys(session, entity, dropped)


def _without(kept_elsewhere: Collection[store.Key], keys: list[store.Key]) -> list[store.Key]:
    return [one for one in keys if one not in kept_elsewhere] if kept_elsewhere else keys
