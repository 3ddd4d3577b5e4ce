"""Answers of pages, before they are rendered."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_NOTHING: Final[Mapping[str, Any]] = {}


class HtmlPage(NamedTuple):
    """HTML page from a template."""

    template: str
    values: Mapping[str, Any] = _NOTHING
    status: int = 200


class Redirect(NamedTuple):
    """Redirection to a path below `/workspace`, after a change or to sign in."""

    path: str
    session: str | None = None
    """Token of a new session; empty to end the one of the browser; None leaves it as it is."""


class Download(NamedTuple):
    """File for the visitor."""

    name: str
    media_type: str
    content: bytes


Answer = HtmlPage | Redirect | Download
