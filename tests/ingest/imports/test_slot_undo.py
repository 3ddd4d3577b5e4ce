"""The undo of an import in one record, by its rows and what imports keep of them."""

from itertools import permutations

import pytest

from firmograph.ingest.imports.slot_undo import undo_slots
from firmograph.ingest.imports.types import FormerRow
from firmograph.ingest.merging.source_history import Row
from firmograph.security.record_ids import Entity

pytestmark = pytest.mark.no_database

SLOT, OTHER = (1, "a"), (1, "b")


def row(version):
    return Row(version.encode(), "2026-01-01", None, b"{}", None)


def former(number, version, place, slot=SLOT):
    return FormerRow(Entity.CONTACT, 7, slot, row(version) if version else None, number, place)


def undo_all(order, rows, kept, created=()):
    """Return the rows after the undo of imports in an order."""
    for number in order:
        undo = undo_slots(number, 1, rows, kept, created=number in created)
        rows = {slot: one for slot, one in {**rows, **undo.rows}.items() if one}
        relinked = {each.import_id: each for each in undo.relinked}
        kept = [relinked.get(each.import_id, each) for each in kept if each.import_id != number]
    return rows


def test_a_changed_slot_gets_its_former_row():
    undo = undo_slots(1, 1, {SLOT: row("new")}, [former(1, "old", 1)], created=False)
    assert (undo.rows, undo.relinked) == ({SLOT: row("old")}, [])


def test_the_next_import_of_a_slot_inherits_the_former_row():
    kept = [former(1, "old", 1), former(2, "mine", 2)]
    undo = undo_slots(1, 1, {SLOT: row("theirs")}, kept, created=False)
    assert (undo.rows, undo.relinked) == ({}, [former(2, "old", 2)])


@pytest.mark.parametrize("order", list(permutations([1, 2, 3])))
def test_imports_at_the_same_time_may_be_undone_in_any_order(order):
    # the third changed the slot before the second did
    kept = [former(1, "old", 1), former(3, "of 1", 2), former(2, "of 3", 3)]
    assert undo_all(order, {SLOT: row("of 2")}, kept) == {SLOT: row("old")}


@pytest.mark.parametrize("order", list(permutations([1, 2])))
def test_a_record_that_an_import_created_is_empty_after_all_undos(order):
    rows = {SLOT: row("of 2"), OTHER: row("of 1")}
    assert undo_all(order, rows, [former(2, "of 1", 5)], created={1}) == {}


def test_rows_of_other_sources_in_a_created_record_stay():
    rows = {SLOT: row("mine"), (2, "x"): row("theirs")}
    undo = undo_slots(1, 1, rows, [], created=True)
    assert undo.rows == {SLOT: None}
