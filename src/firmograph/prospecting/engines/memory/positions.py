"""Positions of documents in ten-millionths of a degree, searched by distance."""

from math import cos, degrees, radians

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from firmograph.kit.growable_array import GrowableArray
from firmograph.prospecting.engines.memory.arrays import to_bitmap

EARTH_MILES = 3958.7613
"""Mean radius (6371.0088 km, International Union of Geodesy and Geophysics)."""
_SCALE = 10_000_000
_UNKNOWN = -(2**31)


class Positions:
    """Latitude and longitude of each document, or none."""

    def __init__(self, latitudes: npt.NDArray[np.int32], longitudes: npt.NDArray[np.int32]) -> None:
        self._latitudes = GrowableArray(latitudes, _UNKNOWN)
        self._longitudes = GrowableArray(longitudes, _UNKNOWN)

    @classmethod
    def from_pairs(cls, pairs: list[tuple[int, tuple[float, float]]], count: int) -> "Positions":
        """Create positions from documents and their coordinates in degrees."""
        positions = cls(*(np.full(count, _UNKNOWN, dtype=np.int32) for _ in range(2)))
        for document, position in pairs:
            positions.set(document, position)
        return positions

    def set(self, document: int, position: tuple[float, float] | None) -> None:
        latitude, longitude = position or (None, None)
        self._latitudes.set(document, _UNKNOWN if latitude is None else round(latitude * _SCALE))
        self._longitudes.set(document, _UNKNOWN if longitude is None else round(longitude * _SCALE))

    def columns(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        return self._latitudes.values, self._longitudes.values

    def of_documents(self, selected: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        """Return the coordinates, in degrees, of the documents that have a position."""
        latitudes, longitudes = self.columns()
        pairs = np.stack((latitudes[selected], longitudes[selected]), axis=1)
        known_pairs: npt.NDArray[np.float64] = pairs[pairs[:, 0] != _UNKNOWN] / _SCALE
        return known_pairs

    def near(self, latitude: float, longitude: float, miles: float) -> BitMap:
        """Return the documents within a great-circle distance (haversine)."""
        latitudes, longitudes = self.columns()
        reach = degrees(miles / EARTH_MILES) + 1e-6
        close = np.abs(latitudes - np.int64(round(latitude * _SCALE))) <= reach * _SCALE
        close &= latitudes != _UNKNOWN
        if abs(latitude) + reach < 89:
            across = min(180.0, reach / cos(radians(abs(latitude) + reach)))
            apart = np.abs(longitudes - np.int64(round(longitude * _SCALE)))
            close &= np.minimum(apart, 360 * _SCALE - apart) <= across * _SCALE
        candidates = np.flatnonzero(close)
        distance = miles_between(
            latitude, longitude, latitudes[candidates] / _SCALE, longitudes[candidates] / _SCALE
        )
        return to_bitmap(candidates[distance <= miles])


def miles_between(
    latitude: float, longitude: float, latitudes: npt.NDArray[np.float64], longitudes: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return great-circle distances from one position to many (haversine). Positions are in degrees."""
    latitude_radians, latitudes_radians = radians(latitude), np.radians(latitudes)
    half = np.sin((latitudes_radians - latitude_radians) / 2) ** 2
    across = np.sin((np.radians(longitudes) - radians(longitude)) / 2) ** 2
    half += cos(latitude_radians) * np.cos(latitudes_radians) * across
    return np.asarray(2 * EARTH_MILES * np.arcsin(np.minimum(1.0, np.sqrt(half))))
