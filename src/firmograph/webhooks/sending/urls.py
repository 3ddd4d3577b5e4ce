"""To which URLs webhooks may be sent, as far as it can be told without asking DNS (decisions G, Addresses).

The URL is read by the library that sends to it, so that nobody's other reading counts. What its name resolves to is
checked at each connection (`outbound/client.py`).
"""

import re
from typing import Final
from urllib.parse import urlsplit

from yarl import URL

from firmograph.kit.errors import BadRequest
from firmograph.outbound.address_guard import AddressGuard, parse_networks
from firmograph.settings import Settings

ADDRESS_REFUSED: Final = "The URL's address is not allowed"

_UNSEEN: Final = re.compile(r"[\x00-\x20\x7f]")
_NAME: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
# what ends so is an address of IPv4, in a spelling that may be 0x7f.1
_NUMBER: Final = re.compile(r"(.*\.)?(0x[0-9a-f]*|[0-9]+)")
_THIS_MACHINE: Final = re.compile(r"(.*\.)?localhost")


def guard(settings: Settings) -> AddressGuard:
    """Of the addresses that webhooks may go to. Raises Refused for networks that are none."""
    allowed = parse_networks("FIRMOGRAPH_WEBHOOK_ALLOWED_NETWORKS", settings.webhook_allowed_networks)
    return AddressGuard(allowed, loopback=settings.allow_insecure_webhooks)


def checked(url: str, settings: Settings) -> str:
    """The URL, as it was given. Raises BadRequest for one that webhooks may not be sent to."""
    parsed = _parsed(url)
    schemes = ("https", "http") if settings.allow_insecure_webhooks else ("https",)
    if parsed.scheme not in schemes or not parsed.raw_host:
        raise BadRequest(f"The URL must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}")
    authority = urlsplit(url).netloc
    if "@" in authority:
        raise BadRequest("The URL must not hold a user name or password")
    if not parsed.port:
        raise BadRequest("The URL's port must be from 1 to 65535")
    if not _may_be_reached(_host(parsed), guard(settings), bracketed="[" in authority):
        raise BadRequest(ADDRESS_REFUSED)
    return url


def origin(url: str) -> str:
    """Scheme, host and port, in lower case; one text for all that lead to the same server."""
    parsed = URL(url)
    host = _host(parsed)
    return f"{parsed.scheme}://{f'[{host}]' if ':' in host else host}:{parsed.port}"


def _parsed(url: str) -> URL:
    if _UNSEEN.search(url):
        raise BadRequest("The URL must not hold spaces or control characters; write %20 for a space")
    try:
        urlsplit(url)
        parsed = URL(url)
        # a name that cannot be decoded is found only when it is asked for
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
