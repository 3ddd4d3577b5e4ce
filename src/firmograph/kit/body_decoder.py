"""Strict decoding of bodies: a fast exact pass, and a slow pass that reports validation errors.

See docs/reference/requests.md#bodies.

Every accepted body is valid UTF-8 and JSON, an object of the declared type without unknown or repeated properties at
any depth, without NUL characters or lone surrogates in its strings, and nested no deeper than allowed. A property that
is null or a blank text counts as absent, and only bodies that contain one take the slow pass. Any other body raises
BadRequest: `message` is the first problem with its path, in the form
`contacts.0.property X should not exist`, and `errors` holds up to ten problems (docs/reference/errors.md#error-bodies).
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from firmograph.kit.body_types import always_omits_defaults, find_unsupported, is_unbounded
from firmograph.kit.errors import BadRequest
from firmograph.kit.validation_errors import is_deeper_than, validate_body

MAX_ERRORS = 10

_BLANK = re.compile(rb'"(?: |\\[tnr])*"')
"""A blank text; elsewhere in JSON a comma, colon or bracket stands between two quotation marks."""

_encode = msgspec.json.Encoder().encode


class _BodyType(NamedTuple):
    """Properties of a body type, computed once."""

    unsupported: str | None
    """Reason why the type cannot be decoded strictly, if there is one."""
    decode: Callable[[bytes], msgspec.Struct]
    countable: bool
    unbounded: bool


@cache
def _body_type(kind: type[msgspec.Struct]) -> _BodyType:
    return _BodyType(
        find_unsupported(kind),
        msgspec.json.Decoder(kind).decode,
        always_omits_defaults(kind),
        is_unbounded(kind),
    )


class Decoder:
    """Decoder of bodies of one strict Struct type."""

    def __init__(self, kind: type[msgspec.Struct], *, max_depth: int) -> None:
        body_type = _body_type(kind)
        if body_type.unsupported:
            raise TypeError(f"{kind.__name__} cannot be a body: {body_type.unsupported}")
        self._kind = kind
        self._max_depth = max_depth
        self._decode = body_type.decode
        self._countable = body_type.countable
        self._unbounded = body_type.unbounded

    def decode(self, raw: bytes) -> msgspec.Struct:
        if _BLANK.search(raw):
            return self._decode_slowly(raw)
        try:
            body = self._decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._decode_slowly(raw)
        if not self._is_lossless(raw, body):
            self._validate(raw)
        return body

    def _decode_slowly(self, raw: bytes) -> msgspec.Struct:
        without = _encode(self._validate(raw))
        try:
            return self._decode(without)
        except msgspec.MsgspecError as error:
            raise _bad_request([_decoder_message(error)]) from error

    def _validate(self, raw: bytes) -> dict[str, Any]:
        """Return the body without nulls and blank texts; raises BadRequest for an invalid body."""
        validated = validate_body(raw, self._kind, self._max_depth, MAX_ERRORS)
        if validated.problems:
            raise _bad_request(validated.problems)
        return validated.body

    def _is_lossless(self, raw: bytes, body: msgspec.Struct) -> bool:
        """Return whether the decoder has certainly dropped nothing from the body, and it is no deeper than allowed.

        The decoder drops a repeated property together with its quotes. Encoding reproduces every decoded string with
        the same number of quote characters, unless one was written as an escape, so equal counts mean that nothing was
        dropped. Defaults, which encoding omits, only make the counts differ and the slow pass run.
        """
        return (
            self._countable
            and not (self._unbounded and is_deeper_than(raw, self._max_depth))
            and b"\\u0000" not in raw
            and b"\\u0022" not in raw
            and raw.count(b'"') == _encode(body).count(b'"')
        )


def _bad_request(problems: list[str]) -> BadRequest:
    return BadRequest(problems[0], problems)


def _decoder_message(error: Exception) -> str:
    """Return the decoder's own message, for the rare body that only the decoder refuses."""
    if not isinstance(error, msgspec.ValidationError):
        return "The body is not valid JSON"
    text, _, path = str(error).partition(" - at `$")
    where = path.rstrip("`").replace("[", ".").replace("]", "").strip(".")
    return f"{where}: {text}" if where else text
