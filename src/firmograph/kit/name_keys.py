"""Names that people give to what is theirs: tables, columns, users."""

import re
import unicodedata
from typing import Final

_FILLERS: Final = "\u034f\u115f\u1160\u3164\uffa0"
"""Grapheme joiner and Hangul fillers: letters and marks that show nothing."""
_IGNORED: Final = frozenset(f"{_FILLERS}\ufe0f")
"""Characters that keys ignore besides Unicode Cf: fillers, and the mark of emoji."""
_HIDDEN: Final = re.compile(
    f"[{_FILLERS}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
)


def name_key(name: str) -> str:
    """Return the form in which two names are the same; `""` for a name that shows nothing.

    Letter case, composed or decomposed letters (Unicode NFC), white space around the name, and characters that nobody
    sees (Unicode Cf, such as the zero-width space, and fillers) make no difference.
    """
    if name.isascii():
        return name.strip().casefold()
    composed = unicodedata.normalize("NFC", name)
    visible = "".join(
        letter for letter in composed if letter not in _IGNORED and unicodedata.category(letter) != "Cf"
    )
    return unicodedata.normalize("NFC", visible.strip().casefold())


def visible_name(name: str) -> str:
    """Return a name to show, without marks of direction and other characters that nobody sees.

    Joiners stay, which letters of some scripts and emoji need.
    """
    return name if name.isascii() else _HIDDEN.sub("", name).strip()
