"""The mark of a value that stands in a file and cannot be held: text that is not UTF-8, an infinite number."""

from enum import Enum


class Unreadable(Enum):
    """No field has this type, so the mark never becomes a value. It keeps its identity through pickling."""

    UNREADABLE = "unreadable"


UNREADABLE = Unreadable.UNREADABLE


def is_text(value: str) -> bool:
    """Whether UTF-8 has these characters: halves of pairs, and bytes that were no UTF-8, it has not."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
