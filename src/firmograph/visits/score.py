"""Score of a company's visits, its formula and bands (ruling J 16)."""

from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Band = Literal["cold", "warm", "hot"]
BANDS: Final[tuple[Band, ...]] = ("cold", "warm", "hot")

_FREQUENCY: Final = 0.45
_DEPTH: Final = 0.20
_INTENT: Final = 0.35
_MOST_SESSIONS: Final = 20
_MOST_MINUTES: Final = 10
_MOST_INTENT_PAGES: Final = 5
_HALF_LIFE_DAYS: Final = 14
_LASTING_SHARE: Final = 0.4
"""Share of the engagement that no time takes away."""

Figures = NDArray[np.float64] | NDArray[np.int64]


class BandLimits(NamedTuple):
    """Lowest score of a warm and of a hot company."""

    warm: int
    hot: int

    def band(self, score: int) -> Band:
        return BANDS[(score >= self.warm) + (score >= self.hot)]

    def bands(self, scores: Figures) -> NDArray[np.int64]:
        """Return the position in `BANDS` of each score."""
        return (scores >= self.warm).astype(np.int64) + (scores >= self.hot)


def engagement(sessions: Figures, minutes: Figures, intent_pages: Figures) -> NDArray[np.float64]:
    """Return 0 to 1 for the sessions of each company, their mean minutes and their page views of high intent."""
    frequency = np.log2(1 + sessions) / np.log2(1 + _MOST_SESSIONS)
    shares = (
        (_FREQUENCY, frequency),
        (_DEPTH, minutes / _MOST_MINUTES),
        (_INTENT, intent_pages / _MOST_INTENT_PAGES),
    )
    total = np.zeros(len(sessions))
    for weight, share in shares:
        total += weight * np.minimum(share, 1)
    return total


def scores(
    sessions: Figures, minutes: Figures, intent_pages: Figures, days_since_last: Figures
) -> NDArray[np.int64]:
    """Return the score of each company, 1 to 100."""
    recency = np.exp2(-days_since_last / _HALF_LIFE_DAYS)
    lasting = _LASTING_SHARE + (1 - _LASTING_SHARE) * recency
    return np.rint(1 + 99 * engagement(sessions, minutes, intent_pages) * lasting).astype(np.int64)
