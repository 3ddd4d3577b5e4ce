"""Signs that programs put into cells and that are no part of a value."""

from typing import Final

_INVISIBLE: Final = dict.fromkeys(
    [
        0xAD,
        0xFEFF,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2065),
        *range(0x2066, 0x206A),
    ]
)
"""Blanks without width, soft hyphens, and marks of the direction of writing."""
_AROUND: Final = " \t\r\n\xa0'\"`´‘’“”„«»=,;|"


def plain_text(text: str) -> str:
    """The text without invisible signs, and without quotation marks and separators around it."""
    if not text.isascii():
        text = text.translate(_INVISIBLE)
    return text.strip(_AROUND)
