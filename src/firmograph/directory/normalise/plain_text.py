"""Removal of characters that programs add to texts and cells."""

import re
import unicodedata
from typing import Final

_FORMAT_CHARACTERS: Final = (
    (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064),
    (0x2066, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD),
    (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0001, 0xE0001), (0xE0020, 0xE007F),
)  # fmt: skip
"""Unicode's category Cf without the Arabic and Syriac signs that are visible."""
_OTHERS: Final = (0x34F, 0x115F, 0x1160, 0x3164, 0xFE0F, 0xFFA0)
"""Grapheme joiner, Hangul fillers, and the mark of emoji."""
INVISIBLE: Final = "".join(
    [chr(code) for low, high in _FORMAT_CHARACTERS for code in range(low, high + 1)] + [*map(chr, _OTHERS)]
)
"""Characters that texts lose; of them U+200C and U+200D stay where letters need them."""
_JOINERS: Final = "\u200c\u200d"
_REMOVAL: Final = dict.fromkeys(ord(one) for one in INVISIBLE if one not in _JOINERS)
_ALL: Final = frozenset(INVISIBLE)
_JOINED: Final = (
    "\u0620-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1cff\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010d00-\U00010d3f\U00011000-\U000119ff\U0001e900-\U0001e95f"
)
"""Scripts of Asia and Africa whose letters a joiner shapes: Arabic and its kin, Indic scripts, Khmer, Mongolian."""
_JOINER: Final = re.compile(f"([{_JOINED}]?)([{_JOINERS}]+)(?=([{_JOINED}]?))")
_SURROUNDING: Final = " \t\r\n\xa0'\"`´‘’“”„«»=,;|"


def without_invisible(text: str) -> str:
    """Remove characters that nobody sees, except joiners between letters whose form depends on them."""
    if text.isascii() or _ALL.isdisjoint(text):
        return text
    return _JOINER.sub(_keep_joiner, text.translate(_REMOVAL))


def _keep_joiner(found: re.Match[str]) -> str:
    before, joiners, behind = found.groups()
    needed = before and behind and all(unicodedata.category(one)[0] in "LM" for one in (before, behind))
    return before + (joiners[0] if needed else "")


def plain_text(text: str) -> str:
    """Remove invisible characters, and surrounding quotation marks and separators."""
    return without_invisible(text).strip(_SURROUNDING)
