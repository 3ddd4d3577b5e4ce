"""Columns that lookalikes have in addition to those of previews."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from firmograph.cli.output import Column, Details
from firmograph.cli.prospect.output import CsvColumn, Row, TableLayout

_MOST: Final = 5
"""Attributes shown of each result in a table."""
_DIGITS: Final = 4


def csv_columns(*, explain: bool) -> Sequence[CsvColumn]:
    """Return the similarity, and every attribute's part in it if that is asked for."""
    similarity: CsvColumn = ("similarity", lambda row: row["similarity"])
    return (similarity, ("explanation", _every)) if explain else (similarity,)


def table_layout(*, explain: bool, ids: bool) -> TableLayout:
    """Return the similarity, with the strongest attributes under each row if they are asked for."""
    similarity: Column[Row] = Column("SIMILARITY", lambda row: f"{row['similarity']:.{_DIGITS}f}", whole=True)
    return TableLayout((similarity,), Details("BECAUSE OF", _strongest) if explain else None, ids=ids)


def _strongest(row: Row) -> tuple[str, ...]:
    """Return a line for each of the strongest attributes, and one for the rest; together they are the similarity."""
    shares = row.get("explanation", [])
    lines = [f"{share['share']:.{_DIGITS}f} {_name(share)}" for share in shares[:_MOST]]
    if others := shares[_MOST:]:
        shown = sum(round(share["share"], _DIGITS) for share in shares[:_MOST])
        rest = round(row["similarity"], _DIGITS) - shown
        lines.append(f"{rest:.{_DIGITS}f} {len(others)} other{'s' if len(others) > 1 else ''}")
    return tuple(lines)


def _every(row: Row) -> str:
    shares: Sequence[Mapping[str, Any]] = row.get("explanation", [])
    return "; ".join(f"{share['share']} {_name(share)}" for share in shares)


def _name(share: Mapping[str, Any]) -> str:
    """Return an attribute as it is read: `industry: finance (3 seeds)`, of an employer `company industry: ...`."""
    holder = "company " if share["of"] == "employer" else ""
    seeds = f"{share['seeds']} seed{'s' if share['seeds'] != 1 else ''}"
    # without the country of a place and the industry of a part of it
    value = share["value"].rpartition("/")[2]
    return f"{holder}{share['kind'].replace('_', ' ')}: {value} ({seeds})"
