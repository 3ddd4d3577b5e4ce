"""Dispatch of requests to endpoints, with a fixed order of refusals (docs/reference/errors.md#order-of-refusals).

The application (`api/application.py`) refuses unknown paths (404) and methods (405). Each endpoint then refuses in this
order: plain HTTP 403 (`api/https_policy.py`), key 401, account 403, limits 429, size 413, content type 415, body 400,
and last the errors of the service itself, such as too few credits (402). Every response carries `x-request-id` and,
once the caller is known, the nine rate limit headers; those of a charging endpoint say in `x-credits-charged` what was
charged.
"""

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any, Final

import msgspec
import structlog

from firmograph.api.address_limiter import AddressLimiter
from firmograph.api.body_budget import BodyBudget
from firmograph.api.endpoint import (
    AsyncResponse,
    Authenticator,
    Call,
    ChargedResponse,
    Deferred,
    Endpoint,
    Headers,
)
from firmograph.api.envelope import add_followed
from firmograph.api.https_policy import NO_POLICY, HttpsPolicy
from firmograph.api.metrics import Metrics
from firmograph.api.parameters import ParameterDecoder
from firmograph.api.request import (
    Disconnected,
    MediaTypes,
    RequestBody,
    RequestHeaders,
    drop_short_body,
    read_idempotency_key,
    read_request_headers,
)
from firmograph.api.response import (
    Response,
    new_request_id,
    render_error,
    render_response,
    render_success,
)
from firmograph.api.thread_pool import RequestThreads
from firmograph.caller import AccountCaller, AnonymousCaller, Caller, OperatorKeyCaller
from firmograph.follow_up import Followed, FollowUp
from firmograph.kit.body_decoder import Decoder
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Busy, DatabaseLost, FirmographError, Unauthorized, Unavailable

log = structlog.get_logger("firmograph.api")


_CREDITS_CHARGED: Final = b"x-credits-charged"
_NOTHING_CHARGED: Final[Headers] = ((_CREDITS_CHARGED, b"0"),)


def _charges_nothing(error: FirmographError) -> bool:
    """Return whether a refused call has certainly charged nothing; a database lost at a commit may have kept it."""
    return error.status != 500 and not isinstance(error, Unavailable)


class Dispatcher(msgspec.Struct, frozen=True, kw_only=True):
    """Dependencies and limits shared by the handlers of all endpoints."""

    authenticator: Authenticator | None
    """None if no endpoint needs an API key."""
    clock: Clock
    metrics: Metrics
    max_body_bytes: int
    max_body_depth: int
    https_policy: HttpsPolicy = NO_POLICY
    count_request: Callable[[AccountCaller, str, bool], None] = lambda caller, operation, is_error: None
    """Called with the account that asked, the name of the endpoint, and whether the answer is an error."""
    operator_authenticator: Authenticator | None = None
    """None if no endpoint needs an operator's key."""
    authenticates_remotely: bool = False
    """Whether authentication calls another machine, and must therefore run outside the event loop."""


class _Known:
    """What is known of a request before there is a response."""

    __slots__ = ("caller", "headers")

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        """Headers of the response."""
        self.caller: AccountCaller | None = None
        """Account that asks, admitted or refused."""


