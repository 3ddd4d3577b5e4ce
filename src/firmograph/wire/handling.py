"""How a request is served, and the order in which it may be refused (decisions B).

Path (404) and method (405) are the router's; `render_unrouted` gives them the usual body. Then, for each
endpoint and in this order: plain HTTP 403 (`wire/transport.py`), key 401, account 403, limits 429, size 413,
content type 415, body 400, and what the service says, credits (402) among it. Every answer carries
`x-request-id` and, once the caller is known, the nine rate limit headers.
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

from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError, MethodNotAllowed, NotFound
from firmograph.kit.whole_numbers import encode
from firmograph.wire.decoding import Decoder
from firmograph.wire.endpoint import Awaited, Call, Charged, Endpoint, Gate, Headers, Later, Reply
from firmograph.wire.envelope import error_body
from firmograph.wire.incoming import (
    SHORT_BYTES,
    Body,
    Disconnected,
    Fields,
    check_media_type,
    drop_short_body,
    idempotency_key,
    read_body,
    read_fields,
)
from firmograph.wire.metrics import Metrics
from firmograph.wire.parameters import Parameters
from firmograph.wire.threads import Threads
from firmograph.wire.transport import ANY, Transport

log = structlog.get_logger("firmograph.wire")

WRITERS = 8
"""Charging calls at once. They wait for nothing but the one writer of the database, and each thread keeps a
connection with a cache of its own."""

READERS = 4
"""Calls at once that read for a while. They are busy all the time, so more would only share the processors."""

CALLERS = 16
"""Calls at once where every one waits for another machine, each over a connection of its thread's."""

WRITERS_OF_ONE = 4
"""Of the callers, those that may charge for one API key at once. They wait for each other anyway, and where a node that
hangs holds the writer of their account, for seconds: they must not take the threads of everybody else meanwhile."""

_JSON = (b"content-type", b"application/json")


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """What serving a request takes, beside the endpoint itself."""

    gate: Gate | None
    """None where every endpoint is public."""
    clock: Clock
    metrics: Metrics
    max_body_bytes: int
    max_body_depth: int
    transport: Transport = ANY
    waits: bool = False
    """Whether the gate asks another machine at each request, so that nothing of it may run on the event loop."""


class Answer:
    """A finished answer, ready to be sent as it is."""

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


def _answer(
    status: int, request_id: str, body: bytes, headers: Headers, media_type: bytes | None = None
) -> Answer:
    rendered = [
        _JSON if media_type is None else (b"content-type", media_type),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", request_id.encode()),
        *headers,
    ]
    return Answer(status, rendered, body)


def _refused(error: FirmographError, request_id: str, headers: Headers) -> Answer:
    own = [(name.encode(), value.encode("latin-1")) for name, value in error.headers().items()]
    return _answer(error.status, request_id, error_body(error), [*headers, *own])


def _answered(
    result: bytes | msgspec.Struct | Reply, status: int, request_id: str, headers: Headers
) -> Answer:
    if isinstance(result, bytes):
        return _answer(status, request_id, result, headers)
    if isinstance(result, Reply):
        media_type = result.media_type.encode()
        return _answer(result.status, request_id, result.body, [*headers, *result.headers], media_type)
    return _answer(status, request_id, encode(result), headers)


class _Pools:
    """The threads that all endpoints share."""

    def __init__(self) -> None:
        self.writers = Threads(WRITERS)
        self.readers = Threads(READERS)
        self.callers = Threads(CALLERS)
        self.of_one = _OfOne()


