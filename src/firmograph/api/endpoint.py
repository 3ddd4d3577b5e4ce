"""Declaration of endpoints: method, path, request, response and function.

A feature declares its endpoints in one function, which receives the feature's service:

    def routes(service: EnrichmentService) -> list[Endpoint]:
        def search_contacts(call: Call[ContactSearch]) -> bytes:
            return render(service.search_contacts(call.request, call.body))

        return [
            Endpoint(
                name="search_contacts",
                method="POST",
                path="/v3/contacts/search",
                function=search_contacts,
                body=ContactSearch,
                answer=ContactSearchAnswer,
            )
        ]

`api/dispatch.py` dispatches requests to them, `api/openapi.py` documents them.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from firmograph.api.envelope import ErrorShape
from firmograph.api.request import call_key
from firmograph.caller import (
    AccountCaller,
    AnonymousCaller,
    Caller,
    CallKey,
    KeyCaller,
    OperatorKeyCaller,
    Request,
)
from firmograph.follow_up import Followed, FollowUp
from firmograph.kit.errors import FirmographError

B = TypeVar("B")

Headers = Sequence[tuple[bytes, bytes]]
"""ASGI headers: names in lower case, with their values."""


_NO_STORE: Final[Headers] = ((b"cache-control", b"no-store"),)
"""Headers of answers to calls with a key, which caches must not give to others: they do not know its header."""

Authentication = Literal["key", "operator", "none"]
"""Authentication of an endpoint: by an API key, by an operator's key, or none."""


class Admission(Protocol):
    """Decision of the authenticator about one request."""

    @property
    def caller(self) -> KeyCaller | None:
        """The authenticated caller, passed on to the endpoint; after a refusal the one refused, if it is known."""

    @property
    def headers(self) -> Headers:
        """The nine rate limit headers, empty without an authenticated account, as for operators.

        See docs/reference/account.md#rate-limits.
        """

    @property
    def refusal(self) -> FirmographError | None:
        """The refusal 401, 403 or 429; None for an admitted request."""


class Authenticator(Protocol):
    """Authentication and rate limiting of requests."""

    def admit(self, key: str | None, path_window: str | None, /) -> Admission:
        """Admit or refuse one request, and count it towards the rate limits.

        `key` is None when the header was missing, empty or repeated. `path_window` names the endpoint's own rate
        limit window, if it has one.
        """
        ...


class Call(msgspec.Struct, Generic[B], frozen=True):
    """Admitted and decoded request."""

    request_id: str
    """UUID, also returned as `x-request-id`."""
    caller: Caller
    """Caller as returned by the authenticator; anonymous for an endpoint without authentication."""
    body: B
    """Decoded body; None if the endpoint takes none."""
    raw: bytes
    """Body as sent."""
    idempotency_key: str | None
    path: str
    """Path of the endpoint, with the names of its parameters."""
    at: float
    """Time of admission, in seconds since the epoch."""
    scope: Any
    """ASGI scope, for the few endpoints that need more than the decoded request."""
    query: Any = None
    """Decoded query parameters, if the endpoint declares any."""
    segments: Any = None
    """Decoded path parameters, if the endpoint declares any."""

    @property
    def method(self) -> str:
        method: str = self.scope["method"]
        return method

    @property
    def real_path(self) -> str:
        """Path with the values of its parameters, the same for every spelling of one path."""
        return self.path.format(**self.scope["path_params"])

    @property
    def query_string(self) -> bytes:
        """Query as sent."""
        query: bytes = self.scope["query_string"]
        return query

    @property
    def account(self) -> AccountCaller:
        """Caller of an endpoint with authentication by an API key. Raises TypeError for another one."""
        caller = self.caller
        if isinstance(caller, (AnonymousCaller, OperatorKeyCaller)):
            raise TypeError("an endpoint without authentication by an API key has no account")
        return caller

    @property
    def operator(self) -> OperatorKeyCaller:
        """Caller of an endpoint with authentication by an operator's key. Raises TypeError for another one."""
        if not isinstance(self.caller, OperatorKeyCaller):
            raise TypeError("an endpoint without authentication by an operator's key has no operator")
        return self.caller

    @property
    def key(self) -> CallKey | None:
        """`Idempotency-Key` of the call with its path and content, if it has one."""
        if self.idempotency_key is None:
            return None
        target = f"{self.method} {self.real_path}"
        return call_key(target, self.idempotency_key, self.query_string, self.raw)

    @property
    def request(self) -> Request:
        """Request for a service. Raises TypeError for an anonymous caller."""
        return Request(self.request_id, self.account, self.at, self.key)


class Reply(msgspec.Struct, frozen=True):
    """Response with a body other than JSON or a status of its own."""

    body: bytes
    status: int = 200
    media_type: str = "application/json"
    headers: Headers = ()


class FirstAnswer(NamedTuple):
    """Answer that a call with the same `Idempotency-Key` repeats."""

    request_id: str
    credits: int
    """Credits charged with the answer, without those of what followed it."""