class EndpointHandler:
    """Handler of the requests to one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        dispatcher: Dispatcher,
        pools: RequestThreads,
        addresses: AddressLimiter,
        bodies: BodyBudget,
    ) -> None:
        self.endpoint = endpoint
        self.dispatcher = dispatcher
        self.pools = pools
        self.addresses = addresses
        self.bodies = bodies
        self.headers = endpoint.all_headers
        self.public = endpoint.public
        self.by_operator = endpoint.authentication == "operator"
        self.authenticator = (
            dispatcher.operator_authenticator if self.by_operator else dispatcher.authenticator
        )
        self.in_single_thread = dispatcher.authenticates_remotely and not endpoint.public
        self.decode = _body_decoder(endpoint.body, dispatcher.max_body_depth)
        self.media_types = MediaTypes(endpoint.accepts)
        self.max_body_bytes = min(
            endpoint.max_body_bytes or dispatcher.max_body_bytes, dispatcher.max_body_bytes
        )
        self.content_type = (b"content-type", endpoint.media_type.encode())
        self.query = _query_decoder(endpoint)
        self.segments = ParameterDecoder(endpoint.segments).decode_path if endpoint.segments else None

    async def serve(self, scope: Any, receive: Any) -> Response:
        """Return the response to a request, whose path parameters are `path_params` of the scope."""
        started = perf_counter()
        request_id = new_request_id()
        known = _Known(self.headers)
        response = await self._serve(scope, receive, request_id, known)
        self.dispatcher.metrics.count_response(self.endpoint.name, response.status, perf_counter() - started)
        if known.caller is not None:
            self.dispatcher.count_request(known.caller, self.endpoint.name, response.status >= 400)
        return response

    async def _serve(self, scope: Any, receive: Any, request_id: str, known: _Known) -> Response:
        try:
            headers = read_request_headers(scope["headers"])
            if not self.endpoint.in_clear:
                self.dispatcher.https_policy.check(scope, headers)
            serve = self._serve_in_single_thread if self.in_single_thread else self._serve_on_event_loop
            result = await serve(headers, scope, receive, request_id, known)
            own: Headers = _NOTHING_CHARGED if self.endpoint.charges else ()
            if isinstance(result, ChargedResponse):
                result, own = await self._finish(result)
            all_headers = [*known.headers, *own] if own else known.headers
            return render_success(result, self.endpoint.status, request_id, all_headers, self.content_type)
        except FirmographError as error:
            if error.status >= 500 and not isinstance(error, DatabaseLost):
                log.warning(
                    "refused", endpoint=self.endpoint.name, status=error.status, request_id=request_id
                )
            all_headers = known.headers
            if self.endpoint.charges and _charges_nothing(error):
                all_headers = [*all_headers, *_NOTHING_CHARGED]
            return render_error(error, request_id, all_headers, self.endpoint.error_shape)
        except Disconnected:
            return render_response(499, request_id, b"", ())
        except Exception:
            log.exception("failed", endpoint=self.endpoint.name, request_id=request_id)
            return render_error(FirmographError(), request_id, known.headers, self.endpoint.error_shape)

    async def _serve_on_event_loop(
        self,
        headers: RequestHeaders,
        scope: Any,
        receive: Any,
        request_id: str,
        known: _Known,
    ) -> Any:
        """Serve on the event loop: authentication and short responses take microseconds, the rest is deferred."""
        try:
            caller = self._admit(headers, scope, known)
        except FirmographError:
            await self._drop_short_body(headers, receive)
            raise
        raw = await self._body(headers, receive, caller)
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
        known: _Known,
    ) -> Any:
        """Serve in a single thread, as authentication calls another machine and each thread switch costs time.

        Only a call that would wait behind several charging calls of the same key moves to the writer pool. A body that
        is known to be short is read before authentication, its errors are raised after it; others are read after it.
        """
        body = RequestBody(receive, headers.content_length, self.max_body_bytes)
        body.complete = self.decode is None and not headers.has_body()
        refusal = None
        try:
            if body.is_short():
                await body.read()
        except FirmographError as error:
            refusal = error

        def admit() -> Caller:
            return self._admit(headers, scope, known)

        def respond(caller: Caller) -> Any:
            if refusal is not None:
                raise refusal
            raw = b"" if self.decode is None else body.content()
            call = self._call(headers, scope, request_id, caller, raw)
            result = self.endpoint.function(call)
            while isinstance(result, Deferred) and not result.writes:
                result = result.run()
            if not isinstance(result, Deferred):
                return result
            with self.pools.writers_per_key.reserve(self._key(headers) or "") as available:
                return result.run() if available else result

        run = self.pools.callers.run
        if refusal is not None or body.complete:
            return await self._resolve(await run(lambda: respond(admit())))
        try:
            caller = await run(admit)
        except FirmographError:
            await self._drop_short_body(headers, receive)
            raise
        await body.read_within(self.bodies, _body_owner(caller))
        return await self._resolve(await run(lambda: respond(caller)))

    async def _resolve(self, result: Any) -> Any:
        """Run deferred and asynchronous responses until there is a final one."""
        while isinstance(result, (Deferred, AsyncResponse)):
            if isinstance(result, AsyncResponse):
                result = await result.run()
            else:
                result = await (self.pools.writers if result.writes else self.pools.readers).run(result.run)
        return result

    async def _finish(self, response: ChargedResponse) -> tuple[bytes, Headers]:
        """Return the body of a charged call, with what followed it, and the headers that it adds.

        The response is charged and committed.
        """
        self.dispatcher.metrics.credits.inc(response.credits)
        body, first = response.body, response.first
        credits = response.credits if first is None else first.credits
        if response.follow_up is not None:
            followed = await self._follow(response.follow_up)
            credits += followed.credits
            body = add_followed(body, followed)
        headers = [(_CREDITS_CHARGED, b"%d" % credits)] if self.endpoint.charges else []
        if first is not None:
            headers.append((b"x-original-request-id", first.request_id.encode()))
        return body, headers

    async def _follow(self, follow_up: FollowUp | Followed) -> Followed:
        """Do what follows an answer, unless it was done with an earlier one; return what it did."""
        if isinstance(follow_up, Followed):
            return follow_up
        pool, name = self.pools.writers, self.endpoint.name
        try:
            followed = await pool.run(lambda: follow_up.run(name))
        except Busy as error:
            followed = refused = follow_up.refuse(name, error)
            with suppress(Busy):
                followed = await pool.run(lambda: follow_up.keep(refused))
        self.dispatcher.metrics.credits.inc(followed.credits)
        return followed

    def _admit(self, headers: RequestHeaders, scope: Any, known: _Known) -> Caller:
        """Authenticate the request and return the caller.

        Raises the refusal of the authenticator, of the limit by address, or of the endpoint's `allow`.
        """
        if self.public:
            return self._admit_anonymous(scope)
        if self.authenticator is None:
            raise RuntimeError("endpoint requires authentication but no authenticator is configured")
        admission = self.authenticator.admit(self._key(headers), self.endpoint.window)
        fixed, caller = self.headers, admission.caller
        known.headers = [*fixed, *admission.headers] if fixed else admission.headers
        account = None if isinstance(caller, OperatorKeyCaller) else caller
        known.caller = account
        if admission.refusal is not None or caller is None:
            raise admission.refusal or Unauthorized()
        if self.endpoint.allow is not None and account is not None:
            self.endpoint.allow(account)
        return caller

    def _key(self, headers: RequestHeaders) -> str | None:
        return headers.single_operator_key() if self.by_operator else headers.single_api_key()

    def _admit_anonymous(self, scope: Any) -> AnonymousCaller:
        caller = AnonymousCaller(self.dispatcher.https_policy.proxies.client(scope).address)
        if self.endpoint.address_limit is not None:
            now = self.dispatcher.clock.seconds()
            self.addresses.take(self.endpoint.name, caller.address, self.endpoint.address_limit, now)
        return caller

    async def _body(self, headers: RequestHeaders, receive: Any, caller: Caller) -> bytes:
        """Return the body; one that the endpoint does not take is bounded all the same, and ignored."""
        if self.decode is None and not headers.has_body():
            return b""
        body = RequestBody(receive, headers.content_length, self.max_body_bytes)
        await body.read_within(self.bodies, _body_owner(caller))
        return body.content() if self.decode is not None else b""

    async def _drop_short_body(self, headers: RequestHeaders, receive: Any) -> None:
        if self.decode is not None:
            await drop_short_body(receive, headers.content_length)

    def _call(
        self, headers: RequestHeaders, scope: Any, request_id: str, caller: Caller, raw: bytes
    ) -> Call[Any]:
        body = None
        if self.decode is not None:
            self.media_types.check(headers)
            body = self.decode(raw)
        segments = self.segments(scope["path_params"]) if self.segments else None
        query = self.query(scope["query_string"]) if self.query else None
        key = read_idempotency_key(headers) if self.endpoint.repeatable else None
        at = self.dispatcher.clock.seconds()
        return Call(request_id, caller, body, raw, key, self.endpoint.path, at, scope, query, segments)


def _body_owner(caller: Caller) -> object:
    """Return whose memory a body takes: an account's, or without a key that of all callers at one address."""
    return caller.account_id if isinstance(caller, AccountCaller) else caller


def _body_decoder(kind: Any, max_depth: int) -> Callable[[bytes], Any] | None:
    """Return the decoder of bodies of a type; bytes stay as sent."""
    if kind is None:
        return None
    return bytes if kind is bytes else Decoder(kind, max_depth=max_depth).decode


def _query_decoder(endpoint: Endpoint) -> Callable[[bytes], Any] | None:
    if endpoint.query is None:
        return None
    return ParameterDecoder(endpoint.query, refuses_unknown=endpoint.refuses_unknown_query).decode_query
