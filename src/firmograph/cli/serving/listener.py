"""The address to listen on, and what is said of it at the start."""

import errno
import socket
import sys

from firmograph.api.https_policy import is_loopback
from firmograph.kit.errors import Refused
from firmograph.settings import Settings

BACKLOG = 1024
"""Connections that wait until a process takes them up, while one is started again for instance."""


def listen(host: str, port: int, option: str = "--port") -> socket.socket:
    """A listening socket. Raises Refused when the address cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Refused(f"Port {port} on {host} is in use; choose another with {option}") from error
        raise Refused(f"Cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def address(listener: socket.socket, scheme: str = "http") -> str:
    """The URL of what listens, without a path."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}:{port}"


def print_address(listener: socket.socket, settings: Settings, workers: int = 1) -> None:
    """One line about where the API is; one more where plain HTTP will be refused, for that surprises."""
    where = address(listener, "https" if settings.certificate_file else "http")
    with_workers = f" with {workers} workers" if workers > 1 else ""
    print(f"Firmograph listens on {where}{with_workers} - its API is described at /docs", file=sys.stderr)
    host, port = listener.getsockname()[:2]
    if not settings.certificate_file and settings.require_https and not is_loopback((host, port)):
        print(_only_behind_a_proxy(settings), file=sys.stderr)


def _only_behind_a_proxy(settings: Settings) -> str:
    answered = (
        "Other machines are answered only over https through the proxies of FIRMOGRAPH_TRUSTED_PROXIES"
        if settings.trusted_proxies
        else "Other machines are refused, as nothing here speaks https: name a proxy that does in"
        " FIRMOGRAPH_TRUSTED_PROXIES"
    )
    return f"{answered}; or give --certificate and --key, or allow plain HTTP: FIRMOGRAPH_REQUIRE_HTTPS=false"
