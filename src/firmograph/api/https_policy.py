"""HTTPS policy of requests, as set by `require_https`.

Plain HTTP is accepted on loopback only, unless a trusted proxy reports that its client used TLS. Only the last value
of `X-Forwarded-Proto` (or, without one, of `Forwarded`, RFC 7239) counts: the nearest proxy wrote it, while the values
before it may come from anybody.
"""

from typing import Any

from firmograph.api.request import RequestHeaders
from firmograph.api.trusted_proxies import TrustedProxies, forwarded_parameter, trusted_networks
from firmograph.kit.errors import Forbidden
from firmograph.settings import Settings


class PlainHttp(Forbidden):
    public = "Plain HTTP is refused; use https://"


class HttpsPolicy:
    """Policy that refuses unencrypted requests; it believes the headers of `proxies`."""

    def __init__(self, *, required: bool, proxies: TrustedProxies | None = None) -> None:
        self._required = required
        self.proxies = proxies or TrustedProxies()

    def check(self, scope: Any, headers: RequestHeaders) -> None:
        """Raise PlainHttp unless the request was encrypted on its way from the client or never left this machine.

        The report of a trusted proxy that its client used plain HTTP outweighs an encrypted connection to the proxy.
        """
        if not self._required:
            return
        client = scope.get("client")
        _, trusted, local = self.proxies.classify(client[0] if client else "")
        safe = local or scope["scheme"] == "https"
        if trusted:
            protocol = _reported_protocol(headers)
            if protocol:
                safe = protocol == "https" or (local and self._is_local_client(scope, headers))
        if not safe:
            raise PlainHttp

    def is_encrypted(self, scope: Any, headers: RequestHeaders) -> bool:
        """Return whether the client used TLS, as this server saw it or a trusted proxy reports it."""
        client = scope.get("client")
        if self.proxies.trusts(client[0] if client else ""):
            protocol = _reported_protocol(headers)
            if protocol:
                return protocol == "https"
        return bool(scope["scheme"] == "https")

    def _is_local_client(self, scope: Any, headers: RequestHeaders) -> bool:
        """Return whether a proxy on this machine reports that its client is on this machine too."""
        if headers.forwarded_for is None and headers.forwarded is None:
            return False
        return self.proxies.client(scope).local


NO_POLICY = HttpsPolicy(required=False)
"""Policy that accepts every request."""


def make_https_policy(settings: Settings) -> HttpsPolicy:
    """Return the configured policy. Raises Refused for a malformed `trusted_proxies`."""
    proxies = TrustedProxies(trusted_networks(settings.trusted_proxies))
    return HttpsPolicy(required=settings.require_https, proxies=proxies)


def _reported_protocol(headers: RequestHeaders) -> str:
    """Return the client's protocol as the nearest proxy reports it, in lower case; empty if it reports none."""
    if headers.forwarded_proto is None and headers.forwarded is None:
        return ""
    if headers.forwarded_proto is not None:
        return headers.forwarded_proto.decode("latin-1").rpartition(",")[2].strip().lower()
    return forwarded_parameter(headers.forwarded or b"", "proto").lower()
