"""Hosts and registrable domains.

See docs/reference/records.md#identity-keys.

A host identifies a company; the registrable domain only helps to find it, because several units may share one.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from firmograph.directory.normalise.plain_text import plain_text

if TYPE_CHECKING:
    from tldextract import TLDExtract

_MAX_HOST = 253
_MAX_URL = 2048
_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])", re.ASCII
)
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://|//|https?:/*|https?//)+", re.ASCII)
"""A scheme, or the remains of several."""
_AFTER_HOST = re.compile(r"[/?#\\]")
_PORT = re.compile(r":\d*$", re.ASCII)


def host_of(text: str) -> str | None:
    """Return the host of a domain or URL: lower-case ASCII, without `www.` and final dot.

    The scheme may be missing; user, port, path, query and fragment are dropped. A name in another script becomes its
    IDNA form. None without a dotted host name, so also for IP addresses and single words.
    """
    return _host(text) if len(text) <= _MAX_URL else None


@lru_cache(maxsize=65_536)
def _host(text: str) -> str | None:
    text = text.strip().lower()
    if not _HOST.fullmatch(text):
        text = _host_part(plain_text(text).strip("<>()"))
        if not text.isascii():
            text = _ascii(text)
        if not _HOST.fullmatch(text):
            return None
    while text.startswith("www.") and "." in text[4:]:
        text = text[4:]
    return text if len(text) <= _MAX_HOST else None


def _host_part(text: str) -> str:
    """Return the host part of a URL."""
    if scheme := _SCHEME.match(text):
        text = text[scheme.end() :]
    authority = _AFTER_HOST.split(text, maxsplit=1)[0]
    host = _PORT.sub("", authority.rpartition("@")[2])
    return host.rstrip().removesuffix(".")


def _ascii(host: str) -> str:
    import idna

    if len(host) > _MAX_HOST:
        return ""
    try:
        return idna.encode(host, uts46=True).decode()
    except UnicodeError:
        return ""


def registrable_domain(host: str) -> str:
    """Return the registrable domain of a host: one label below its public suffix, `acme.co.uk` for `eu.acme.co.uk`.

    Uses the public suffix list of tldextract with its private section, whose suffixes separate owners as others do
    (`uk.com`, `github.io`); nothing is ever fetched. For a suffix that the list lacks, such as `.test`, its default
    rule applies: the last label is the suffix. A host that is itself a suffix is returned unchanged.
    """
    # every rule returns a host of two labels unchanged, and loading the list takes longer than reading a thousand rows
    return _registrable(host) if host.count(".") > 1 else host


def share_registrable(one: str, other: str) -> bool:
    """Return whether two hosts have the same registrable domain."""
    return one.rsplit(".", 2)[-2:] == other.rsplit(".", 2)[-2:] and registrable_domain(
        one
    ) == registrable_domain(other)


@lru_cache(maxsize=65_536)
def _registrable(host: str) -> str:
    extracted = _extractor()(host)
    if not extracted.suffix:
        return ".".join(host.rsplit(".", 2)[-2:])
    return extracted.top_domain_under_public_suffix or host


def load_suffixes() -> None:
    """Load the public suffix list, which takes almost a second: call this before a transaction that may need it."""
    _extractor()("example.com")


@cache
def _extractor() -> "TLDExtract":
    from tldextract import TLDExtract

    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
