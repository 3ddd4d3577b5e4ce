"""Packed page views of a visitor's day, and sessions of a site's day."""

from collections.abc import Iterable, Mapping
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from firmograph.kit.clock import DAY_SECONDS
from firmograph.visits.types import PageView, VisitOwner, VisitSession

PAGE_VIEW: Final = Struct("<I8sBHiH")
"""Second of the day, path, whether it shows intent, seconds looked at, number of the owner, country."""
_PAGE_VIEW_FIELDS: Final = np.dtype(
    [
        ("second", "<u4"),
        ("path", "S8"),
        ("intent", "u1"),
        ("seconds", "<u2"),
        ("owner", "<i4"),
        ("country", "<u2"),
    ]
)
SESSION: Final = np.dtype(
    [
        ("visitor", "<i8"),
        ("started_at", "<i8"),
        ("seconds", "<i4"),
        ("owner", "<i4"),
        ("page_views", "<i2"),
        ("intent", "<i2"),
        ("country", "<i2"),
    ]
)
MOST_SECONDS: Final = 0xFFFE
_UNMEASURED: Final = 0xFFFF

SessionArray = NDArray[Any]
"""Of `SESSION`."""


def country_number(code: str | None) -> int:
    """Return the number of an alpha-2 code in the columns."""
    return 0 if code is None else ord(code[0]) << 8 | ord(code[1])


def country_code(number: int) -> str | None:
    """Return the alpha-2 code of a number in the columns."""
    return chr(number >> 8) + chr(number & 0xFF) if number else None


def visitor_number(visitor: bytes) -> int:
    """Return the hash of a visitor in sessions."""
    return int.from_bytes(visitor[:8], "little", signed=True)


def pack_page_views(page_views: Iterable[PageView], day: int, owners: Mapping[VisitOwner, int]) -> bytes:
    """Return the page views of one visitor on a UTC day, in order."""
    start = day * DAY_SECONDS
    return b"".join(
        PAGE_VIEW.pack(
            one.at - start,
            one.path,
            one.is_intent,
            _UNMEASURED if one.seconds is None else one.seconds,
            0 if one.owner is None else owners[one.owner],
            country_number(one.country),
        )
        for one in sorted(page_views, key=lambda one: (one.at, one.path))
    )


def owner_numbers(packed: bytes) -> set[int]:
    """Return the numbers of owners in packed page views."""
    return {owner for *_, owner, _ in PAGE_VIEW.iter_unpack(packed) if owner}


def unpack_page_views(
    packed: bytes, visitor: bytes, day: int, owners: Mapping[int, VisitOwner]
) -> Iterable[PageView]:
    """Yield the page views of one visitor on a UTC day, in order."""
    start = day * DAY_SECONDS
    for second, path, intent, seconds, owner, country in PAGE_VIEW.iter_unpack(packed):
        yield PageView(
            visitor,
            start + second,
            path,
            bool(intent),
            None if seconds == _UNMEASURED else seconds,
            owners[owner] if owner else None,
            country_code(country),
        )


def unpack_measured(packed: bytes) -> NDArray[Any]:
    """Return `intent` and `seconds` of the page views for which it is known how long the page was looked at."""
    found = np.frombuffer(packed, _PAGE_VIEW_FIELDS)
    measured: NDArray[Any] = found[found["seconds"] != _UNMEASURED][["intent", "seconds"]]
    return measured


def unpack_sessions(packed: bytes) -> SessionArray:
    return np.frombuffer(packed, SESSION)


def make_sessions(found: Iterable[VisitSession], owners: Mapping[VisitOwner, int]) -> SessionArray:
    """Return sessions as an array, in their order."""
    rows = [
        (
            visitor_number(one.visitor),
            one.started_at,
            one.seconds,
            0 if one.owner is None else owners[one.owner],
            one.page_views,
            one.intent_page_views,
            country_number(one.country),
        )
        for one in found
    ]
    return np.array(rows, SESSION)


def replace_sessions(held: SessionArray, visitors: Iterable[int], new: SessionArray) -> SessionArray:
    """Return sessions without those of some visitors and with new ones, by start and visitor."""
    kept = held[~np.isin(held["visitor"], np.fromiter(visitors, np.int64))]
    joined = np.concatenate([kept, new])
    return joined[np.lexsort((joined["visitor"], joined["started_at"]))]
