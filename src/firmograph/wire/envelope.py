"""The JSON that all answers share: billing, item errors, error bodies (wire-a 1, specification 7)."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.kit.errors import FirmographError

ItemErrorCode = Literal["NOT_FOUND", "COMPLIANCE_RESTRICTED", "ENRICH_FAILED", "NO_SCORE"]


class Billing(msgspec.Struct, rename="camel", frozen=True):
    """What the call cost, in credits, and how many results carry no error."""

    credits_charged: Annotated[int, Meta(ge=0)]
    results_returned: Annotated[int, Meta(ge=0)]


class ErrorDetail(msgspec.Struct):
    code: ItemErrorCode
    message: str


class ItemError(msgspec.Struct, rename="camel", kw_only=True):
    """One item that could not be answered, inside a 200."""

    client_reference_id: str | UnsetType = UNSET
    id: str | UnsetType = UNSET
    error: ErrorDetail


class ErrorBody(msgspec.Struct, rename="camel", kw_only=True):
    """The body of every answer that is not a success."""

    status_code: Annotated[int, Meta(description="The HTTP status.")]
    message: Annotated[str, Meta(description="What is wrong, and what to do next.")]
    errors: (
        Annotated[list[str], Meta(max_length=10, description="Up to 10 problems of the request.")] | UnsetType
    ) = UNSET
    code: Annotated[str, Meta(description="A fixed name for the error, where it has one.")] | UnsetType = (
        UNSET
    )


def error_body(error: FirmographError) -> bytes:
    """The JSON of an error that the service raised on purpose."""
    body = ErrorBody(
        status_code=error.status,
        message=error.message,
        errors=list(error.errors[:10]) or UNSET,
        code=error.code or UNSET,
    )
    return msgspec.json.encode(body)
