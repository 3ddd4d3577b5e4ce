"""Responses of charged calls: where their steps run, and how what they return becomes a response.

The protocols are those of `billing/charged_call.py`.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from firmograph.api.endpoint import ChargedResponse, Deferred, FirstAnswer
from firmograph.follow_up import Followed, FollowUp
from firmograph.kit.whole_numbers import encode

C = TypeVar("C")
S = TypeVar("S", bound=msgspec.Struct)
C_co = TypeVar("C_co", covariant=True)


class AnsweredCall(Protocol[C_co]):
    """Content of an answer, with what it cost."""

    @property
    def content(self) -> C_co: ...

    @property
    def credits(self) -> int: ...

    @property
    def request_id(self) -> str: ...

    @property
    def is_replay(self) -> bool: ...

    @property
    def followed(self) -> bytes | None: ...


class ReadyCall(Protocol[C_co]):
    """Call that may read, or charges."""

    @property
    def may_read(self) -> bool: ...

    @property
    def is_short(self) -> bool: ...

    def read(self) -> AnsweredCall[C_co] | None: ...

    def charge(self) -> AnsweredCall[C_co]: ...


Render = Callable[[C, str, int], bytes | msgspec.Struct]
"""Returns the body of an answer, given its content, its request id and its credits."""
Follow = Callable[[C, str, bytes | None], FollowUp | Followed]
"""Returns what follows an answer, given its content, its request id, and what is kept of an earlier one."""


def as_it_is(content: S, request_id: str, credits: int) -> S:
    """Render an answer that is its content."""
    return content


def respond(
    call: ReadyCall[C], render: Render[C], follow: Follow[C] | None = None
) -> ChargedResponse | Deferred:
    """Answer a call: by a short reading here, by a long one in a thread of readers, by a charge in one of writers."""

    def charge() -> ChargedResponse:
        return charged_response(call.charge(), render, follow)

    def read() -> ChargedResponse | Deferred:
        charged = call.read()
        return Deferred(charge) if charged is None else charged_response(charged, render, follow)

    if not call.may_read:
        return Deferred(charge)
    return read() if call.is_short else Deferred(read, writes=False)


def charge(
    run: Callable[[], AnsweredCall[C]], render: Render[C], follow: Follow[C] | None = None
) -> Deferred:
    """Answer a call that charges or changes something, in a thread of writers."""
    return Deferred(lambda: charged_response(run(), render, follow))


def charged_response(
    charged: AnsweredCall[C], render: Render[C], follow: Follow[C] | None = None
) -> ChargedResponse:
    """Return the response of an answer."""
    body = render(charged.content, charged.request_id, charged.credits)
    first = FirstAnswer(charged.request_id, charged.credits) if charged.is_replay else None
    return ChargedResponse(
        body if isinstance(body, bytes) else encode(body),
        0 if charged.is_replay else charged.credits,
        follow(charged.content, charged.request_id, charged.followed) if follow else None,
        first,
    )
