"""Dispatch of requests to endpoints, with a fixed order of refusals (docs/reference/errors.md#order-of-refusals).

The router refuses unknown paths (404) and methods (405); `render_error_without_route` gives these responses the usual
body. Each endpoint then refuses in this order: plain HTTP 403 (`api/https_policy.py`), key 401, account 403, limits
429, size 413, content type 415, body 400, and last the errors of the service itself, such as too few credits (402).
Every response carries `x-request-id` and, once the caller is known, the nine rate limit headers.
"""

import re
import threading
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import msgspec
import structlog
from litestar import Request
from litestar.enums import HttpMethod
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from firmograph.api.body_decoder import Decoder
from firmograph.api.endpoint import (
    AsyncResponse,
    Authenticator,
    Call,
    ChargedResponse,
    Deferred,
    Endpoint,
    Headers,
    Reply,
)
from firmograph.api.envelope import error_body
from firmograph.api.https_policy import NO_POLICY, HttpsPolicy
from firmograph.api.metrics import Metrics
from firmograph.api.parameters import ParameterDecoder
from firmograph.api.request import (
    SHORT_BYTES,
    Disconnected,
    RequestBody,
    RequestHeaders,
    check_media_type,
    drop_short_body,
    read_body,
    read_idempotency_key,
    read_request_headers,
)
from firmograph.api.thread_pool import ThreadPool
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError, MethodNotAllowed, NotFound
from firmograph.kit.whole_numbers import encode

log = structlog.get_logger("firmograph.api")

WRITER_THREADS = 8
"""Concurrent charging calls. They wait only for the single database writer; each thread holds a connection and its
cache."""

READER_THREADS = 4
"""Concurrent long reads. They are bound by the processors, so more threads would not make them faster."""

CALLER_THREADS = 16
"""Concurrent calls when each request waits for another machine, over the connection of its thread."""

WRITERS_PER_KEY = 4
"""Maximum of the caller threads that charge for one API key. Charges of one account wait for each other anyway, for
seconds if a hanging node holds the account's writer; they must not occupy the threads of all other accounts."""

_JSON = (b"content-type", b"application/json")


class Dispatcher(msgspec.Struct, frozen=True, kw_only=True):
    """Dependencies and limits shared by the handlers of all endpoints."""

    authenticator: Authenticator | None
    """None if every endpoint is public."""
    clock: Clock
    metrics: Metrics
    max_body_bytes: int
    max_body_depth: int
    https_policy: HttpsPolicy = NO_POLICY
    authenticates_remotely: bool = False
    """Whether authentication calls another machine, and must therefore run outside the event loop."""


class Response:
    """Complete ASGI response."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    async def __call__(self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def new_request_id() -> str:
    return str(uuid.uuid4())


def _response(
    status: int, request_id: str, body: bytes, headers: Headers, media_type: bytes | None = None
) -> Response:
    rendered = [
        _JSON if media_type is None else (b"content-type", media_type),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", request_id.encode()),
        *headers,
    ]
    return Response(status, rendered, body)


def _error_response(error: FirmographError, request_id: str, headers: Headers) -> Response:
    own = [(name.encode(), value.encode("latin-1")) for name, value in error.headers().items()]
    return _response(error.status, request_id, error_body(error), [*headers, *own])


def _success_response(
    result: bytes | msgspec.Struct | Reply, status: int, request_id: str, headers: Headers
) -> Response:
    if isinstance(result, bytes):
        return _response(status, request_id, result, headers)
    if isinstance(result, Reply):
        media_type = result.media_type.encode()
        return _response(result.status, request_id, result.body, [*headers, *result.headers], media_type)
    return _response(status, request_id, encode(result), headers)


class _ThreadPools:
    """Thread pools shared by all endpoints."""

    def __init__(self) -> None:
        self.writers = ThreadPool(WRITER_THREADS)
        self.readers = ThreadPool(READER_THREADS)
        self.callers = ThreadPool(CALLER_THREADS)
        self.writers_per_key = _WritersPerKey()


class _WritersPerKey:
    """Counter of running charging calls per API key in the pool `callers`."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def reserve(self, key: str) -> Iterator[bool]:
        """Reserve a place for the duration of the block; yield False when the key has used up its places."""
        with self._lock:
            available = self._running[key] < WRITERS_PER_KEY
            self._running[key] += available
        try:
            yield available
        finally:
            with self._lock:
                self._running[key] -= available
                if not self._running[key]:
                    del self._running[key]


