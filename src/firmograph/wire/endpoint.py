"""What an endpoint is: its place, its body and answer, and the function that answers.

A feature declares its endpoints in one function, which gets the feature's service:

    def routes(service: EnrichmentService) -> list[Endpoint]:
        @endpoint("POST", "/v3/contacts/search", body=ContactSearch, answer=ContactSearchAnswer)
        def search_contacts(call: Call[ContactSearch]) -> bytes:
            return service.search_contacts(call.caller, call.body, ...)

        return [search_contacts]

`wire/handling.py` serves them, `wire/openapi.py` describes them.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec

from firmograph.kit.errors import FirmographError

B = TypeVar("B")

Headers = Sequence[tuple[bytes, bytes]]
"""Header names in lower case, with their values, as ASGI has them."""


class Admission(Protocol):
    """What the gate says of one request."""

    @property
    def caller(self) -> Any:
        """Who calls; wire only hands it on. Undefined when refused."""

    @property
    def headers(self) -> Headers:
        """The nine rate limit headers (specification 8), empty when nobody was authenticated."""

    @property
    def refusal(self) -> FirmographError | None:
        """401, 403 or 429; None to let the request in."""


class Gate(Protocol):
    """Authenticates and limits: the first three refusals that an endpoint can meet (decisions B)."""

    def admit(self, api_key: str | None, path_window: str | None) -> Admission:
        """Judge and count one request.

        `api_key` is None when the header was missing, empty or repeated. `path_window` names the limit of its
        own that the endpoint has, if any.
        """
        ...


class Call(msgspec.Struct, Generic[B], frozen=True):
    """One admitted request, decoded."""

    request_id: str
    """UUID, also answered as `x-request-id`."""
    caller: Any
    """What the gate made of the API key; None on public endpoints."""
    body: B
    """None where the endpoint takes no body."""
    raw: bytes
    """The body as it was sent."""
    idempotency_key: str | None
    path: str
    at: float
    """Seconds since the epoch, when the request was admitted."""
    scope: Any
    """The ASGI scope, for the few pages that need more than the above."""
    query: Any = None
    """The decoded query parameters, where the endpoint declares some."""
    segments: Any = None
    """The decoded parameters of the path, where it has some."""


class Reply(msgspec.Struct, frozen=True):
    """An answer that is not JSON, or not a 200."""

    body: bytes
    status: int = 200
    media_type: str = "application/json"
    headers: Headers = ()


class Charged(msgspec.Struct, frozen=True):
    """JSON that was paid for."""

    body: bytes
    credits: int
    """What this call charged: nothing when it repeats the answer to an earlier one."""


class Later(msgspec.Struct, frozen=True):
    """An answer that takes its time, so a worker thread works it out; it may turn out to be a Later or an Awaited."""

    run: "Callable[[], Answer]"
    writes: bool = True
    """Whether it may wait for the database's writer; what only reads never stands behind those that do."""


class Awaited(msgspec.Struct, frozen=True):
    """An answer that waits for somebody else, on the event loop, so that no thread does; it may turn out to be a Later.

    What is awaited must not block, and bounds by itself how long it waits.
    """

    run: "Callable[[], Awaitable[Answer]]"


Answer = bytes | msgspec.Struct | Reply | Charged | Later | Awaited

Answering = Callable[[Call[B]], Answer]
"""Answers JSON as bytes, a struct to be encoded, or one of the above; raises FirmographError to refuse."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    """With a parameter as `{id}`, each a whole segment."""
    function: Callable[[Call[Any]], Answer]
    body: Any = None
    """A strict Struct, or None when no body is read."""
    query: Any = None
    """A strict Struct of texts and whole numbers, the query parameters; others are ignored. None when none are read."""
    segments: Any = None
    """The same of the parameters of the path. None when it has none."""
    answer: Any = None
    """The Struct, or the list of one, that describes a success; the function may answer its JSON as bytes."""
    status: int = 200
    """Of a success, unless the function gives a Reply."""
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    charges: bool = False
    """Takes an `Idempotency-Key` and may answer 402."""
    errors: tuple[type[FirmographError], ...] = ()
    """What it raises beside the refusals that every endpoint has."""
    window: str | None = None
    allow: Callable[[Any], None] | None = None
    """Raises Forbidden for a caller whose plan does not have it, before the body is looked at (decisions B)."""
    in_thread: bool = False
    """Run in a worker thread; where only some calls may wait, they answer Later instead."""
    public: bool = False
    """Needs no key, and has no limits."""
    in_clear: bool = False
    """Answered over plain HTTP from anywhere, whatever `require_https` says."""
    documented: bool = True
    media_type: str = "application/json"
    examples: Mapping[str, Any] = {}
    """Request bodies to show, by name."""

    @property
    def name(self) -> str:
        """Unique; the operation id, and the `endpoint` of metrics."""
        return self.function.__name__


def endpoint(
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
    path: str,
    *,
    body: type[B] | None = None,
    query: Any = None,
    segments: Any = None,
    answer: Any = None,
    status: int = 200,
    summary: str = "",
    description: str = "",
    tags: Sequence[str] = (),
    charges: bool = False,
    errors: Sequence[type[FirmographError]] = (),
    window: str | None = None,
    allow: Callable[[Any], None] | None = None,
    in_thread: bool = False,
    public: bool = False,
    in_clear: bool = False,
    documented: bool = True,
    media_type: str = "application/json",
    examples: Mapping[str, Any] | None = None,
) -> Callable[[Answering[B]], Endpoint]:
    """Makes an Endpoint of the function below it; the settings are those of Endpoint."""

    def declare(function: Answering[B]) -> Endpoint:
        return Endpoint(
            method=method,
            path=path,
            function=function,
            body=body,
            query=query,
            segments=segments,
            answer=answer,
            status=status,
            summary=summary,
            description=description or (function.__doc__ or "").strip(),
            tags=tuple(tags),
            charges=charges,
            errors=tuple(errors),
            window=window,
            allow=allow,
            in_thread=in_thread,
            public=public,
            in_clear=in_clear,
            documented=documented,
            media_type=media_type,
            examples=examples or {},
        )

    return declare
