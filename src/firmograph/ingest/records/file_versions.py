"""Ordering of one person's rows in a file by `updateDate`.

See docs/reference/records.md#versions-of-a-row.

A first pass over the file reads each row's person and day and finds people whose rows are out of order, mostly none.
A temporary file holds back their rows until the last of them is read; all others pass. A row without a day counts as of
the day of the import and comes last. The pass identifies a person by `sourceId`, else by LinkedIn page, else by the
first e-mail as written, and needs 20 bytes of memory per row.
"""

import pickle
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

import msgspec

from firmograph.directory.normalise.dates import normalise_date
from firmograph.directory.normalise.placeholders import is_placeholder_id, is_placeholder_page
from firmograph.directory.normalise.written_dates import Order as DateOrder
from firmograph.ingest.reading.flat_keys import FlatKeys
from firmograph.ingest.reading.inputs import Scalar
from firmograph.ingest.reading.mapping import native_record
from firmograph.ingest.reading.readers import AUTODETECT, RawRow, ReadOptions, RowFile, open_rows
from firmograph.ingest.reading.row_layout import Layout
from firmograph.ingest.reading.unreadable_value import UNREADABLE
from firmograph.ingest.records.values import code, read_source_id
from firmograph.kit.errors import Refused
from firmograph.security.record_ids import Entity

_SPILL_BYTES = 16_000_000
"""Bytes of held-back rows in memory; more go to disk."""
_LAST_DAY = 2**31 - 1
_NOBODY = 0
_SET_CHECK_ROWS = 200_000
"""Rows up to which a set finds people with several rows, which mostly saves importing numpy."""
_DAY_FIELD = b'"updateDate"'


class RowOrder(NamedTuple):
    """Rows to reorder, by their index in the file."""

    held_back: frozenset[int]
    by_last: dict[int, list[int]]
    """The order of each person's rows, by the last of them in the file."""


def order_versions(path: Path, rows: RowFile, layout: Layout | None) -> Iterator[RawRow]:
    """Return the rows of an open file of contacts, each person's in the order of their days.

    Other rows keep their order, as do all rows of a file without days.
    """
    order = find_row_order(path, layout, rows.options, table=rows.columns is not None)
    return arrange_rows(rows, order) if order.by_last else iter(rows)


def arrange_rows(rows: Iterable[RawRow], order: RowOrder) -> Iterator[RawRow]:
    """Yield all rows; those held back come in their order at the position of the person's last one."""
    with SpooledTemporaryFile(_SPILL_BYTES) as spill:
        offsets: dict[int, int] = {}
        for position, row in enumerate(rows):
            if position not in order.held_back:
                yield row
                continue
            offsets[position] = spill.seek(0, 2)
            pickle.dump(tuple(row), spill)
            for one in order.by_last.get(position, ()):
                spill.seek(offsets.pop(one))
                yield RawRow(*pickle.load(spill))


def find_row_order(
    path: Path, layout: Layout | None, reading: ReadOptions = AUTODETECT, *, table: bool
) -> RowOrder:
    """Return which rows of a file with this layout are out of order."""
    known: dict[str, int] = {}
    read = _cells_reader(layout) if layout and table else _object_reader(layout)
    people, days = array("q"), array("i")
    if _has_days(path, layout, reading):
        with open_rows(path, reading) as rows, suppress(Refused):  # preparation reports damage
            for row in rows:
                who, day = read(row.value) if row.value is not None else (None, None)
                people.append(hash(who) if who else _NOBODY)
                days.append(_day_number(str(day), reading.dates, known) if day else _LAST_DAY)
    return _build_order(people, days)


def _build_order(each_who: "array[int]", each_day: "array[int]") -> RowOrder:
    if not each_who:
        return RowOrder(frozenset(), {})
    if len(each_who) <= _SET_CHECK_ROWS:
        known = [who for who in each_who if who != _NOBODY]
        if len(set(known)) == len(known):
            return RowOrder(frozenset(), {})
    import numpy as np

    people, days = np.frombuffer(each_who, np.int64), np.frombuffer(each_day, np.int32)
    positions = np.argsort(people, kind="stable")
    same, later = people[positions[1:]] == people[positions[:-1]], days[positions[1:]] < days[positions[:-1]]
    mixed = np.unique(people[positions[1:]][same & later])
    groups: dict[int, list[int]] = {}
    for position in np.flatnonzero(np.isin(people, mixed[mixed != _NOBODY])).tolist():
        groups.setdefault(int(people[position]), []).append(position)
    return RowOrder(
        frozenset(position for group in groups.values() for position in group),
        {
            group[-1]: sorted(group, key=lambda position: (int(days[position]), position))
            for group in groups.values()
        },
    )


