"""JSON structures shared by all responses: billing, item errors, error bodies.

See docs/reference/errors.md#item-errors.
"""

from collections.abc import Collection
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.result_slots import ItemErrorCode
from firmograph.follow_up import Followed
from firmograph.kit.errors import FirmographError


class Billing(msgspec.Struct, rename="camel", frozen=True):
    """Cost of the call in credits, and number of results without an error."""

    credits_charged: Annotated[int, Meta(ge=0)]
    results_returned: Annotated[int, Meta(ge=0)]


def render_answer(
    request_id: str, results: Collection[bytes], credits: int, returned: int, members: bytes = b""
) -> bytes:
    """Render the envelope of an answer with results.

    `members` are further members of a feature, each followed by a comma.
    """
    return b'{"requestId":"%s","results":[%s],%s"billing":{"creditsCharged":%d,"resultsReturned":%d}}' % (
        request_id.encode(),
        b",".join(results),
        members,
        credits,
        returned,
    )


_BILLING: Final = b'"billing":{"creditsCharged":'


def add_followed(answer: bytes, followed: Followed) -> bytes:
    """Return an answer of `render_answer` with the member of what followed it, and its credits in the billing.

    They are added to the member `creditsCharged` as well, where it stands before the billing.
    """
    # billing is the last member and has only numbers
    at = answer.rindex(_BILLING)
    charged, comma, rest = answer[at + len(_BILLING) :].partition(b",")
    total = b"%d" % (int(charged) + followed.credits)
    members = answer[:at]
    at_top = b'"creditsCharged":%s,' % charged
    if members.endswith(at_top):
        members = b'%s"creditsCharged":%s,' % (members[: -len(at_top)], total)
    return b"%s%s,%s%s%s%s" % (members, followed.member, _BILLING, total, comma, rest)


class ErrorDetail(msgspec.Struct):
    code: ItemErrorCode
    message: str


class ItemError(msgspec.Struct, rename="camel", kw_only=True):
    """Item of a batch that failed, inside a 200."""

    client_reference_id: str | UnsetType = UNSET
    id: str | UnsetType = UNSET
    error: ErrorDetail


class ErrorBody(msgspec.Struct, rename="camel", kw_only=True):
    """Body of every error response."""

    status_code: Annotated[int, Meta(description="The HTTP status.")]
    message: Annotated[str, Meta(description="What is wrong, and what to do next.")]
    errors: (
        Annotated[list[str], Meta(max_length=10, description="Up to 10 problems of the request.")] | UnsetType
    ) = UNSET
    code: Annotated[str, Meta(description="A fixed name for the error, where it has one.")] | UnsetType = (
        UNSET
    )


class NumberedErrorBody(msgspec.Struct, rename="camel", kw_only=True):
    """Body of an error response with a numeric code."""

    status_code: Annotated[int, Meta(description="The HTTP status.")]
    message: Annotated[str, Meta(description="What is wrong, and what to do next.")]
    errors: (
        Annotated[list[str], Meta(max_length=10, description="Up to 10 problems of the request.")] | UnsetType
    ) = UNSET
    code: Annotated[int, Meta(description="A fixed number for the error, or the HTTP status.")]


class OlderErrorDetail(msgspec.Struct):
    code: Annotated[str, Meta(description="A fixed name for the error.")]
    message: str


class OlderErrorBody(msgspec.Struct, rename="camel", kw_only=True):
    """Body of an error response of the older generation, which holds the current form as well."""

    status_code: Annotated[int, Meta(description="The HTTP status.")]
    message: Annotated[str, Meta(description="What is wrong, and what to do next.")]
    errors: (
        Annotated[list[str], Meta(max_length=10, description="Up to 10 problems of the request.")] | UnsetType
    ) = UNSET
    error: OlderErrorDetail


ErrorShape = Literal["current", "numbered", "older"]
"""Shape of error bodies: `code` a name if there is one, `code` always a number, or with `error` (older generation)."""

_STATUS_NAMES: Final = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    402: "PAYMENT_REQUIRED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    409: "CONFLICT",
    410: "GONE",
    412: "PRECONDITION_FAILED",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "TOO_MANY_REQUESTS",
    451: "UNAVAILABLE_FOR_LEGAL_REASONS",
    499: "REQUEST_TIMEOUT",
    502: "BAD_GATEWAY",
    503: "SERVICE_UNAVAILABLE",
}


def error_body(error: FirmographError, shape: ErrorShape = "current") -> bytes:
    """Encode the body of an error response. A numeric code of the error makes the current shape a numbered one."""
    status, message, code = error.status, error.message, error.code
    errors = list(error.errors[:10]) or UNSET
    body: msgspec.Struct
    if shape == "older":
        name = code if isinstance(code, str) else _STATUS_NAMES.get(status, "INTERNAL_SERVER_ERROR")
        detail = OlderErrorDetail(name, message)
        body = OlderErrorBody(status_code=status, message=message, errors=errors, error=detail)
    elif isinstance(code, int) or shape == "numbered":
        number = code if isinstance(code, int) else status
        body = NumberedErrorBody(status_code=status, message=message, errors=errors, code=number)
    else:
        body = ErrorBody(status_code=status, message=message, errors=errors, code=code or UNSET)
    return msgspec.json.encode(body)
