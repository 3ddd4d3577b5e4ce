"""Cookies and the origin of requests, as browsers send them, and the limits of a session."""

import base64
import hashlib
import hmac
from collections import Counter
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from firmograph.kit.errors import Forbidden, TooManyRequests
from firmograph.logins.service import LONGEST_SECONDS

_COOKIE: Final = "firmograph"
_SECURE_COOKIE: Final = f"__Host-{_COOKIE}"
FOREIGN: Final = "This form was sent from another place, or its session has ended; open the page again"


def cookie_name(is_secure: bool) -> str:
    return _SECURE_COOKIE if is_secure else _COOKIE


def set_cookie(token: str, is_secure: bool) -> str:
    """Return the header `Set-Cookie` of a session; without a token it removes the cookie."""
    seconds = int(LONGEST_SECONDS) if token else 0
    parts = [f"{cookie_name(is_secure)}={token}", "Path=/", f"Max-Age={seconds}", "HttpOnly", "SameSite=Lax"]
    return "; ".join([*parts, "Secure"] if is_secure else parts)


def form_token(token: str) -> str:
    """Return what each form of a session carries; it cannot be made without the session's token."""
    digest = hashlib.sha256(b"form\0" + token.encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def check_form_token(token: str, given: str) -> None:
    """Raise Forbidden unless a form carries the token of its session."""
    if not hmac.compare_digest(form_token(token).encode(), given.encode("utf-8", "surrogatepass")):
        raise Forbidden(FOREIGN)


def check_origin(headers: Mapping[str, str], origins: frozenset[str]) -> None:
    """Raise Forbidden for a change that a page of another site, or no page, asked for.

    Browsers say it in `Sec-Fetch-Site` (Fetch Metadata), older ones in `Origin`.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        if site != "same-origin":
            raise Forbidden(FOREIGN)
    elif headers.get("origin", "") not in origins:
        raise Forbidden(FOREIGN)


def own_origins(host: str, is_secure: bool, public_url: str) -> frozenset[str]:
    """Return the origins that this server has for its visitors."""
    public = urlsplit(public_url)
    return frozenset((f"{'https' if is_secure else 'http'}://{host}", f"{public.scheme}://{public.netloc}"))


def own_path(text: str) -> str:
    """Return a path below `/workspace` to go back to; the start page for anything else."""
    fits = text == "/workspace" or text.startswith(("/workspace/", "/workspace?"))
    return text if fits and text.isprintable() and "\\" not in text and "//" not in text else "/workspace"


_WINDOWS: Final = ((1, 20), (60, 600))
"""Seconds of a window, aligned to UTC, and its requests."""


class SessionLimits:
    """Counters of one process: requests of a session in the current second and minute."""

    def __init__(self) -> None:
        self._counters: list[tuple[int, Counter[str]]] = [(-1, Counter()) for _ in _WINDOWS]

    def take(self, token: str, now: float) -> None:
        """Count a request. Raises TooManyRequests, without counting it, if a window is full."""
        current = []
        for place, (seconds, most) in enumerate(_WINDOWS):
            window = int(now // seconds)
            number, counts = self._counters[place]
            if number != window:
                counts = Counter()
                self._counters[place] = (window, counts)
            if counts[token] >= most:
                raise TooManyRequests(
                    f"Too many requests: at most {most} in {seconds} s",
                    retry_after=(window + 1) * seconds - now,
                )
            current.append(counts)
        for counts in current:
            counts[token] += 1