class _ResponseHeaders:
    """Response headers collected before there is a response."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: Headers = ()


class _EndpointHandler:
    """Handler of the requests to one endpoint."""

    def __init__(self, endpoint: Endpoint, dispatcher: Dispatcher, pools: _ThreadPools) -> None:
        self.endpoint = endpoint
        self.dispatcher = dispatcher
        self.pools = pools
        self.in_single_thread = dispatcher.authenticates_remotely and not endpoint.public
        decoder = Decoder(endpoint.body, max_depth=dispatcher.max_body_depth) if endpoint.body else None
        self.decode = decoder.decode if decoder else None
        self.query = ParameterDecoder(endpoint.query).decode_query if endpoint.query else None
        self.segments = ParameterDecoder(endpoint.segments).decode_path if endpoint.segments else None

    async def serve(self, request: Request[Any, Any, Any]) -> ASGIApp:
        started = perf_counter()
        request_id = new_request_id()
        response = await self._serve(request.scope, request.receive, request_id)
        self.dispatcher.metrics.count_response(self.endpoint.name, response.status, perf_counter() - started)
        return response

    async def _serve(self, scope: Any, receive: Any, request_id: str) -> Response:
        response_headers = _ResponseHeaders()
        try:
            headers = read_request_headers(scope["headers"])
            if not self.endpoint.in_clear:
                self.dispatcher.https_policy.check(scope, headers)
            serve = self._serve_in_single_thread if self.in_single_thread else self._serve_on_event_loop
            result = await serve(headers, scope, receive, request_id, response_headers)
            if isinstance(result, ChargedResponse):
                self.dispatcher.metrics.credits.inc(result.credits)
                result = result.body
            return _success_response(result, self.endpoint.status, request_id, response_headers.values)
        except FirmographError as error:
            if error.status >= 500:
                log.warning(
                    "refused", endpoint=self.endpoint.name, status=error.status, request_id=request_id
                )
            return _error_response(error, request_id, response_headers.values)
        except Disconnected:
            return _response(499, request_id, b"", ())
        except Exception:
            log.exception("failed", endpoint=self.endpoint.name, request_id=request_id)
            return _error_response(FirmographError(), request_id, response_headers.values)

    async def _serve_on_event_loop(
        self,
        headers: RequestHeaders,
        scope: Any,
        receive: Any,
        request_id: str,
        response_headers: _ResponseHeaders,
    ) -> Any:
        """Serve on the event loop: authentication and short responses take microseconds, the rest is deferred."""
        try:
            caller = self._admit(headers, response_headers)
        except FirmographError:
            if self.decode is not None:
                await drop_short_body(receive, headers.content_length)
            raise
        raw = await self._body(headers, receive)
        call = self._call(headers, scope, request_id, caller, raw)
        if self.endpoint.in_thread:
            return await self._resolve(Deferred(lambda: self.endpoint.function(call)))
        return await self._resolve(self.endpoint.function(call))

    async def _serve_in_single_thread(
        self,
        headers: RequestHeaders,
        scope: Any,
        receive: Any,
        request_id: str,
        response_headers: _ResponseHeaders,
    ) -> Any:
        """Serve in a single thread, as authentication calls another machine and each thread switch costs time.

        Only a call that would wait behind several charging calls of the same key moves to the writer pool. A short body
        is read before authentication, its errors are raised after it; a longer body is read after authentication.
        """
        body = RequestBody(receive, headers.content_length, self.dispatcher.max_body_bytes)
        body.complete = self.decode is None
        refusal = None
        try:
            await body.read(SHORT_BYTES)
        except FirmographError as error:
            refusal = error

        def admit() -> Any:
            return self._admit(headers, response_headers)

        def respond(caller: Any) -> Any:
            if refusal is not None:
                raise refusal
            call = self._call(headers, scope, request_id, caller, body.content())
            result = self.endpoint.function(call)
            while isinstance(result, Deferred) and not result.writes:
                result = result.run()
            if not isinstance(result, Deferred):
                return result
            with self.pools.writers_per_key.reserve(headers.single_api_key() or "") as available:
                return result.run() if available else result

        run = self.pools.callers.run
        if refusal is not None or body.complete:
            return await self._resolve(await run(lambda: respond(admit())))
        caller = await run(admit)
        await body.read()
        return await self._resolve(await run(lambda: respond(caller)))

    async def _resolve(self, result: Any) -> Any:
        """Run deferred and asynchronous responses until there is a final one."""
        while isinstance(result, (Deferred, AsyncResponse)):
            if isinstance(result, AsyncResponse):
                result = await result.run()
            else:
                result = await (self.pools.writers if result.writes else self.pools.readers).run(result.run)
        return result

    def _admit(self, headers: RequestHeaders, response_headers: _ResponseHeaders) -> Any:
        """Authenticate the request and return the caller, None for a public endpoint.

        Raises the refusal of the authenticator or of the endpoint's `allow`.
        """
        if self.endpoint.public:
            return None
        if self.dispatcher.authenticator is None:
            raise RuntimeError("endpoint requires authentication but no authenticator is configured")
        admission = self.dispatcher.authenticator.admit(headers.single_api_key(), self.endpoint.window)
        response_headers.values = admission.headers
        if admission.refusal is not None:
            raise admission.refusal
        if self.endpoint.allow is not None:
            self.endpoint.allow(admission.caller)
        return admission.caller

    async def _body(self, headers: RequestHeaders, receive: Any) -> bytes:
        if self.decode is None:
            return b""
        return await read_body(receive, headers.content_length, self.dispatcher.max_body_bytes)

    def _call(
        self, headers: RequestHeaders, scope: Any, request_id: str, caller: Any, raw: bytes
    ) -> Call[Any]:
        body = None
        if self.decode is not None:
            check_media_type(headers)
            body = self.decode(raw)
        segments = self.segments(scope["path_params"]) if self.segments else None
        query = self.query(scope["query_string"]) if self.query else None
        key = read_idempotency_key(headers) if self.endpoint.charges else None
        at = self.dispatcher.clock.seconds()
        return Call(request_id, caller, body, raw, key, self.endpoint.path, at, scope, query, segments)


def route_handlers(endpoints: Iterable[Endpoint], dispatcher: Dispatcher) -> list[HTTPRouteHandler]:
    """Return one route handler per path; the framework analyses each handler at startup, so few handlers start fast."""
    paths: dict[str, dict[str, _EndpointHandler]] = {}
    pools = _ThreadPools()
    for endpoint in endpoints:
        methods = paths.setdefault(endpoint.path, {})
        if endpoint.method in methods:
            raise ValueError(f"{endpoint.method} {endpoint.path} is declared twice")
        methods[endpoint.method] = _EndpointHandler(endpoint, dispatcher, pools)
    return [_route_handler(path, methods) for path, methods in paths.items()]


def _route_handler(path: str, handlers: Mapping[str, _EndpointHandler]) -> HTTPRouteHandler:
    allowed = sorted([*handlers, "OPTIONS"])
    allow = ", ".join(allowed).encode()

    async def handle(request: Request[Any, Any, Any]) -> ASGIApp:
        one = handlers.get(request.scope["method"])
        if one is not None:
            return await one.serve(request)
        return Response(204, [(b"allow", allow), (b"x-request-id", new_request_id().encode())], b"")

    methods = [HttpMethod(method) for method in allowed]
    return HTTPRouteHandler(_litestar_path(path), http_method=methods, name=path, status_code=200)(handle)


def _litestar_path(path: str) -> str:
    """Return the path in Litestar's notation, with string parameters."""
    return re.sub(r"\{(\w+)\}", r"{\1:str}", path)


