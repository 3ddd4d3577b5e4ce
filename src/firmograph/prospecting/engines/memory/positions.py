"""Where documents are, in ten-millionths of a degree, and which of them are near a place."""

from math import cos, degrees, radians

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.prospecting.engines.memory.arrays import Column, bitmap

EARTH_MILES = 3958.7613
"""Mean radius (6371.0088 km, International Union of Geodesy and Geophysics)."""
_SCALE = 10_000_000
_NOWHERE = -(2**31)


class Positions:
    """A latitude and a longitude a document, or none."""

    def __init__(self, latitudes: npt.NDArray[np.int32], longitudes: npt.NDArray[np.int32]) -> None:
        self._latitudes = Column(latitudes, _NOWHERE)
        self._longitudes = Column(longitudes, _NOWHERE)

    @classmethod
    def of(cls, held: list[tuple[int, tuple[float, float]]], count: int) -> "Positions":
        """From documents and their positions in degrees."""
        made = cls(*(np.full(count, _NOWHERE, dtype=np.int32) for _ in range(2)))
        for document, position in held:
            made.put(document, position)
        return made

    def put(self, document: int, position: tuple[float, float] | None) -> None:
        latitude, longitude = position or (None, None)
        self._latitudes.put(document, _NOWHERE if latitude is None else round(latitude * _SCALE))
        self._longitudes.put(document, _NOWHERE if longitude is None else round(longitude * _SCALE))

    def columns(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        return self._latitudes.values, self._longitudes.values

    def of_documents(self, held: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        """Pairs of degrees of those documents that have a position."""
        latitudes, longitudes = self.columns()
        pairs = np.stack((latitudes[held], longitudes[held]), axis=1)
        held_pairs: npt.NDArray[np.float64] = pairs[pairs[:, 0] != _NOWHERE] / _SCALE
        return held_pairs

    def near(self, latitude: float, longitude: float, miles: float) -> BitMap:
        """The documents at most so far away by the great circle (haversine)."""
        latitudes, longitudes = self.columns()
        reach = degrees(miles / EARTH_MILES) + 1e-6
        close = np.abs(latitudes - np.int64(round(latitude * _SCALE))) <= reach * _SCALE
        close &= latitudes != _NOWHERE
        if abs(latitude) + reach < 89:
            across = min(180.0, reach / cos(radians(abs(latitude) + reach)))
            apart = np.abs(longitudes - np.int64(round(longitude * _SCALE)))
            close &= np.minimum(apart, 360 * _SCALE - apart) <= across * _SCALE
        held = np.flatnonzero(close)
        distance = miles_between(latitude, longitude, latitudes[held] / _SCALE, longitudes[held] / _SCALE)
        return bitmap(held[distance <= miles])


def miles_between(
    latitude: float, longitude: float, latitudes: npt.NDArray[np.float64], longitudes: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Great-circle distances from one place to many (haversine), all in degrees."""
    here, there = radians(latitude), np.radians(latitudes)
    half = np.sin((there - here) / 2) ** 2
    half += cos(here) * np.cos(there) * np.sin((np.radians(longitudes) - radians(longitude)) / 2) ** 2
    return np.asarray(2 * EARTH_MILES * np.arcsin(np.minimum(1.0, np.sqrt(half))))
