"""A small API behind the real dispatcher, with an authenticator that judges the key's text."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.application import Application
from firmograph.api.dispatch import Dispatcher
from firmograph.api.endpoint import Call, Endpoint, Reply
from firmograph.api.envelope import Billing
from firmograph.api.https_policy import NO_POLICY, HttpsPolicy
from firmograph.api.metrics import Metrics
from firmograph.api.thread_pool import RequestThreads
from firmograph.kit.clock import Clock, SetClock
from firmograph.kit.errors import Forbidden, PaymentRequired, TooManyRequests, Unauthorized


class Part(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    first_name: Annotated[str, Meta(min_length=1, max_length=10)] | UnsetType = UNSET
    email: Annotated[str, Meta(pattern="@", extra={"expects": "an e-mail address"})] | UnsetType = UNSET
    size: Annotated[int, Meta(ge=0, le=100)] | UnsetType = UNSET
    ratio: Annotated[float, Meta(gt=0, lt=1)] | UnsetType = UNSET
    note: str | UnsetType = UNSET
    flag: bool | UnsetType = UNSET


class Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    contacts: Annotated[list[Part], Meta(min_length=1, max_length=3)]
    reveal: list[Literal["emails", "phones"]] | UnsetType = UNSET
    extra: dict[str, str] | UnsetType = UNSET


class Echo(msgspec.Struct, rename="camel"):
    request_id: str
    caller: str | None
    idempotency_key: str | None
    at: float
    billing: Billing = Billing(2, 1)


class Lookup(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    query: Annotated[str, Meta(min_length=2, max_length=5, description="What to look for")]
    other_text: Annotated[str, Meta(max_length=3)] | UnsetType = UNSET


class Numbered(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class Place(msgspec.Struct, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern="^[0-9a-f]{4}$", extra={"expects": "four hexadecimal digits"})]


class Option(msgspec.Struct):
    name: str


class Admission(NamedTuple):
    caller: str
    headers: list[tuple[bytes, bytes]]
    refusal: Exception | None


class ToyAuthenticator:
    """Authenticator: `closed` is disabled, `fast` has used up a limit, `wrong` and nothing are unknown."""

    def admit(self, api_key, path_window):
        headers = [(b"x-rate-limit-minute", b"40")]
        refusals = {"closed": Forbidden("inactive"), "fast": TooManyRequests("minute", retry_after=7)}
        if api_key in (None, "wrong"):
            return Admission("", [], Unauthorized())
        return Admission(api_key, headers, refusals.get(api_key))


def endpoint(method, path, **declared):
    """Decorate a function as the endpoint of its name."""

    def declare(function):
        return Endpoint(name=function.__name__, method=method, path=path, function=function, **declared)

    return declare


def toy_endpoints():
    @endpoint("POST", "/parts", body=Body, answer=Echo, summary="Parts", tags=["Toys"], charges=True)
    def post_parts(call: Call[Body]) -> Echo:
        if call.body.contacts[0].first_name == "poor":
            raise PaymentRequired
        return Echo(call.request_id, call.caller, call.idempotency_key, call.at)

    @endpoint("GET", "/raw", answer=Echo)
    def get_raw(call: Call[None]) -> bytes:
        return b'{"plain":true}'

    @endpoint("GET", "/page", authentication="none", media_type="text/html")
    def get_page(call: Call[None]) -> Reply:
        return Reply(b"<p>", status=202, media_type="text/html", headers=[(b"x-own", b"1")])

    @endpoint("GET", "/broken", answer=Echo, in_thread=True)
    def get_broken(call: Call[None]) -> bytes:
        raise RuntimeError("secret detail")

    @endpoint("GET", "/options", query=Lookup, answer=list[Option])
    def get_options(call: Call[None]) -> bytes:
        return msgspec.json.encode([Option(call.query.query), Option(call.query.other_text or "none")])

    @endpoint("GET", "/options/{id}", segments=Place, query=Numbered, answer=Option)
    def get_option(call: Call[None]) -> Option:
        return Option(f"{call.segments.id} {call.query.limit}")

    @endpoint("POST", "/options/{id}/choose", segments=Place, body=Part, answer=Option, status=201)
    def post_option(call: Call[Part]) -> Option:
        return Option(f"{call.segments.id} {call.body.first_name}")

    return [post_parts, get_raw, get_page, get_broken, get_options, get_option, post_option]


def toy_app(
    max_body_bytes: int = 2_000,
    *,
    authenticates_remotely: bool = False,
    endpoints: Sequence[Endpoint] | None = None,
    clock: Clock | None = None,
    https_policy: HttpsPolicy = NO_POLICY,
    metrics: Metrics | None = None,
) -> Application:
    dispatcher = Dispatcher(
        authenticator=ToyAuthenticator(),
        clock=clock or SetClock(5.0),
        metrics=metrics or Metrics("1"),
        max_body_bytes=max_body_bytes,
        max_body_depth=8,
        https_policy=https_policy,
        authenticates_remotely=authenticates_remotely,
    )
    return Application(toy_endpoints() if endpoints is None else endpoints, dispatcher, RequestThreads())