class _RenderedResponse:
    """Wrapper that lets a Litestar exception handler return a Response."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def to_asgi_response(self, **ignored: Any) -> Response:
        return self._response


def render_error_without_route(metrics: Metrics, request: Request[Any, Any, Any], error: Exception) -> Any:
    """Respond to a request that reached no endpoint: unknown path, wrong method, malformed request."""
    request_id = new_request_id()
    refusal = _error_without_route(error)
    if refusal.status >= 500:
        log.error("failed", request_id=request_id, exc_info=error)
    metrics.count_response("none", refusal.status, 0.0)
    return _RenderedResponse(_error_response(refusal, request_id, ()))


def _error_without_route(error: Exception) -> FirmographError:
    if isinstance(error, FirmographError):
        return error
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return NotFound("There is no such path; the API is described at /docs")
    if status == 405 and isinstance(error, HTTPException):
        return MethodNotAllowed([name.strip() for name in (error.headers or {}).get("allow", "").split(",")])
    refusal = FirmographError("Bad request" if status < 500 else None)
    refusal.status = status
    return refusal


def exception_handlers(metrics: Metrics) -> dict[int | type[Exception], Any]:
    """Return the application's exception handlers by status and type."""
    render = partial(render_error_without_route, metrics)
    return {404: render, 405: render, HTTPException: render, Exception: render}
