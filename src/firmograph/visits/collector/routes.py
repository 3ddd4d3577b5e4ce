"""Endpoints that browsers on tracked websites call: the script and the collector.

Neither takes a key, a cookie or a preflight. The collector has the same answer for every well-formed body.
"""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from firmograph.api.endpoint import Call, Endpoint, Headers, Reply
from firmograph.caller import AnonymousCaller
from firmograph.visits.collector.service import Collector
from firmograph.visits.collector.shapes import SentPageView
from firmograph.visits.collector.waiting import ArrivedPageView

MAX_BODY_BYTES: Final = 4_096

_CLOCK_STEP: Final = 60
"""Steps in seconds by which a browser's wrong clock is put right: both messages of a page view must give one second."""

_ASKED_NOT_TO_BE_TRACKED: Final = ((b"sec-gpc", b"1"), (b"dnt", b"1"))


class _Script(NamedTuple):
    body: bytes
    etag: bytes


@cache
def _read_script() -> _Script:
    """Return the script as it is served: without comments, empty lines and indentation."""
    source = (files(__package__) / "v.js").read_text("utf-8")
    lines = (line.strip() for line in source.splitlines())
    body = "\n".join(line for line in lines if line and not line.startswith("//")).encode()
    return _Script(body, b'"%s"' % hashlib.sha256(body).hexdigest()[:16].encode())


def routes(collector: Collector) -> list[Endpoint]:
    def get_script(call: Call[None]) -> Reply:
        script = _read_script()
        # other sites load it, also those that ask every resource for a permit
        headers: Headers = (
            (b"cache-control", b"public, max-age=3600"),
            (b"cross-origin-resource-policy", b"cross-origin"),
            (b"etag", script.etag),
        )
        is_known = dict(call.scope["headers"]).get(b"if-none-match") == script.etag
        return Reply(
            b"" if is_known else script.body,
            304 if is_known else 200,
            "text/javascript; charset=utf-8",
            headers,
        )

    def collect_page_view(call: Call[SentPageView]) -> bytes:
        headers = dict(call.scope["headers"])
        if any(headers.get(name, b"").strip() == value for name, value in _ASKED_NOT_TO_BE_TRACKED):
            collector.ignore("privacy")
        elif b"origin" not in headers:
            collector.ignore("origin")
        else:
            collector.take(_arrived(call, headers))
        return b""

    return [
        Endpoint(
            name="get_visit_script",
            method="GET",
            path="/collect/v.js",
            function=get_script,
            authentication="none",
            documented=False,
        ),
        Endpoint(
            name="collect_page_view",
            method="POST",
            path="/collect/v",
            function=collect_page_view,
            body=SentPageView,
            accepts=("text/plain",),
            max_body_bytes=MAX_BODY_BYTES,
            status=204,
            authentication="none",
            documented=False,
        ),
    ]


def _arrived(call: Call[SentPageView], headers: dict[bytes, bytes]) -> ArrivedPageView:
    body, caller = call.body, call.caller
    return ArrivedPageView(
        headers[b"origin"].decode("latin-1"),
        body.url,
        call.at,
        _begin(body, call.at),
        caller.address if isinstance(caller, AnonymousCaller) else None,
        headers.get(b"user-agent", b"").decode("latin-1"),
        _given(body.email_domain),
        _given(body.email_hash),
        _given(body.customer_id),
        None if body.duration_seconds is UNSET else round(body.duration_seconds),
    )


def _begin(body: SentPageView, arrived_at: float) -> int:
    """Return when the page view began, in seconds since 1970-01-01 UTC."""
    if body.time is UNSET:
        return int(arrived_at - body.age)
    wrong_by = arrived_at - body.age - body.time
    return int(body.time + round(wrong_by / _CLOCK_STEP) * _CLOCK_STEP)


def _given(text: Any) -> str | None:
    return None if text is UNSET else text
