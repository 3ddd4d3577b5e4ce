"""Public ids of tables and columns: keyed permutations of their numbers."""

import re
from typing import Final

from firmograph.security.keyring import Keyring
from firmograph.security.permutation import Permutation

_TABLES, _COLUMNS = 16, 17
"""Domains of the permutations."""
_TABLE_BITS, _COLUMN_BITS = 53, 32
_DIGITS: Final = re.compile(r"[0-9]{1,16}")
_HEX: Final = re.compile(r"[0-9a-f]{8}")


class TableIds:
    """Conversion between numbers and public ids."""

    def __init__(self, keyring: Keyring) -> None:
        self._tables = Permutation(keyring, _TABLES, _TABLE_BITS)
        self._columns = Permutation(keyring, _COLUMNS, _COLUMN_BITS)

    def table_id(self, number: int) -> str:
        """Return the public id of a table, digits."""
        return str(self._tables.apply(number))

    def open_table(self, text: str) -> int | None:
        """Return the number of a table id; None for a text that is none."""
        if not _DIGITS.fullmatch(text) or (text != "0" and text.startswith("0")):
            return None
        id = int(text)
        return self._tables.invert(id) if id < 1 << _TABLE_BITS else None

    def column_id(self, number: int) -> str:
        """Return the public id of a column, 8 hexadecimal digits."""
        return f"{self._columns.apply(number):08x}"

    def open_column(self, text: str) -> int | None:
        """Return the number of a column id; None for a text that is none."""
        return self._columns.invert(int(text, 16)) if _HEX.fullmatch(text) else None
