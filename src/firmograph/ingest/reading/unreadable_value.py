"""Marker for a file's unreadable values: invalid UTF-8, infinite numbers."""

from enum import Enum


class Unreadable(Enum):
    """Type of the marker, which keeps its identity through pickling.

    No field has this type, so that the marker never becomes a value.
    """

    UNREADABLE = "unreadable"


UNREADABLE = Unreadable.UNREADABLE


def is_text(value: str) -> bool:
    """Return whether a text can be encoded as UTF-8, thus has no lone surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
