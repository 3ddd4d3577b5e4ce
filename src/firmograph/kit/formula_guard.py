"""Texts of CSV files that a spreadsheet would take for formulas.

Source: OWASP, CSV Injection.
"""

import re
from typing import Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters of texts that a spreadsheet may evaluate."""
_FIGURE: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
"""Figures, and with them telephone numbers in the form of E.164, which are evaluated to themselves."""


def guard_formula(text: str) -> str:
    """Return a text with a leading apostrophe if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) and not _FIGURE.fullmatch(text) else text


def unguarded_text(text: str) -> str:
    """Return a text without the apostrophe of `guard_formula`, if that may have written it."""
    return text[1:] if text[:1] == "'" and guard_formula(text[1:]) == text else text
