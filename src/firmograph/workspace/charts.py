"""Charts, drawn by the server as SVG; their figures stand with them as a table."""

from collections.abc import Sequence
from typing import Final, NamedTuple

WIDTH: Final = 640
HEIGHT: Final = 140


class Bar(NamedTuple):
    """Bar of a chart, in units of its view box."""

    x: float
    y: float
    width: float
    height: float
    title: str


class Bars(NamedTuple):
    """Bar chart."""

    bars: list[Bar]
    most: int
    """Value of the highest bar."""
    first: str
    last: str
    width: int = WIDTH
    height: int = HEIGHT


def bars(values: Sequence[tuple[str, int]]) -> Bars:
    """Return a chart of values by name, in their order."""
    most = max((value for _, value in values), default=0)
    step = WIDTH / max(1, len(values))
    drawn = []
    for place, (name, value) in enumerate(values):
        height = HEIGHT * value / most if most else 0.0
        gap = step * 0.15
        drawn.append(
            Bar(
                round(place * step + gap, 2),
                round(HEIGHT - height, 2),
                round(step - 2 * gap, 2),
                round(height, 2),
                f"{name}: {value:,}",
            )
        )
    return Bars(drawn, most, values[0][0] if values else "", values[-1][0] if values else "")
