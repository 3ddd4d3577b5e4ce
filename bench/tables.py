"""A table of figures, for the terminal and for the document."""

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def verdict(*pairs: tuple[float, float]) -> str:
    """Return whether all figures are within their aims, which are upper bounds."""
    return "met" if all(figure <= aim for figure, aim in pairs) else "missed"
