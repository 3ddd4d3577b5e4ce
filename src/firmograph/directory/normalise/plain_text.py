"""Removal of characters that programs add to cells."""

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
"""Blanks without width, soft hyphens and marks of writing direction."""
_SURROUNDING: Final = " \t\r\n\xa0'\"`´‘’“”„«»=,;|"


def plain_text(text: str) -> str:
    """Remove invisible characters, and surrounding quotation marks and separators."""
    if not text.isascii():
        text = text.translate(_INVISIBLE)
    return text.strip(_SURROUNDING)
