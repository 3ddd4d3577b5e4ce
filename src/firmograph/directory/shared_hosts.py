"""Hosts at which many have a page or an address: nobody's domain but their owner's.

See docs/reference/records.md#shared-hosts.

`data/shared_hosts.tsv` lists them with the names of their owners. The hosts of free mail
(`normalise/data/free_mail.txt`) count among them, without an owner unless that table has one.
"""

from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from firmograph.directory.company_names import company_keys
from firmograph.directory.normalise.domains import host_of, registrable
from firmograph.directory.normalise.emails import is_free_mail_host
from firmograph.directory.normalise.placeholders import is_placeholder_host

_AROUND_PATH: Final = "/ "


class _Address(NamedTuple):
    host: str
    shared: str | None
    """The entry of the table that covers the host; `""` for free mail without an entry, None for no shared host."""
    page: bool
    """Whether it leads below the host's own front page."""


def company_host(address: str, name: str | None) -> str | None:
    """The host that an address gives a company of this name as its domain; None where it gives none.

    A shared host is a domain only as a bare host, and only of a company that has a name of its owner or, for the host
    of the entry itself, no name.
    """
    read = _read(address)
    if read is None or read.shared is None:
        return read and read.host
    if read.page or not read.shared:
        return None
    if name:
        return None if _owners(read.shared).isdisjoint(company_keys(name)) else read.host
    return read.host if read.host == read.shared.removeprefix(".") and _table()[read.shared] else None


def is_page_of_many(address: str) -> bool:
    """Whether an address leads to a page on a shared host, so that its host says nothing of whose it is."""
    read = _read(address)
    return read is not None and read.shared is not None and read.page


def domain_forms(host: str) -> tuple[str, ...]:
    """The domains that a host is found by: itself and its registrable domain, unless that belongs to many."""
    above = registrable(host)
    return (host,) if above == host or _entry(host) is not None else (host, above)


@lru_cache(maxsize=65_536)
def _read(address: str) -> _Address | None:
    host = host_of(address)
    if host is None or is_placeholder_host(host):
        return None
    shared = _entry(host)
    return _Address(host, shared, shared is not None and _leads_on(address))


def _leads_on(address: str) -> bool:
    after_scheme = address.partition("://")[2] or address
    path = after_scheme.partition("/")[2].strip(_AROUND_PATH)
    return bool(path) or "?" in address or "#" in address


def _entry(host: str) -> str | None:
    table = _table()
    if host in table:
        return host
    below = "." + host
    while below:
        if below in table:
            return below
        below = below[below.find(".", 1) :] if "." in below[1:] else ""
    return "" if is_free_mail_host(host) else None


@cache
def _table() -> dict[str, str]:
    """The names of the owner of each entry, as the table writes them."""
    text = files("firmograph.directory").joinpath("data/shared_hosts.tsv").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {host: names for host, _, names in (line.partition("\t") for line in lines)}


@cache
def _owners(entry: str) -> frozenset[str]:
    return frozenset(key for name in _table()[entry].split(";") for key in company_keys(name.strip()))
