"""Types of networks."""

from enum import StrEnum
from typing import Final, NamedTuple


class NetworkKind(StrEnum):
    """Kind of a network's owner, as databases of providers name it."""

    BUSINESS = "business"
    EDUCATION = "education"
    GOVERNMENT = "government"
    ISP = "isp"
    HOSTING = "hosting"
    UNKNOWN = ""


NAMES_COMPANY: Final = frozenset({NetworkKind.BUSINESS, NetworkKind.EDUCATION, NetworkKind.GOVERNMENT})
"""Kinds of networks whose visitors are of the owner; the others' customers are anybody."""


class NetworkOwner(NamedTuple):
    """Owner of a network, as a file states it."""

    name: str
    domain: str
    kind: NetworkKind
    country: str
    """ISO 3166-1 alpha-2, empty if unknown."""

    @property
    def names_company(self) -> bool:
        return self.kind in NAMES_COMPANY and bool(self.name or self.domain)


class Network(NamedTuple):
    """Network with its owner."""

    version: int
    start: int
    prefix: int
    owner: NetworkOwner


class NetworkSource(NamedTuple):
    """Loaded networks of one source."""

    name: str
    version: bytes
    """Random, of each load."""
    file: str
    loaded_at: float
    networks: int
    companies: int
    """Networks whose visitors are of the owner."""
