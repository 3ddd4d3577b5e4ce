"""In-batch state of records, shared by contacts and companies: changing rows and their keys."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.records import PastJob
from firmograph.ingest.merging import store
from firmograph.ingest.merging.source_history import (
    Restatement,
    Row,
    RowSlot,
    drop_oldest_row,
    latest_row,
)
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.ingest.summary import Join
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class RowChange(NamedTuple):
    """Change of a stored record's slot."""

    record: int
    slot: RowSlot
    former: Row | None
    """The row before, with its body; None if there was none."""


class RecordState:
    """In-batch state of a stored or new record."""

    __slots__ = ("changed", "changed_rows", "former_rows", "is_new", "keys", "new_keys", "number", "rows")

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_new = False
        """Whether this batch created it, so that the database holds nothing of it yet."""
        self.rows: dict[RowSlot, Row] = {}
        self.keys: set[bytes] | None = None
        """Keys in the database; None until they are computed."""
        self.new_keys: Collection[bytes] | None = None
        """Keys of a record created in this batch and not merged since."""
        self.changed_rows: set[RowSlot] = set()
        """Slots to be written or deleted."""
        self.former_rows: dict[RowSlot, Row] | None = None
        """The rows as stored, with their bodies; None while they are unchanged."""
        self.changed = False

    def stored_record(self) -> tuple[Any, ...]:
        """Return the database row of the record in column order."""
        raise NotImplementedError

    def canonical(self) -> msgspec.Struct:
        """Return the canonical record."""
        raise NotImplementedError

    def join_of(self, source: int, names: Mapping[int, str], key: Callable[[], str]) -> Join | None:
        """Return the join that the next row of a source makes; None unless it is the first one at others' rows."""
        sources = {each for each, _ in self.rows} - {STUB_SOURCE_NUMBER}
        if source in sources or not sources:
            return None
        return Join(key(), sorted(names[each] for each in sources | {source}))

    def add_row(
        self,
        slot: RowSlot,
        row: Row,
        job_of: Callable[[Row], PastJob | None] = lambda row: None,
    ) -> bool:
        """Add a new version of a row and return whether the record may have changed."""
        self.fill_rows()
        self._keep_rows()
        self.rows[slot] = latest_row(self.rows[slot], row, job_of) if slot in self.rows else row
        self.changed_rows.add(slot)
        dropped = drop_oldest_row(self.rows)
        if dropped is None:
            return True
        self.changed_rows |= {one for one in dropped if one}
        return dropped.slot != slot or dropped.heir is not None

    def restate(self, slot: RowSlot, again: Restatement) -> bool:
        """Keep what an earlier version states again and return whether the record may have changed."""
        self._keep_rows()
        self.changed_rows.add(slot)
        self.rows[slot] = again.row
        if len(self.rows) == 1 and not again.changed:
            # the record is unchanged, so its only row still needs no body
            return False
        self.fill_rows()
        return True

    def _keep_rows(self) -> None:
        """Keep the rows as they are stored; call it before the first one changes."""
        if self.former_rows is None and not self.is_new:
            self.former_rows = {
                slot: row if row.row is not None else row._replace(row=_encode(self.canonical()))
                for slot, row in self.rows.items()
            }

    def row_changes(self) -> list[RowChange]:
        """Return the changes of a stored record's slots since it was loaded."""
        former = self.former_rows
        if former is None:
            return []
        return [
            RowChange(self.number, slot, former.get(slot))
            for slot in self.changed_rows
            if former.get(slot) != self.rows.get(slot)
        ]

    def fill_rows(self) -> None:
        """Give a body to a row stored without one, before the record starts to differ from it."""
        for slot, row in self.rows.items():
            if row.row is None:
                self.rows[slot] = row._replace(row=_encode(self.canonical()))
                self.changed_rows.add(slot)

    def find_changed_rows(self, stored: Mapping[tuple[int, str], Row]) -> None:
        """Note which rows differ from the stored ones, and drop the body of an only row that equals the record."""
        body = _encode(self.canonical())
        for slot, row in self.rows.items():
            if len(self.rows) == 1 and row.row == body:
                self.rows[slot] = row._replace(row=None)
        self.changed_rows = {
            slot for slot in stored.keys() | self.rows.keys() if stored.get(slot) != self.rows.get(slot)
        }

    def stored_rows(self) -> list[store.StoredRow]:
        """Return the changed rows as they are stored: the only row of a new record without its body."""
        number = self.number
        if self.new_keys is not None:
            (((source, source_id), row),) = self.rows.items()
            return [(number, source, source_id, *row._replace(row=None))]
        return [
            (number, source, source_id, *row)
            for (source, source_id), row in self.rows.items()
            if (source, source_id) in self.changed_rows
        ]


