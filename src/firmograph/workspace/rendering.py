"""Rendering of pages: templates, their filters, and the static files under names with a digest."""

import hashlib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from firmograph.kit.clock import moment_of
from firmograph.workspace import AT

_MEDIA_TYPES: Final = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}

SECURITY_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # with `no-referrer` browsers would send `Origin: null`
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
}


@cache
def static_files() -> Mapping[str, tuple[bytes, str]]:
    """Return content and media type of each static file, by its name with a digest."""
    folder = files(__package__) / "static"
    found = {}
    for file in folder.iterdir():
        stem, _, suffix = file.name.rpartition(".")
        if suffix in _MEDIA_TYPES:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:12]
            found[f"{stem}.{digest}.{suffix}"] = (content, _MEDIA_TYPES[suffix])
    return found


def static_path(name: str) -> str:
    """Return the path of a static file, which changes with its content."""
    stem, _, suffix = name.rpartition(".")
    return next(
        f"{AT}/static/{hashed}"
        for hashed in static_files()
        if hashed.startswith(f"{stem}.")
        and hashed.endswith(f".{suffix}")
        and hashed.count(".") == name.count(".") + 1
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("firmograph.workspace"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=_number, time=_time, day=_day, web_address=_web_address)
    environment.globals.update(static=static_path)
    return environment


def render(template: str, values: Mapping[str, Any]) -> bytes:
    """Render a template; texts are escaped."""
    return _environment().get_template(template).render(values).encode()


def _number(value: int) -> str:
    return f"{value:,}"


def _time(at: float | None) -> str:
    """Return a time with its zone; a dash for none."""
    return "—" if at is None else moment_of(at).strftime("%Y-%m-%d %H:%M UTC")


def _day(day: date | float) -> str:
    return (day if isinstance(day, date) else moment_of(day).date()).isoformat()


def _web_address(value: object) -> str:
    """Return a text of a record as the target of a link; empty unless it is an http(s) address."""
    return value if isinstance(value, str) and value.lower().startswith(("http://", "https://")) else ""
