"""Hosts with pages or addresses of many companies.

See docs/reference/records.md#shared-hosts.

Such a host is a domain of its owner only. `data/shared_hosts.tsv` lists them with their owners' names. The hosts of
free mail (`normalise/data/free_mail.txt`) count among them, without an owner unless that table has one.
"""

from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from firmograph.directory.company_names import company_keys
from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.directory.normalise.emails import is_free_mail_host
from firmograph.directory.normalise.locations import country_code
from firmograph.directory.normalise.placeholders import is_placeholder_host

_AROUND_PATH: Final = "/ "
_ALONE: Final = ""
_BELOW_BUT_OWN: Final = "."
"""Prefix of entries that cover subdomains except the owner's own; those with `*.` cover all subdomains."""
_OWN: Final = frozenset(
    ("about", "careers", "company", "corp", "corporate", "investor", "investors", "newsroom", "press")
)
"""Labels of an owner's own pages on a shared host; no country or language codes."""


class _Entry(NamedTuple):
    host: str
    owners: str
    """Names as in the table; empty for a host without an owner."""
    reach: str


class _Address(NamedTuple):
    host: str
    shared: _Entry | None
    """Entry that covers the host; None if the host is not shared."""
    page: bool
    """Whether the address is below the host's front page."""


def company_host(address: str, name: str | None) -> str | None:
    """Return the host of an address as the domain of a company with this name; None if it is no domain of it.

    A shared host is a domain only as a bare host, and only of a company with a name of its owner or, for the exact
    host of the entry, of a company without a name.
    """
    parsed = _parse_address(address)
    if parsed is None or parsed.shared is None:
        return parsed and parsed.host
    if parsed.page or not parsed.shared.owners:
        return None
    if name:
        return (
            None
            if _owner_keys(parsed.shared.owners).isdisjoint(company_keys(_without_country(name)))
            else parsed.host
        )
    return parsed.host if parsed.host == parsed.shared.host else None


def is_page_of_many(address: str) -> bool:
    """Return whether an address is a page on a shared host, so that its host does not show the owner."""
    parsed = _parse_address(address)
    return parsed is not None and parsed.shared is not None and parsed.page


def is_shared(host: str) -> bool:
    """Return whether a host has pages or addresses of many companies, with or without an owner."""
    return _entry(host) is not None


def answering_hosts(host: str) -> list[str]:
    """Return the host and those above it, up to its registrable domain, whose company may answer for it.

    No host above a page of a shared host does, nor a shared host itself, except for its owner's own pages.
    """
    hosts, last = [host], registrable_domain(host)
    if is_shared(host):
        return hosts
    while hosts[-1] != last:
        label, _, above = hosts[-1].partition(".")
        if is_shared(above) and label not in _OWN:
            break
        hosts.append(above)
    return hosts


@lru_cache(maxsize=65_536)
def _parse_address(address: str) -> _Address | None:
    host = host_of(address)
    if host is None or is_placeholder_host(host):
        return None
    shared = _entry(host)
    return _Address(host, shared, shared is not None and _has_path(address))


def _has_path(address: str) -> bool:
    after_scheme = address.partition("://")[2] or address
    path = after_scheme.partition("/")[2].strip(_AROUND_PATH)
    return bool(path) or "?" in address or "#" in address


def _entry(host: str) -> _Entry | None:
    """Return the nearest entry that covers a host."""
    table = _table()
    if entry := table.get(host):
        return entry
    label, _, above = host.partition(".")
    while above:
        entry = table.get(above)
        if entry and entry.reach:
            return None if entry.reach == _BELOW_BUT_OWN and label in _OWN else entry
        label, _, above = above.partition(".")
    return _Entry(host, "", _ALONE) if is_free_mail_host(host) else None


@cache
def _table() -> dict[str, _Entry]:
    text = files("firmograph.directory").joinpath("data/shared_hosts.tsv").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {entry.host: entry for entry in map(_parse_entry, lines)}


def _parse_entry(line: str) -> _Entry:
    written, _, owners = line.partition("\t")
    host = written.removeprefix("*").removeprefix(".")
    return _Entry(host, owners, written.removesuffix(host))


@cache
def _owner_keys(names: str) -> frozenset[str]:
    return frozenset(key for name in names.split(";") for key in company_keys(name.strip()))


def _without_country(name: str) -> str:
    """Return the name without a trailing country in brackets: `Walmart (United States)` is Walmart."""
    before, bracket, country = name.strip().removesuffix(")").rpartition(" (")
    return before if bracket and country_code(country) else name
