"""URL rules of webhooks that need no DNS lookup.

See docs/reference/webhooks.md#addresses.

The URL is parsed by the library that sends to it, so that no other reading of it matters. The resolved addresses are
checked at each connection.
"""

import re
from typing import Final
from urllib.parse import quote, urlsplit

from yarl import URL

from firmograph.kit.errors import BadRequest
from firmograph.outbound.address_guard import AddressGuard, parse_networks
from firmograph.settings import Settings

ADDRESS_REFUSED: Final = "The URL's address is not allowed"

_ASCII: Final = "".join(map(chr, range(0x21, 0x7F)))
_UNSEEN: Final = re.compile(r"[\x00-\x20\x7f]")
_NAME: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
# a name ending like this is an IPv4 address, possibly spelled 0x7f.1
_NUMBER: Final = re.compile(r"(.*\.)?(0x[0-9a-f]*|[0-9]+)")
_THIS_MACHINE: Final = re.compile(r"(.*\.)?localhost")


def address_guard(settings: Settings) -> AddressGuard:
    """Return the guard of the addresses webhooks may reach. Raises Refused for invalid networks."""
    allowed = parse_networks("FIRMOGRAPH_WEBHOOK_ALLOWED_NETWORKS", settings.webhook_allowed_networks)
    return AddressGuard(allowed, loopback=settings.allow_insecure_webhooks)


def check_url(url: str, settings: Settings) -> str:
    """Return the URL as it is called. Raises BadRequest for one that webhooks may not be sent to."""
    parsed = _parsed(url)
    schemes = ("https", "http") if settings.allow_insecure_webhooks else ("https",)
    if parsed.scheme not in schemes or not parsed.raw_host:
        raise BadRequest(f"The URL must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}")
    authority = urlsplit(url).netloc
    if "@" in authority:
        raise BadRequest("The URL must not contain a user name or password")
    if not parsed.port:
        raise BadRequest("The URL's port must be from 1 to 65535")
    if not _may_be_reached(_host(parsed), address_guard(settings), bracketed="[" in authority):
        raise BadRequest(ADDRESS_REFUSED)
    return called_url(url)


def called_url(url: str) -> str:
    """Return a URL that can be read as it is called: without its fragment, and in ASCII.

    Of other letters, those of the host become A-labels (RFC 5890) and the rest percent-encoded UTF-8 (RFC 3987).
    """
    text, _, _ = url.partition("#")
    return text if text.isascii() else str(request_url(text))


def request_url(url: str) -> URL:
    """Return the URL to send to, whose ASCII path and query are those of the text, byte for byte."""
    parsed, verbatim = URL(url), URL(url, encoded=True)
    host = parsed.raw_host or ""
    return URL.build(
        scheme=parsed.scheme,
        host=f"[{host}]" if ":" in host else host,
        port=parsed.explicit_port,
        path=quote(verbatim.raw_path, safe=_ASCII) or "/",
        query_string=quote(verbatim.raw_query_string, safe=_ASCII),
        encoded=True,
    )


def origin(url: str) -> str:
    """Return scheme, host and port in lower case; equal for all URLs of the same server."""
    parsed = URL(url)
    host = _host(parsed)
    return f"{parsed.scheme}://{f'[{host}]' if ':' in host else host}:{parsed.port}"


def _parsed(url: str) -> URL:
    if _UNSEEN.search(url):
        raise BadRequest("The URL must not contain spaces or control characters; write %20 for a space")
    try:
        urlsplit(url)
        parsed = URL(url)
        # the host is decoded lazily, so this finds one that cannot be
        _ = parsed.host
    except ValueError as error:
        raise BadRequest("The URL cannot be read; write it as https://example.com/path") from error
    return parsed


def _host(parsed: URL) -> str:
    return (parsed.raw_host or "").lower().rstrip(".")


def _may_be_reached(host: str, guard: AddressGuard, *, bracketed: bool) -> bool:
    if bracketed:
        return "%" not in host and guard.check(host)
    if _NUMBER.fullmatch(host):
        return guard.check(host)
    if _THIS_MACHINE.fullmatch(host):
        return guard.check("127.0.0.1")
    return bool(_NAME.fullmatch(host))
