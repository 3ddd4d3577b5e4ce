"""Addresses of people and companies as one text."""

from typing import Protocol

from msgspec import UNSET, UnsetType


class Place(Protocol):
    """Place with a city, a state and a country, each by name or absent."""

    city: str | UnsetType
    state: str | UnsetType
    country: str | UnsetType


def join_address(place: Place) -> str | UnsetType:
    """Return city, state and country as one text, UNSET without any."""
    # a city may be a state as well
    names = dict.fromkeys((place.city, place.state, place.country))
    names.pop(UNSET, None)
    return ", ".join(names) or UNSET  # type: ignore[arg-type]
