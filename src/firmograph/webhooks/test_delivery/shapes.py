"""Query and response of a subscription test."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import ResponsePart
from firmograph.webhooks.subscriptions.shapes import Kind, Moment

Mode = Literal["direct", "kafka", "full"]


class DeliveryTestQuery(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    mode: Annotated[
        Mode,
        Meta(
            description="`direct` sends to the receiver, `kafka` only checks whether a signal would be delivered,"
            " `full` does both"
        ),
    ] = "full"


class FlowCheck(ResponsePart, kw_only=True):
    """Receiver's reaction."""

    success: Annotated[bool, Meta(description="Whether it accepted the delivery within 10 seconds")]
    status_code: Annotated[int, Meta(ge=0, description="0 if there was no response")]
    duration_ms: Annotated[int, Meta(ge=0)]


class TestPayload(ResponsePart, kw_only=True):
    """Sample that was sent, or would be."""

    __test__ = False

    entity_type: Kind
    signal_type: str
    data: Annotated[Any, Meta(description="Sample data", extra_json_schema={"type": "object"})]


class DeliveryTest(ResponsePart, kw_only=True):
    """Result of a subscription test."""

    subscription_id: str
    subscription_name: str | UnsetType = UNSET
    url: str
    mode: Mode
    flow_check: Annotated[FlowCheck, Meta(description="Only if something was sent")] | UnsetType = UNSET
    test_payload: TestPayload
    is_success: bool
    error: Annotated[str, Meta(description="Why `isSuccess` is false")] | UnsetType = UNSET
    timestamp: Moment
