"""Address ranges with their owners, in sorted arrays that are searched by halves."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple

import msgspec

from firmograph.visits.networks.types import Network, NetworkKind, NetworkOwner

_WIDTHS: Final = {4: 4, 6: 16}
"""Bytes of an address by version."""
_NOBODY: Final = -1


class FoundNetwork(NamedTuple):
    """Longest network of a source that holds an address."""

    prefix: int
    owner: NetworkOwner


class _Ranges(msgspec.Struct, array_like=True):
    """Ranges of one version, by start; each ends where the next one begins."""

    starts: bytes
    """Addresses of one width."""
    owners: bytes
    """Place of the owner as 32-bit integers, -1 without one."""
    prefixes: bytes


class _Packed(msgspec.Struct, array_like=True):
    owners: list[tuple[str, str, str, str]]
    versions: dict[int, _Ranges]


class _Starts:
    """Sorted addresses as a sequence."""

    def __init__(self, packed: bytes, width: int) -> None:
        self._packed = packed
        self._width = width

    def __len__(self) -> int:
        return len(self._packed) // self._width

    def __getitem__(self, place: int) -> bytes:
        begin = place * self._width
        return self._packed[begin : begin + self._width]


class AddressRanges:
    """Ranges of one source. Of nested networks the longest one counts."""

    def __init__(self, packed: bytes) -> None:
        """Take what `pack` returned."""
        content = msgspec.msgpack.decode(packed, type=_Packed)
        self._owners = [
            NetworkOwner(name, domain, NetworkKind(kind), country)
            for name, domain, kind, country in content.owners
        ]
        self._versions = {
            version: (
                _Starts(ranges.starts, _WIDTHS[version]),
                memoryview(ranges.owners).cast("i"),
                ranges.prefixes,
            )
            for version, ranges in content.versions.items()
        }

    def find(self, address: IPv4Address | IPv6Address) -> FoundNetwork | None:
        """Return the longest network that holds an address; an IPv4-mapped IPv6 address is the IPv4 address."""
        address = getattr(address, "ipv4_mapped", None) or address
        found = self._versions.get(address.version)
        if found is None:
            return None
        starts, owners, prefixes = found
        place = bisect_right(starts, address.packed) - 1
        if place < 0 or owners[place] == _NOBODY:
            return None
        return FoundNetwork(prefixes[place], self._owners[owners[place]])


def pack(networks: Iterable[Network]) -> bytes:
    """Return networks as `AddressRanges` takes them; of the same network twice the later one counts."""
    places: dict[NetworkOwner, int] = {}
    by_version: dict[int, dict[tuple[int, int], int]] = {4: {}, 6: {}}
    for one in networks:
        by_version[one.version][one.start, one.prefix] = places.setdefault(one.owner, len(places))
    versions = {version: _flatten(some, _WIDTHS[version]) for version, some in by_version.items() if some}
    owners = [(owner.name, owner.domain, owner.kind.value, owner.country) for owner in places]
    return msgspec.msgpack.encode(_Packed(owners, versions))


def _flatten(networks: dict[tuple[int, int], int], width: int) -> _Ranges:
    """Return ranges without overlaps."""
    starts, owners, prefixes = bytearray(), array("i"), bytearray()
    last = -1
    for start, owner, prefix in _edges(networks, width * 8):
        if start == last:
            owners[-1], prefixes[-1] = owner, prefix
        elif not owners or (owners[-1], prefixes[-1]) != (owner, prefix):
            starts += start.to_bytes(width)
            owners.append(owner)
            prefixes.append(prefix)
            last = start
    return _Ranges(bytes(starts), owners.tobytes(), bytes(prefixes))


def _edges(networks: dict[tuple[int, int], int], bits: int) -> Iterator[tuple[int, int, int]]:
    """Yield each address where another network begins to be the longest, in order; of one address the last counts."""
    around: list[tuple[int, int, int]] = []
    """End, owner and prefix of the networks that hold the present address, the longest last."""

    def close(until: int) -> Iterator[tuple[int, int, int]]:
        while around and around[-1][0] <= until:
            end = around.pop()[0]
            if end < 1 << bits:
                yield end, *(around[-1][1:] if around else (_NOBODY, 0))

    for start, prefix in sorted(networks):
        yield from close(start)
        owner = networks[start, prefix]
        around.append((start + (1 << (bits - prefix)), owner, prefix))
        yield start, owner, prefix
    yield from close(1 << bits)
