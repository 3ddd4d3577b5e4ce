"""Files of networks: tables with a documented header, and databases in MaxMind's format."""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from firmograph.directory.normalise.domains import host_of
from firmograph.ingest.reading.readers import RowFile
from firmograph.kit.errors import Refused
from firmograph.visits.networks.types import Network, NetworkKind, NetworkOwner

_COLUMNS: Final = ("network", "name", "domain", "type", "country")
_MAXMIND_MARK: Final = b"\xab\xcd\xefMaxMind.com"
"""Beginning of the metadata, which stand in the last bytes of a database."""
_METADATA_BYTES: Final = 128 * 1024
_CODE: Final = re.compile(r"[A-Za-z]{2}")
_MAPPED: Final = ipaddress.IPv6Network("::ffff:0:0/96")
_KINDS: Final = {
    **{kind.value: kind for kind in NetworkKind},
    # MaxMind's user types, and kinds of other providers
    **dict.fromkeys(("college", "library", "school", "university"), NetworkKind.EDUCATION),
    "military": NetworkKind.GOVERNMENT,
    **dict.fromkeys(
        ("cellular", "residential", "dialup", "mobile", "satellite", "consumer_privacy_network"),
        NetworkKind.ISP,
    ),
    **dict.fromkeys(
        ("content_delivery_network", "search_engine_spider", "hoster", "cdn"), NetworkKind.HOSTING
    ),
}


class ReadNetworks(msgspec.Struct):
    """Counts of a file of networks."""

    networks: int = 0
    companies: int = 0
    """Networks whose visitors are of the owner."""
    rejected: dict[int, str] = msgspec.field(default_factory=dict)
    """Lines that are no network, with the reason: at most 20."""
    rejections: int = 0
    unknown_kinds: dict[str, int] = msgspec.field(default_factory=dict)
    """Values of `type` that are none, by value; their networks name no company."""


def read_networks(path: Path, counts: ReadNetworks) -> Iterator[Network]:
    """Yield the networks of a file and count them. Raises Refused if it is no such file."""
    for network in _read_database(path) if _is_database(path) else _read_table(path, counts):
        counts.networks += 1
        counts.companies += network.owner.names_company
        yield network


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _METADATA_BYTES))
            return _MAXMIND_MARK in file.read()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error


# --- tables ---


def _read_table(path: Path, counts: ReadNetworks) -> Iterator[Network]:
    with RowFile(path) as rows:
        header = [name.strip().lower() for name in rows.columns or ()]
        if "network" not in header:
            raise Refused(
                f"{path} has no column `network`; a table of networks has {', '.join(_COLUMNS)}, and a database in"
                " MaxMind's format ends in .mmdb"
            )
        places = [header.index(name) if name in header else None for name in _COLUMNS]
        for row in rows:
            if row.is_skipped:
                continue
            cells = row.value if isinstance(row.value, list) else []
            texts = ["" if place is None else _text(cells, place) for place in places]
            try:
                if row.problem:
                    raise ValueError(row.problem)
                yield _network(texts[0], _owner_of_row(texts, counts))
            except ValueError as error:
                counts.rejections += 1
                if len(counts.rejected) < 20:
                    counts.rejected[row.line] = str(error)


def _text(cells: list[object], place: int) -> str:
    value = cells[place] if place < len(cells) else None
    return "" if value is None else str(value).strip()


def _owner_of_row(texts: list[str], counts: ReadNetworks) -> NetworkOwner:
    _, name, domain, kind, country = texts
    known = _KINDS.get(kind.lower())
    if known is None:
        counts.unknown_kinds[kind] = counts.unknown_kinds.get(kind, 0) + 1
    return NetworkOwner(name, host_of(domain) or "", known or NetworkKind.UNKNOWN, _country(country))


def _network(text: str, owner: NetworkOwner) -> Network:
    """Return a network. Raises ValueError."""
    try:
        found = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError("no network such as 192.0.2.0/24 or 2001:db8::/32") from None
    return _packed_network(found, owner)


def _packed_network(found: ipaddress.IPv4Network | ipaddress.IPv6Network, owner: NetworkOwner) -> Network:
    start, prefix = int(found.network_address), found.prefixlen
    if isinstance(found, ipaddress.IPv6Network) and prefix >= _MAPPED.prefixlen and found.subnet_of(_MAPPED):
        return Network(4, start & 0xFFFFFFFF, prefix - _MAPPED.prefixlen, owner)
    return Network(found.version, start, prefix, owner)


def _country(text: str) -> str:
    return text.upper() if _CODE.fullmatch(text) else ""


# --- databases ---


def _read_database(path: Path) -> Iterator[Network]:
    """Yield the networks of a database in MaxMind's format, of the layouts of MaxMind and of IPinfo."""
    import maxminddb

    try:
        with maxminddb.open_database(path) as database:
            for found, record in database:
                if isinstance(record, Mapping) and (owner := _owner_of_record(record)) is not None:
                    yield _packed_network(found, owner)
    except maxminddb.InvalidDatabaseError as error:
        raise Refused(f"{path} is damaged: {error}") from error


def _owner_of_record(record: Mapping[str, Any]) -> NetworkOwner | None:
    """Return the owner that a record of a database states; None without any value."""
    traits = record.get("traits")
    flat = {**record, **traits} if isinstance(traits, Mapping) else record
    name = _first(flat, "organization", "company", "as_name", "name", "isp", "autonomous_system_organization")
    domain = _first(flat, "domain", "company_domain", "as_domain")
    kind = _first(flat, "user_type", "type", "company_type", "as_type")
    country = _country(
        _first(flat, "country_code", "country") or _nested(record, "country", "registered_country")
    )
    owner = NetworkOwner(name, host_of(domain) or "", _KINDS.get(kind.lower(), NetworkKind.UNKNOWN), country)
    return owner if any(owner) else None


def _first(record: Mapping[str, Any], *names: str) -> str:
    """Return the first of some texts of a record that is there."""
    found = (record.get(name) for name in names)
    return next((each.strip() for each in found if isinstance(each, str) and each.strip()), "")


def _nested(record: Mapping[str, Any], *names: str) -> str:
    """Return the country code of the first of some objects that has one."""
    for name in names:
        one = record.get(name)
        code = one.get("iso_code") if isinstance(one, Mapping) else None
        if isinstance(code, str):
            return code
    return ""
