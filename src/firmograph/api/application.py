"""ASGI application: the endpoints by path and method, and the framework behind them.

The framework runs the lifespans and has all paths that are no endpoint's (docs/adr/0013-own-table-of-paths.md).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import structlog
from litestar import Litestar, Request
from litestar.exceptions import HTTPException

from firmograph.api.address_limiter import AddressLimiter
from firmograph.api.body_budget import BodyBudget
from firmograph.api.dispatch import Dispatcher, EndpointHandler
from firmograph.api.docs_and_health import UNKNOWN_PATH
from firmograph.api.endpoint import Endpoint, Headers
from firmograph.api.envelope import ErrorShape
from firmograph.api.paths import PathTable
from firmograph.api.response import Response, new_request_id, render_error
from firmograph.api.thread_pool import RequestThreads
from firmograph.kit.errors import BadRequest, FirmographError, MethodNotAllowed, NotFound

if TYPE_CHECKING:
    from litestar.types import ASGIApp

log = structlog.get_logger("firmograph.api")

_HOST: Final = re.compile(rb"[0-9A-Za-z!$&'()*+,;=\-._~:\[\]@%]*")
"""Characters of a host with its port (RFC 3986)."""


class _Path(NamedTuple):
    """Endpoints of one path."""

    handlers: Mapping[str, EndpointHandler]
    """Handler of each method."""
    allowed: Sequence[str]
    """All methods, among them OPTIONS, in alphabetical order."""
    headers: Headers
    """Headers that all endpoints of the path have."""


class _PathErrors(NamedTuple):
    """What errors on a path and below it look like."""

    path: str
    """Path up to its first parameter."""
    shape: ErrorShape
    headers: Headers
    """Those of an unknown method; below the path there is no endpoint that they could be of."""


_USUAL_ERRORS: Final = _PathErrors("", "current", ())


class Application:
    """Application of some endpoints."""

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        dispatcher: Dispatcher,
        threads: RequestThreads,
        lifespans: Sequence[AbstractAsyncContextManager[object]] = (),
        mounts: "Mapping[str, ASGIApp] | None" = None,
    ) -> None:
        """Take further applications by the path at which they have all that is no endpoint's, such as `/workspace`."""
        declared = list(endpoints)
        self._metrics = dispatcher.metrics
        self._paths = PathTable(_endpoints_by_path(declared, dispatcher, threads))
        self._path_errors = _path_errors(declared)
        self._mounts = mounts or {}
        self._framework = Litestar(
            exception_handlers={Exception: self._render_framework_error},
            lifespan=list(lifespans),
            openapi_config=None,
            logging_config=None,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        response = await self._respond(scope, receive) if scope["type"] == "http" else None
        if response is None:
            await self._other(scope)(scope, receive, send)
        else:
            await response(scope, receive, send)

    def _other(self, scope: Any) -> "ASGIApp":
        """Return the application of a path that no endpoint has, and of what is no request."""
        path = scope.get("path", "")
        return next(
            (app for at, app in self._mounts.items() if path == at or path.startswith(f"{at}/")),
            self._framework,
        )

    async def _respond(self, scope: Any, receive: Any) -> Response | None:
        """Return the response of an endpoint; None for a path that no endpoint has."""
        try:
            _check_host(scope["headers"])
            found = self._paths.find(scope["path"])
            if found is None:
                return None
            path, scope["path_params"] = found
            handler = path.handlers.get(scope["method"])
            if handler is not None:
                return await handler.serve(scope, receive)
            if scope["method"] == "OPTIONS":
                return _render_options(path)
            raise MethodNotAllowed(path.allowed)
        except Exception as error:
            return self._render_error(scope["path"], error)

    def _render_framework_error(self, request: "Request[Any, Any, Any]", error: Exception) -> Any:
        return _FrameworkResponse(self._render_error(request.scope["path"], error))

    def _render_error(self, path: str, error: Exception) -> Response:
        """Return the response to a request that reached no endpoint: unknown path, wrong method, malformed request."""
        request_id = new_request_id()
        refusal = _refusal(error)
        if refusal.status >= 500:
            log.error("failed", request_id=request_id, exc_info=error)
        self._metrics.count_response("none", refusal.status, 0.0)
        errors = self._path_errors
        own = next(
            (one for one in errors if path == one.path or path.startswith(f"{one.path}/")), _USUAL_ERRORS
        )
        headers = own.headers if refusal.status == MethodNotAllowed.status else ()
        return render_error(refusal, request_id, headers, own.shape)


class _FrameworkResponse:
    """Response as the framework's handlers of exceptions return it."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def to_asgi_response(self, **ignored: Any) -> Response:
        return self._response


def _check_host(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Raise BadRequest if the header `Host` cannot name a host."""
    host = next((value for name, value in headers if name == b"host"), b"")
    if not _HOST.fullmatch(host):
        raise BadRequest


def _refusal(error: Exception) -> FirmographError:
    """Return the refusal of a request for an error of the service or of the framework."""
    if isinstance(error, FirmographError):
        return error
    if isinstance(error, HTTPException) and error.status_code == NotFound.status:
        return NotFound(UNKNOWN_PATH)
    return FirmographError()


def _endpoints_by_path(
    endpoints: Iterable[Endpoint], dispatcher: Dispatcher, threads: RequestThreads
) -> dict[str, _Path]:
    """Return the endpoints of each path. Raises ValueError if two have the same path and method."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in endpoints:
        methods = by_path.setdefault(endpoint.path, {})
        if endpoint.method in methods:
            raise ValueError(f"{endpoint.method} {endpoint.path} is declared twice")
        methods[endpoint.method] = endpoint
    addresses, bodies = AddressLimiter(), BodyBudget()
    return {
        path: _path(
            {
                name: EndpointHandler(one, dispatcher, threads, addresses, bodies)
                for name, one in methods.items()
            }
        )
        for path, methods in by_path.items()
    }


def _path(handlers: Mapping[str, EndpointHandler]) -> _Path:
    allowed = sorted([*handlers, "OPTIONS"])
    first, *others = (each.headers for each in handlers.values())
    shared = [header for header in first if all(header in headers for headers in others)]
    return _Path(handlers, allowed, shared)


def _render_options(path: _Path) -> Response:
    allow = (b"allow", ", ".join(path.allowed).encode())
    return Response(204, [allow, (b"x-request-id", new_request_id().encode()), *path.headers], b"")


def _path_errors(endpoints: Iterable[Endpoint]) -> Sequence[_PathErrors]:
    """Return the paths whose errors differ from the usual ones, longer paths first."""
    paths = {
        each.path: _PathErrors(each.path.partition("/{")[0], each.error_shape, each.all_headers)
        for each in endpoints
        if each.error_shape != "current" or each.successor
    }
    return sorted(paths.values(), key=lambda one: one.path, reverse=True)