class _OfOne:
    """Counts the charging calls of each key in the threads of `callers`."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, key: str) -> Iterator[bool]:
        """Whether there is a place for one more; it is taken as long as the block runs."""
        with self._lock:
            free = self._running[key] < WRITERS_OF_ONE
            self._running[key] += free
        try:
            yield free
        finally:
            with self._lock:
                self._running[key] -= free
                if not self._running[key]:
                    del self._running[key]


class _Said:
    """What is known of an answer before there is one."""

    __slots__ = ("headers",)

    def __init__(self) -> None:
        self.headers: Headers = ()


class _Served:
    """One endpoint behind the door."""

    def __init__(self, endpoint: Endpoint, door: Door, pools: _Pools) -> None:
        self.endpoint = endpoint
        self.door = door
        self.pools = pools
        self.in_one_thread = door.waits and not endpoint.public
        decoder = Decoder(endpoint.body, max_depth=door.max_body_depth) if endpoint.body else None
        self.decode = decoder.decode if decoder else None
        self.query = Parameters(endpoint.query).of_query if endpoint.query else None
        self.segments = Parameters(endpoint.segments).of_path if endpoint.segments else None

    async def serve(self, request: Request[Any, Any, Any]) -> ASGIApp:
        started = perf_counter()
        request_id = new_request_id()
        answer = await self._serve(request.scope, request.receive, request_id)
        self.door.metrics.answered(self.endpoint.name, answer.status, perf_counter() - started)
        return answer

    async def _serve(self, scope: Any, receive: Any, request_id: str) -> Answer:
        said = _Said()
        try:
            fields = read_fields(scope["headers"])
            if not self.endpoint.in_clear:
                self.door.transport.check(scope, fields)
            serve = self._serve_in_one_thread if self.in_one_thread else self._serve_on_the_loop
            result = await serve(fields, scope, receive, request_id, said)
            if isinstance(result, Charged):
                self.door.metrics.credits.inc(result.credits)
                result = result.body
            return _answered(result, self.endpoint.status, request_id, said.headers)
        except FirmographError as error:
            if error.status >= 500:
                log.warning(
                    "refused", endpoint=self.endpoint.name, status=error.status, request_id=request_id
                )
            return _refused(error, request_id, said.headers)
        except Disconnected:
            return _answer(499, request_id, b"", ())
        except Exception:
            log.exception("failed", endpoint=self.endpoint.name, request_id=request_id)
            return _refused(FirmographError(), request_id, said.headers)

    async def _serve_on_the_loop(
        self, fields: Fields, scope: Any, receive: Any, request_id: str, said: _Said
    ) -> Any:
        """Where the key and short answers take microseconds; only what has to wait goes into a thread."""
        try:
            caller = self._admit(fields, said)
        except FirmographError:
            if self.decode is not None:
                await drop_short_body(receive, fields.content_length)
            raise
        raw = await self._body(fields, receive)
        call = self._call(fields, scope, request_id, caller, raw)
        if self.endpoint.in_thread:
            return await self._finished(Later(lambda: self.endpoint.function(call)))
        return await self._finished(self.endpoint.function(call))

    async def _serve_in_one_thread(
        self, fields: Fields, scope: Any, receive: Any, request_id: str, said: _Said
    ) -> Any:
        """Where the key is asked of another machine: all of it in one thread, for changing over takes time too.

        Only what would wait behind several charging calls of the same key waits elsewhere. A short body is read first,
        and what is wrong with it said only after the key is known to be right; a longer one waits for the key.
        """
        body = Body(receive, fields.content_length, self.door.max_body_bytes)
        body.whole = self.decode is None
        refusal = None
        try:
            await body.read(SHORT_BYTES)
        except FirmographError as error:
            refusal = error

        def admit() -> Any:
            return self._admit(fields, said)

        def answer(caller: Any) -> Any:
            if refusal is not None:
                raise refusal
            call = self._call(fields, scope, request_id, caller, body.content())
            result = self.endpoint.function(call)
            while isinstance(result, Later) and not result.writes:
                result = result.run()
            if not isinstance(result, Later):
                return result
            with self.pools.of_one.place(fields.key() or "") as free:
                return result.run() if free else result

        run = self.pools.callers.run
        if refusal is not None or body.whole:
            return await self._finished(await run(lambda: answer(admit())))
        caller = await run(admit)
        await body.read()
        return await self._finished(await run(lambda: answer(caller)))

    async def _finished(self, result: Any) -> Any:
        """What an answer that takes its time turns out to be."""
        while isinstance(result, (Later, Awaited)):
            if isinstance(result, Awaited):
                result = await result.run()
            else:
                result = await (self.pools.writers if result.writes else self.pools.readers).run(result.run)
        return result

    def _admit(self, fields: Fields, said: _Said) -> Any:
        """The caller; None where no key is asked for. Raises the gate's refusal, or the endpoint's own."""
        if self.endpoint.public:
            return None
        if self.door.gate is None:
            raise RuntimeError("an endpoint that asks for a key, and nobody who knows keys")
        admission = self.door.gate.admit(fields.key(), self.endpoint.window)
        said.headers = admission.headers
        if admission.refusal is not None:
            raise admission.refusal
        if self.endpoint.allow is not None:
            self.endpoint.allow(admission.caller)
        return admission.caller

    async def _body(self, fields: Fields, receive: Any) -> bytes:
        if self.decode is None:
            return b""
        return await read_body(receive, fields.content_length, self.door.max_body_bytes)

    def _call(self, fields: Fields, scope: Any, request_id: str, caller: Any, raw: bytes) -> Call[Any]:
        body = None
        if self.decode is not None:
            check_media_type(fields)
            body = self.decode(raw)
        segments = self.segments(scope["path_params"]) if self.segments else None
        query = self.query(scope["query_string"]) if self.query else None
        key = idempotency_key(fields) if self.endpoint.charges else None
        at = self.door.clock.seconds()
        return Call(request_id, caller, body, raw, key, self.endpoint.path, at, scope, query, segments)


def handlers(endpoints: Iterable[Endpoint], door: Door) -> list[HTTPRouteHandler]:
    """The route handlers of all endpoints: one for each path, for what the framework finds out of each takes time."""
    paths: dict[str, dict[str, _Served]] = {}
    pools = _Pools()
    for endpoint in endpoints:
        methods = paths.setdefault(endpoint.path, {})
        if endpoint.method in methods:
            raise ValueError(f"{endpoint.method} {endpoint.path} is served twice")
        methods[endpoint.method] = _Served(endpoint, door, pools)
    return [_handler(path, methods) for path, methods in paths.items()]


def _handler(path: str, served: Mapping[str, _Served]) -> HTTPRouteHandler:
    allowed = sorted([*served, "OPTIONS"])
    allow = ", ".join(allowed).encode()

    async def handle(request: Request[Any, Any, Any]) -> ASGIApp:
        one = served.get(request.scope["method"])
        if one is not None:
            return await one.serve(request)
        return Answer(204, [(b"allow", allow), (b"x-request-id", new_request_id().encode())], b"")

    methods = [HttpMethod(method) for method in allowed]
    return HTTPRouteHandler(_routed(path), http_method=methods, name=path, status_code=200)(handle)


def _routed(path: str) -> str:
    """A path as the framework has it: its parameters are texts."""
    return re.sub(r"\{(\w+)\}", r"{\1:str}", path)


class _Rendered:
    """An Answer in the form in which Litestar takes what an exception handler returns."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def to_asgi_response(self, **ignored: Any) -> Answer:
        return self._answer


def render_unrouted(metrics: Metrics, request: Request[Any, Any, Any], error: Exception) -> Any:
    """The answer to what never reached an endpoint: unknown paths, wrong methods, broken requests."""
    request_id = new_request_id()
    refusal = _unrouted(error)
    if refusal.status >= 500:
        log.error("failed", request_id=request_id, exc_info=error)
    metrics.answered("none", refusal.status, 0.0)
    return _Rendered(_refused(refusal, request_id, ()))


def _unrouted(error: Exception) -> FirmographError:
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


def error_handlers(metrics: Metrics) -> dict[int | type[Exception], Any]:
    """The application's handler table."""
    render = partial(render_unrouted, metrics)
    return {404: render, 405: render, HTTPException: render, Exception: render}