class Effects(NamedTuple):
    """Effects of a batch on the records of one kind."""

    entity: Entity
    met: set[int]
    """Records that its rows were of, changed or not, without new ones."""
    created: set[int]
    named: set[int]
    """Companies that its rows name."""
    changes: list[RowChange]
    """Of records that existed before the batch."""


def effects_of(
    entity: Entity, met: Iterable[int], named: set[int], batch: Collection[RecordState]
) -> Effects:
    """Return the effects of a batch whose rows met and named these records."""
    created = {state.number for state in batch if state.is_new}
    changes = [change for state in batch for change in state.row_changes()]
    return Effects(entity, set(met) - created, created, named, changes)


H = TypeVar("H", bound=RecordState)


def write_records(session: Session, entity: Entity, batch: Iterable[RecordState]) -> None:
    """Write the records that changed."""
    changed = [state for state in batch if state.changed]
    store.load_records(session, entity, [state.stored_record() for state in changed if state.is_new])
    store.put_records(session, entity, [state.stored_record() for state in changed if not state.is_new])


def write_rows_and_keys(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    withheld: Collection[store.StoredKey],
) -> None:
    """Write rows, keys and change sequence; `withheld` keys stay with their present holders."""
    changed = [state for state in batch if state.changed_rows]
    new = [state for state in changed if state.is_new]
    store.load_rows(session, entity, [row for state in new for row in state.stored_rows()])
    keys = [
        (key, state.number)
        for state in new
        for key in (keys_of(state) if state.new_keys is None else state.new_keys)
    ]
    store.load_keys(session, entity, _without_withheld(withheld, keys))
    _rewrite(session, entity, [state for state in changed if not state.is_new], keys_of, withheld)
    store.load_changes(session, entity, [state.number for state in batch if state.changed])


def rewrite_records(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    added: Collection[store.StoredKey],
) -> None:
    """Write what changed in records merged again from their stored rows, and the `added` keys.

    Keys are compared only where `state.keys` is set.
    """
    write_records(session, entity, batch)
    without_keys = [state for state in batch if state.keys is None]
    store.put_rows(session, entity, [row for state in without_keys for row in state.stored_rows()])
    _rewrite(session, entity, [state for state in batch if state.keys is not None], keys_of, ())
    store.put_keys(session, entity, added)
    store.load_changes(session, entity, [state.number for state in batch if state.changed])


def _rewrite(
    session: Session,
    entity: Entity,
    batch: Collection[H],
    keys_of: Callable[[H], set[bytes]],
    withheld: Collection[store.StoredKey],
) -> None:
    """Write changed rows and keys of stored records, and delete those that they lost."""
    store.put_rows(session, entity, [row for state in batch for row in state.stored_rows()])
    missing = [
        (state.number, *slot) for state in batch for slot in state.changed_rows if slot not in state.rows
    ]
    store.drop_rows(session, entity, missing)
    added: list[store.StoredKey] = []
    dropped: list[store.StoredKey] = []
    for state in batch:
        assert state.keys is not None
        keys = keys_of(state)
        added += [(key, state.number) for key in keys - state.keys]
        dropped += [(key, state.number) for key in state.keys - keys]
    store.put_keys(session, entity, _without_withheld(withheld, added))
    store.drop_keys(session, entity, dropped)


def _without_withheld(
    withheld: Collection[store.StoredKey], keys: list[store.StoredKey]
) -> list[store.StoredKey]:
    return [key for key in keys if key not in withheld] if withheld else keys
