"""Writer of small databases in MaxMind's format, of IPv4 networks alone."""

from ipaddress import IPv4Network
from pathlib import Path
from typing import Any


def write_maxmind(path: Path, records: dict[str, dict[str, Any]]) -> Path:
    """Write a database with a record for each network, none of which lies within another."""
    tree: list[list[int | bytes | None]] = [[None, None]]
    for text, record in records.items():
        network = IPv4Network(text)
        bits = [int(network.network_address) >> (31 - place) & 1 for place in range(network.prefixlen)]
        node = 0
        for bit in bits[:-1]:
            if tree[node][bit] is None:
                tree.append([None, None])
                tree[node][bit] = len(tree) - 1
            found = tree[node][bit]
            assert isinstance(found, int)
            node = found
        tree[node][bits[-1]] = _encode(record)
    data, nodes = bytearray(), bytearray()
    for branches in tree:
        for branch in branches:
            if isinstance(branch, bytes):
                value = len(tree) + 16 + len(data)
                data += branch
            else:
                value = len(tree) if branch is None else branch
            nodes += value.to_bytes(3)
    metadata = {
        "node_count": len(tree),
        "record_size": _uint16(24),
        "ip_version": _uint16(4),
        "database_type": "Test",
        "languages": [],
        "binary_format_major_version": _uint16(2),
        "binary_format_minor_version": _uint16(0),
        "build_epoch": bytes([8, 2]) + (1_790_000_000).to_bytes(8),
        "description": {},
    }
    path.write_bytes(bytes(nodes + bytes(16) + data + b"\xab\xcd\xefMaxMind.com" + _encode(metadata)))
    return path


def _uint16(value: int) -> bytes:
    return bytes([5 << 5 | 2]) + value.to_bytes(2)


def _encode(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        raw = value.encode()
        return (
            bytes([2 << 5 | len(raw)]) + raw if len(raw) < 29 else bytes([2 << 5 | 29, len(raw) - 29]) + raw
        )
    if isinstance(value, int):
        raw = value.to_bytes(4)
        return bytes([6 << 5 | 4]) + raw
    if isinstance(value, list):
        return bytes([len(value), 4]) + b"".join(map(_encode, value))
    return bytes([7 << 5 | len(value)]) + b"".join(_encode(part) for pair in value.items() for part in pair)
