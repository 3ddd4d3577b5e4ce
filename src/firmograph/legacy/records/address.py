"""Addresses of people and companies as one text."""

from typing import Protocol

from msgspec import UNSET, UnsetType


class Located(Protocol):
    """Place with a city, a state and a country, each by name or absent."""

    city: str | UnsetType
    state: str | UnsetType
    country: str | UnsetType


def join_address(located: Located) -> str | UnsetType:
    """Return city, state and country as one text, UNSET without any."""
    # a city may be a state as well
    names = dict.fromkeys((located.city, located.state, located.country))
    names.pop(UNSET, None)
    return ", ".join(names) or UNSET  # type: ignore[arg-type]
