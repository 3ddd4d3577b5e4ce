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


def guard_cell(value: object) -> object:
    """Return a value of a CSV row; only texts change."""
    return guard_formula(value) if isinstance(value, str) else value
