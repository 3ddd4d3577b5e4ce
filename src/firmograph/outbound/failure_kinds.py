"""Kinds of failed requests, whatever of the HTTP client's errors they come from."""

import ssl
from enum import Enum, auto
from typing import Final

import aiohttp

from firmograph.outbound.connector import AddressRefused, NameNotFound, is_local_shortage


class Failure(Enum):
    TIMEOUT = auto()
    LOCAL = auto()
    """This machine ran out of files, memory or threads; nothing was sent."""
    ADDRESS = auto()
    """Name that was not found, or address that the guard refuses."""
    CERTIFICATE = auto()
    TLS = auto()
    REFUSED = auto()
    NOT_HTTP = auto()
    CUT_OFF = auto()
    UNREACHABLE = auto()
    UNEXPECTED = auto()


_KINDS: Final = (
    ((AddressRefused, NameNotFound, aiohttp.InvalidURL), Failure.ADDRESS),
    (ssl.SSLCertVerificationError, Failure.CERTIFICATE),
    (ssl.SSLError, Failure.TLS),
    (ConnectionRefusedError, Failure.REFUSED),
    (aiohttp.ClientResponseError, Failure.NOT_HTTP),
    ((aiohttp.ClientError, ConnectionError), Failure.CUT_OFF),
    (OSError, Failure.UNREACHABLE),
)
"""Kinds of errors; the first match applies."""


def failure_cause(error: Exception) -> Exception:
    """Return the error of the operating system or TLS within one of the client."""
    cause = error.__cause__ if isinstance(error, aiohttp.ClientConnectorError) else error
    return cause if isinstance(cause, Exception) else error


def classify_failure(error: Exception) -> Failure:
    """Return the kind of an error of `HttpClient.request` or of the reading of its answer."""
    cause = failure_cause(error)
    if isinstance(cause, TimeoutError):
        return Failure.TIMEOUT
    if isinstance(cause, OSError) and is_local_shortage(cause):
        return Failure.LOCAL
    return next((kind for errors, kind in _KINDS if isinstance(cause, errors)), Failure.UNEXPECTED)
