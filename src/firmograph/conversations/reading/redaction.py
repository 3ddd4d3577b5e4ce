"""Redaction as a conversation comes in: card numbers, e-mail addresses and telephone numbers."""

import re
from typing import Final

from firmograph.conversations.reading.building import SpokenText

_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DIGITS: Final = re.compile(r"(?<![\w.])\+?\(?\d(?:[\s().-]{0,2}\d){6,18}(?!\w)")
_CARD: Final = range(13, 20)
_PHONE: Final = range(7, 16)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}")


def redact(one: SpokenText) -> SpokenText:
    """Return a segment with `[card]`, `[email]` and `[phone]` for such values."""
    text = _EMAIL.sub("[email]", one.text) if "@" in one.text else one.text
    return one._replace(text=_DIGITS.sub(_mask, text))


def _mask(found: re.Match[str]) -> str:
    digits = "".join(filter(str.isdigit, found[0]))
    if len(digits) in _CARD and _passes_checksum(digits):
        return "[card]"
    is_phone = len(digits) in _PHONE and not _DATE.fullmatch(found[0])
    return "[phone]" if is_phone and (len(digits) > 8 or not found[0].isdigit()) else found[0]


def _passes_checksum(digits: str) -> bool:
    """Return whether the Luhn sum of a card number fits."""
    doubled = (int(digit) * (2 if index % 2 else 1) for index, digit in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0
