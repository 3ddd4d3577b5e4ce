"""Strict decoding of bodies: one exact fast pass, and a slow one that explains what is wrong.

Guaranteed of every body that is let through: valid UTF-8 and JSON, an object of the declared type with no
unknown and no repeated property at any depth, no NUL character and no lone surrogate in any text, and no more
levels than allowed. A property that is null counts as absent (decisions N): no type of a body takes null, so the
fast pass refuses it, and only bodies that have one pay for the slow pass. Everything else is BadRequest, its
`message` the first problem with its path in the form
`contacts.0.property X should not exist`, its `errors` up to ten of them (decisions B, wire-a 1).
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from firmograph.kit.errors import BadRequest
from firmograph.wire.body_types import always_omits_defaults, is_unbounded, problems_of
from firmograph.wire.explain import explain

MAX_ERRORS = 10

_encode = msgspec.json.Encoder().encode


class _Known(NamedTuple):
    """What bodies of one type have in common."""

    unfit: str | None
    """Why there can be none."""
    decode: Callable[[bytes], msgspec.Struct]
    countable: bool
    unbounded: bool


@cache
def _known(kind: type[msgspec.Struct]) -> _Known:
    return _Known(
        problems_of(kind), msgspec.json.Decoder(kind).decode, always_omits_defaults(kind), is_unbounded(kind)
    )


class Decoder:
    """Decodes bodies of one strict Struct type."""

    def __init__(self, kind: type[msgspec.Struct], *, max_depth: int) -> None:
        known = _known(kind)
        if known.unfit:
            raise TypeError(f"{kind.__name__} cannot be a body: {known.unfit}")
        self._kind = kind
        self._max_depth = max_depth
        self._decode = known.decode
        self._countable = known.countable
        self._unbounded = known.unbounded

    def decode(self, raw: bytes) -> msgspec.Struct:
        try:
            body = self._decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._decode_without_nulls(raw)
        if not self._is_plain(raw, body):
            self._explained(raw)
        return body

    def _decode_without_nulls(self, raw: bytes) -> msgspec.Struct:
        without = _encode(self._explained(raw))
        try:
            return self._decode(without)
        except msgspec.MsgspecError as error:
            raise _refusal([_plain(error)]) from error

    def _explained(self, raw: bytes) -> dict[str, Any]:
        """The body without nulls; raises BadRequest for what is wrong with it."""
        explained = explain(raw, self._kind, self._max_depth, MAX_ERRORS)
        if explained.problems:
            raise _refusal(explained.problems)
        return explained.body

    def _is_plain(self, raw: bytes, body: msgspec.Struct) -> bool:
        """Whether a decoded body surely hides nothing that decoding passes over.

        A repeated property is dropped by the decoder, and its quotes with it. Encoding gives back every
        string that was kept, with the same number of quote characters unless one was written as an escape;
        so equal counts mean that nothing was dropped. (Defaults, which encoding leaves out, only make the
        counts differ and the slow pass run.)
        """
        return (
            self._countable
            and not self._unbounded
            and b"\\u0000" not in raw
            and b"\\u0022" not in raw
            and raw.count(b'"') == _encode(body).count(b'"')
        )


def _refusal(problems: list[str]) -> BadRequest:
    return BadRequest(problems[0], problems)


def _plain(error: Exception) -> str:
    """What the decoder itself says; for the rare body that only it objects to."""
    if not isinstance(error, msgspec.ValidationError):
        return "The body is not valid JSON"
    text, _, path = str(error).partition(" - at `$")
    where = path.rstrip("`").replace("[", ".").replace("]", "").strip(".")
    return f"{where}: {text}" if where else text
