"""Page view as the script sends it."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

_Seconds = Annotated[float, Meta(ge=0, le=86_400)]


class SentPageView(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"
):
    """Page view; sent again with the time for which the page was looked at so far."""

    url: Annotated[str, Meta(max_length=2048)]
    time: Annotated[float, Meta(ge=0, le=1e11)] | UnsetType = UNSET
    """Begin of the page view by the browser's clock, in seconds since 1970-01-01 UTC; by default when it arrives."""
    age: _Seconds = 0.0
    """Seconds since `time`, as it is sent."""
    duration_seconds: _Seconds | UnsetType = UNSET
    email_domain: Annotated[str, Meta(max_length=253)] | UnsetType = UNSET
    email_hash: Annotated[str, Meta(pattern=r"^[0-9A-Fa-f]{64}\Z")] | UnsetType = UNSET
    """SHA-256 of the lower-case address, in hex."""
    customer_id: Annotated[str, Meta(max_length=255)] | UnsetType = UNSET
