"""Public endpoints for documentation and monitoring: OpenAPI document, Swagger UI, health, metrics.

The files of Swagger UI are kept in `swagger_ui/`; the content security policy forbids it to load anything from other
hosts.
"""

import hmac
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec

from firmograph.api.endpoint import Call, Deferred, Endpoint, Headers, Reply
from firmograph.api.metrics import Metrics
from firmograph.api.openapi import build_openapi
from firmograph.api.trusted_proxies import is_loopback
from firmograph.kit.errors import Forbidden, NotFound, Unauthorized

_TAG = "Service"

PAGE_POLICY: Headers = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
)
"""Headers of every page: it loads nothing from other hosts, and no other site frames it."""

UNKNOWN_PATH = "There is no such path; the API is described at /docs"

_PAGE = b"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Firmograph API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""

# the filter box of Swagger UI compares the names of tags; `opsFilter` is its own place for another rule
_START = b"""const filterOperations = (taggedOperations, typed) => {
  const words = typed.toLowerCase().split(/\\s+/);
  const isFound = (tag, one) => {
    const summary = one.getIn(["operation", "summary"], "");
    const text = [tag, one.get("method"), one.get("path"), one.get("id"), summary].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return taggedOperations
    .map((group, tag) => group.update("operations", (all) => all.filter((one) => isFound(tag, one))))
    .filter((group) => group.get("operations").size > 0);
};

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  filter: true,
  plugins: [{ fn: { opsFilter: filterOperations } }],
  validatorUrl: null,
});
"""

_FILES = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
}


class HealthPart(NamedTuple):
    """Member of the answer of `/health`."""

    name: str
    shape: type[msgspec.Struct]
    read: Callable[[], msgspec.Struct]
    description: str


def health_endpoint(version: str, parts: Sequence[HealthPart]) -> Endpoint:
    members = [("status", str), ("version", str), *((part.name, part.shape) for part in parts)]
    shape = msgspec.defstruct("Health", members)

    # load balancers call it on each server, usually without TLS; it exposes no data of accounts or people
    def get_health(call: Call[None]) -> msgspec.Struct:
        return shape("ok", version, *(part.read() for part in parts))

    return Endpoint(
        name="get_health",
        method="GET",
        path="/health",
        function=get_health,
        answer=shape,
        summary="Whether the service is ready",
        description="\n\n".join(
            ["Return 200 once requests can be served.", *(part.description for part in parts)]
        ),
        tags=[_TAG],
        authentication="none",
        in_clear=True,
    )


def metrics_endpoint(meters: Metrics, token: str) -> Endpoint:
    def get_metrics(call: Call[None]) -> Reply:
        _check_metrics_access(call.scope, token)
        return Reply(meters.render(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return _open_endpoint("get_metrics", "/metrics", get_metrics)


def _check_metrics_access(scope: Any, token: str) -> None:
    """Raise an error unless the caller has the token or, if none is set, is on this machine."""
    headers = dict(scope["headers"])
    if token:
        authorization = headers.get(b"authorization", b"")
        if not hmac.compare_digest(authorization, b"Bearer " + token.encode()):
            raise Unauthorized("Unauthorized: send the metrics token as Authorization: Bearer TOKEN")
    elif not is_loopback(scope.get("client")) or b"x-forwarded-for" in headers or b"forwarded" in headers:
        raise Forbidden(
            "Metrics can be read from this machine only; set FIRMOGRAPH_METRICS_TOKEN to read them from other machines"
        )


def docs_endpoints(
    endpoints: Iterable[Endpoint], *, version: str, max_body_bytes: int, start_page: str = "/docs"
) -> list[Endpoint]:
    """Return the endpoints of `/openapi.json`, of `/docs` with its files, and of `/`; none of them needs an API key.

    `/` leads browsers to the start page.
    """
    described = list(endpoints)
    to_start: Headers = ((b"location", start_page.encode()), (b"vary", b"accept"))

    @cache
    def document() -> bytes:
        # built on the first request, in a thread, as it takes a tenth of a second
        return msgspec.json.encode(build_openapi(described, version=version, max_body_bytes=max_body_bytes))

    def get_openapi(call: Call[None]) -> Deferred:
        return Deferred(document, writes=False)

    def get_root(call: Call[None]) -> Reply:
        accepted = dict(call.scope["headers"]).get(b"accept", b"")
        if b"text/html" not in accepted:
            raise NotFound(UNKNOWN_PATH)
        return Reply(b"", status=307, media_type="text/plain", headers=to_start)

    def get_docs(call: Call[None]) -> Reply:
        return Reply(_PAGE, media_type="text/html; charset=utf-8", headers=PAGE_POLICY)

    def get_docs_start(call: Call[None]) -> Reply:
        return Reply(_START, media_type="text/javascript; charset=utf-8", headers=PAGE_POLICY)

    bundled = [_file_endpoint(name, media_type) for name, media_type in _FILES.items()]
    return [
        _open_endpoint("get_root", "/", get_root),
        _open_endpoint("get_openapi", "/openapi.json", get_openapi),
        _open_endpoint("get_docs", "/docs", get_docs),
        _open_endpoint("get_docs_start", "/docs/start.js", get_docs_start),
        *bundled,
    ]


def _open_endpoint(name: str, path: str, function: Callable[[Call[None]], Reply | Deferred]) -> Endpoint:
    """Return an endpoint without a key, which the document leaves out."""
    return Endpoint(
        name=name, method="GET", path=path, function=function, authentication="none", documented=False
    )


def _file_endpoint(name: str, media_type: str) -> Endpoint:
    def get_file(call: Call[None]) -> Reply:
        cached: Headers = ((b"cache-control", b"max-age=86400"), *PAGE_POLICY)
        return Reply(_read_bundled_file(name), media_type=media_type, headers=cached)

    return _open_endpoint(f"get_docs_{name}", f"/docs/{name}", get_file)


@cache
def _read_bundled_file(name: str) -> bytes:
    return (files(__package__) / "swagger_ui" / name).read_bytes()
