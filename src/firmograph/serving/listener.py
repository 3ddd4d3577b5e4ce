"""Listening socket and the message about its address."""

import errno
import socket
import sys

from firmograph.api.trusted_proxies import is_loopback, trusted_networks
from firmograph.installation import Installation
from firmograph.kit.errors import Refused
from firmograph.logins.links import Links
from firmograph.settings import Settings

BACKLOG = 1024
"""Connections queued until a process accepts them, for example during a restart."""


def open_listener(host: str, port: int, option: str = "--port") -> socket.socket:
    """Return a listening socket. Raises Refused if the address is unavailable."""
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


def check_proxies(settings: Settings) -> None:
    """Raise Refused for networks of trusted proxies that are none."""
    trusted_networks(settings.trusted_proxies)


def server_url(listener: socket.socket, scheme: str = "http") -> str:
    """Return the URL of a listening socket, without a path."""
    host, port = listener.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port}"


def print_address(listener: socket.socket, settings: Settings, workers: int = 1) -> None:
    """Print the address of the API, and a hint if plain HTTP from other machines will be refused."""
    url = server_url(listener, "https" if settings.certificate_file else "http")
    with_workers = f" with {workers} workers" if workers > 1 else ""
    print(f"Firmograph listens on {url}{with_workers} (API documentation at /docs)", file=sys.stderr)
    host, port = listener.getsockname()[:2]
    if not settings.certificate_file and settings.require_https and not is_loopback((host, port)):
        print(_https_hint(settings), file=sys.stderr)


def print_first_run_link(listener: socket.socket, settings: Settings, installation: Installation) -> None:
    """Print the link by which the first operator comes in, where nobody can sign in yet."""
    new = installation.get(Links).make_first_run()
    if new is None:
        return
    # the default names the default port, which need not be that of this server
    is_default = settings.public_url == Settings().public_url
    own = server_url(listener, "https" if settings.certificate_file else "http")
    url = f"{own if is_default else settings.public_url}/workspace/link/{new.token}"
    print(
        f"Nobody can sign in to the workspace yet. To set it up, once and within an hour: {url}",
        file=sys.stderr,
    )


def _https_hint(settings: Settings) -> str:
    restriction = (
        "Other machines get responses only over https through the proxies of FIRMOGRAPH_TRUSTED_PROXIES"
        if settings.trusted_proxies
        else "Other machines are refused, because there is no https here: set FIRMOGRAPH_TRUSTED_PROXIES to an https"
        " proxy"
    )
    return (
        f"{restriction}; or give --certificate and --key, or allow plain HTTP: FIRMOGRAPH_REQUIRE_HTTPS=false"
    )
