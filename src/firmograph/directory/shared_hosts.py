"""Hosts at which many have a page or an address: nobody's domain but their owner's.

See docs/reference/records.md#shared-hosts.

`data/shared_hosts.tsv` lists them with the names of their owners. The hosts of free mail
(`normalise/data/free_mail.txt`) count among them, without an owner unless that table has one.
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
"""What entries of the table begin with; those with `*.` cover everything below."""
_OWN: Final = frozenset(
    ("about", "careers", "company", "corp", "corporate", "investor", "investors", "newsroom", "press")
)
"""Labels of hosts at which the owner of a shared host speaks of itself. No codes of countries and languages."""


class _Entry(NamedTuple):
    host: str
    owners: str
    """Names as the table writes them; none where the host is nobody's."""
    reach: str


class _Address(NamedTuple):
    host: str
    shared: _Entry | None
    """The entry that covers the host; None for no shared host."""
    page: bool
    """Whether it leads below the host's own front page."""


def company_host(address: str, name: str | None) -> str | None:
    """Return the host that an address gives a company of this name as its domain; None where it gives none.

    A shared host is a domain only as a bare host, and only of a company that has a name of its owner or, for the host
    of the entry itself, no name.
    """
    read = _read(address)
    if read is None or read.shared is None:
        return read and read.host
    if read.page or not read.shared.owners:
        return None
    if name:
        return (
            None
            if _owners(read.shared.owners).isdisjoint(company_keys(_without_country(name)))
            else read.host
        )
    return read.host if read.host == read.shared.host else None


def is_page_of_many(address: str) -> bool:
    """Return whether an address leads to a page on a shared host, so that its host says nothing of whose it is."""
    read = _read(address)
    return read is not None and read.shared is not None and read.page


def domain_forms(host: str) -> tuple[str, ...]:
    """Return the domains that a host is found by: itself and its registrable domain, unless that belongs to many."""
    above = registrable_domain(host)
    return (host,) if above == host or _entry(host) is not None or _is_nobodys(above) else (host, above)


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


def _is_nobodys(host: str) -> bool:
    entry = _entry(host)
    return entry is not None and not entry.owners


@cache
def _table() -> dict[str, _Entry]:
    text = files("firmograph.directory").joinpath("data/shared_hosts.tsv").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {entry.host: entry for entry in map(_entry_of, lines)}


def _entry_of(line: str) -> _Entry:
    written, _, owners = line.partition("\t")
    host = written.removeprefix("*").removeprefix(".")
    return _Entry(host, owners, written.removesuffix(host))


@cache
def _owners(names: str) -> frozenset[str]:
    return frozenset(key for name in names.split(";") for key in company_keys(name.strip()))


def _without_country(name: str) -> str:
    """Return the name without a country in brackets behind it: `Walmart (United States)` is Walmart."""
    before, bracket, place = name.strip().removesuffix(")").rpartition(" (")
    return before if bracket and country_code(place) else name