class ChargedResponse(msgspec.Struct, frozen=True):
    """JSON response to a charged call."""

    body: bytes
    credits: int
    """Credits charged by this call; 0 when it repeats the response of an earlier one."""
    follow_up: FollowUp | Followed | None = None
    """What follows it, or has followed the answer that it repeats; only for a body in the envelope
    (`envelope.render_answer`)."""
    first: FirstAnswer | None = None
    """The answer that it repeats."""


class Deferred(msgspec.Struct, frozen=True):
    """Response computed in a worker thread; it may result in a Deferred or an AsyncResponse again."""

    run: "Callable[[], EndpointResult]"
    writes: bool = True
    """Whether it may wait for the database writer; reads have a thread pool of their own."""


class AsyncResponse(msgspec.Struct, frozen=True):
    """Response awaited on the event loop, such as that of a remote service; it may result in a Deferred.

    The awaitable must not block and must limit its own duration.
    """

    run: "Callable[[], Awaitable[EndpointResult]]"


EndpointResult = bytes | msgspec.Struct | Reply | ChargedResponse | Deferred | AsyncResponse

EndpointFunction = Callable[[Call[Any]], EndpointResult]
"""Function of an endpoint: takes a call with the declared body, and returns JSON as bytes, a struct to encode, or a
response above. Raises FirmographError."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Endpoint: one method of one path."""

    name: str
    """Unique name: the operation id and the metrics label `endpoint`."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    """Path, with whole segments as parameters in the form `{id}`."""
    function: EndpointFunction
    authentication: Authentication = "key"
    body: Any = None
    """Strict Struct of the body, or `bytes` for the body as sent; None if no body is read."""
    accepts: Sequence[str] = ("application/json",)
    """Media types of the body."""
    max_body_bytes: int | None = None
    """Its own limit of the body, below that of all endpoints."""
    query: Any = None
    """Strict Struct of the query parameters (`api/parameters.py`); None if none are read."""
    refuses_unknown_query: bool = False
    """Whether a query parameter that `query` does not name is refused; otherwise it is ignored."""
    segments: Any = None
    """Strict Struct of the path parameters; None if there are none."""
    answer: Any = None
    """Struct, or list or map of these or texts, of a successful response; the function may return its JSON as bytes."""
    status: int = 200
    """Status of a success, unless the function returns a Reply; 204 has no body."""
    summary: str = ""
    description: str = ""
    tags: Sequence[str] = ()
    charges: bool = False
    """Whether it accepts an `Idempotency-Key` and may respond 402."""
    changes: bool = False
    """Whether it changes something for nothing, and accepts an `Idempotency-Key`."""
    errors: Sequence[type[FirmographError]] = ()
    """Errors it raises in addition to the refusals common to all endpoints."""
    error_shape: ErrorShape = "current"
    headers: Headers = ()
    """Headers of every response, errors included, in addition to the common ones (`all_headers`)."""
    successor: str = ""
    """Path of the current generation that replaces it, for an endpoint of the legacy generation."""
    window: str | None = None
    """Name of its own rate limit window."""
    address_limit: int | None = None
    """Requests a minute from one client address to an endpoint without authentication (`api/address_limiter.py`)."""
    allow: Callable[[AccountCaller], None] | None = None
    """Check of the caller's plan before the body is decoded; raises Forbidden."""
    in_thread: bool = False
    """Whether every call runs in a worker thread; an endpoint where only some calls wait returns Deferred instead."""
    in_clear: bool = False
    """Whether it is served over plain HTTP in spite of `require_https`."""
    documented: bool = True
    media_type: str = "application/json"
    """Media type of the response, unless the function returns a Reply."""
    examples: Mapping[str, Any] = {}
    """Example request bodies by name, for the documentation."""
    query_example: Mapping[str, Any] = {}
    """Example query, which the documentation fills in where a call needs one."""

    def __post_init__(self) -> None:
        if self.public and (self.repeatable or self.window or self.allow):
            raise ValueError(f"{self.method} {self.path} needs authentication")
        if self.authentication == "operator" and (self.charges or self.window or self.allow):
            raise ValueError(f"{self.method} {self.path} is of no account")
        if self.address_limit is not None and not self.public:
            raise ValueError(f"{self.method} {self.path} is limited by account, not by address")
        if self.refuses_unknown_query and self.query is None:
            raise ValueError(f"{self.method} {self.path} declares no query parameters")

    @property
    def public(self) -> bool:
        """Whether it needs no API key."""
        return self.authentication == "none"

    @property
    def limited(self) -> bool:
        """Whether its responses have the rate limit headers of an account."""
        return self.authentication == "key"

    @property
    def repeatable(self) -> bool:
        """Whether it accepts an `Idempotency-Key`."""
        return self.charges or self.changes

    @property
    def all_headers(self) -> Headers:
        """Headers of every response, errors included."""
        return self.headers if self.public else (*_NO_STORE, *self.headers)