def _day_number(text: str, dates: DateOrder | None, known: dict[str, int]) -> int:
    """Return the day as a number; `_LAST_DAY` if it cannot be read."""
    day = known.get(text)
    if day is None:
        if len(known) > 100_000:
            known.clear()
        read = normalise_date(text, dates)
        day = known[text] = date.fromisoformat(read).toordinal() if read else _LAST_DAY
    return day


_PersonDay = tuple[str | None, Scalar]
"""A row's person and day, as written."""


# --- JSON Lines ---


class _Links(msgspec.Struct, gc=False):
    linkedin: str | None = None


class _Email(msgspec.Struct, gc=False):
    email: str | None = None


class _BriefContact(msgspec.Struct, rename="camel", gc=False):
    """The fields of a contact that the pass needs."""

    source_id: Scalar = None
    update_date: Scalar = None
    linkedin_url: str | None = None
    social_links: msgspec.Raw = msgspec.Raw(b"null")
    emails: msgspec.Raw = msgspec.Raw(b"null")


_decode_brief = msgspec.json.Decoder(_BriefContact).decode
_decode_links = msgspec.json.Decoder(_Links | None).decode
_decode_emails = msgspec.json.Decoder(list[_Email | str | None] | str | None).decode


def _object_reader(layout: Layout | None) -> Callable[[Any], _PersonDay]:
    flat = FlatKeys(Entity.CONTACT)

    def read(value: bytes) -> _PersonDay:
        try:
            if layout:
                value = msgspec.json.encode(native_record(layout, msgspec.json.decode(value)))
            row = _decode_brief(value)
            who = _person_identity(row)
            if who is None and (expanded := flat.expand(msgspec.json.decode(value))):
                row = _decode_brief(msgspec.json.encode(expanded.record))
                who = _person_identity(row)
            return who, row.update_date
        except (ValueError, RecursionError):
            return None, None

    return read


def _person_identity(row: _BriefContact) -> str | None:
    # the commonest form first, because this runs for each row of a file
    source_id = row.source_id.strip() if isinstance(row.source_id, str) else code(row.source_id)
    if source_id and not is_placeholder_id(source_id):
        return source_id
    links = _decode_links(row.social_links)
    if page := _page_name(row.linkedin_url or (links and links.linkedin)):
        return page
    emails = _decode_emails(row.emails)
    if isinstance(emails, str):
        return emails.strip().casefold()
    first = next((one for one in emails or () if one), None)
    address = first.email if isinstance(first, _Email) else first
    return address.strip().casefold() if address else None


def _page_name(url: str | None) -> str | None:
    """Return the name of a page; None for a placeholder."""
    if not url or is_placeholder_id(url):
        return None
    name = url.strip().casefold().partition("?")[0].rstrip("/").rpartition("/")[2]
    return None if is_placeholder_page("in/" + name, url) else name


def _has_days(path: Path, layout: Layout | None, reading: ReadOptions) -> bool:
    """Return whether any row may have a day."""
    if layout:
        return layout.keeps_other_keys or any(column.path == "updateDate" for column in layout.columns)
    with open_rows(path, reading) as rows, suppress(Refused):
        return any(isinstance(row.value, bytes) and _DAY_FIELD in row.value for row in rows)
    return False


# --- tables ---


def _cells_reader(layout: Layout) -> Callable[[Any], _PersonDay]:
    def positions(*paths: str) -> list[int]:
        return [column.position for column in layout.columns if column.path in paths]

    emails = [column.path for column in layout.columns if _EMAIL.fullmatch(column.path)]
    day_at, source_at = positions("updateDate"), positions("sourceId")
    page_at, email_at = positions("linkedinUrl", "socialLinks.linkedin"), positions(*emails)

    def read(cells: list[Any]) -> _PersonDay:
        position = _first_filled_position(cells, day_at)
        day = (
            None if position is None else layout.date_orders.iso_date(position, str(cells[position]).strip())
        )
        who = read_source_id(_first_filled(cells, source_at)) or None
        if who is None and (page := _first_filled(cells, page_at)):
            who = _page_name(str(page))
        if who is None and (email := _first_filled(cells, email_at)):
            who = str(email).strip().casefold()
        return who, day

    return read


_EMAIL = re.compile(r"emails(\.\d+(\.email)?)?", re.ASCII)


def _first_filled(cells: list[Any], positions: list[int]) -> Any:
    """Return the first of these cells that is not blank."""
    position = _first_filled_position(cells, positions)
    return None if position is None else cells[position]


def _first_filled_position(cells: list[Any], positions: list[int]) -> int | None:
    for position in positions:
        value = cells[position] if position < len(cells) else None
        if (
            value is not None
            and value is not UNREADABLE
            and not (isinstance(value, str) and not value.strip())
        ):
            return position
    return None
