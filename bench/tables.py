"""A table of figures, for the terminal and for the document."""

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
