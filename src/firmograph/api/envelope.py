"""JSON structures shared by all responses: billing, item errors, error bodies.

See docs/reference/errors.md#item-errors.
"""

from collections.abc import Collection
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.kit.errors import FirmographError
from firmograph.security.record_ids import Entity

ItemErrorCode = Literal["NOT_FOUND", "COMPLIANCE_RESTRICTED", "ENRICH_FAILED", "NO_SCORE"]
NOT_FOUND: Final = "NOT_FOUND"
RESTRICTED: Final = "COMPLIANCE_RESTRICTED"
_ITEM_MESSAGES: dict[tuple[Entity, ItemErrorCode], str] = {
    (Entity.CONTACT, "NOT_FOUND"): "Contact not found",
    (Entity.COMPANY, "NOT_FOUND"): "Company not found",
    (Entity.CONTACT, "COMPLIANCE_RESTRICTED"): "Contact data is restricted for compliance reasons",
    (Entity.CONTACT, "NO_SCORE"): "Neither employer nor title of the contact is held",
    (Entity.COMPANY, "NO_SCORE"): "Nothing is held of the company that signals are detected from",
}


def item_message(entity: Entity, code: ItemErrorCode) -> str:
    """Return the message of an item error, the same for all endpoints."""
    return _ITEM_MESSAGES[entity, code]


class ResultSlot(NamedTuple):
    """Record of one item of a request, or the code of its error."""

    number: int | None
    error: ItemErrorCode | None = None
    """None with a number; a record that turns out to be missing gets its code later."""


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


def error_body(error: FirmographError) -> bytes:
    """Encode the body of an error response."""
    body = ErrorBody(
        status_code=error.status,
        message=error.message,
        errors=list(error.errors[:10]) or UNSET,
        code=error.code or UNSET,
    )
    return msgspec.json.encode(body)
