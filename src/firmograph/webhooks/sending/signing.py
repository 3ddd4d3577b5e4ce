"""Signed headers of a delivery.

See docs/reference/webhooks.md#signatures.

There are two signatures over the exact bytes sent. The service's own uses the whole secret string as its key, that of
Standard Webhooks the 32 bytes that its base64 encodes, so receivers may verify either.
"""

import base64
import hashlib
import hmac
from typing import Final

SECRET_PREFIX: Final = "whsec_"


def headers(brand: str, secret: str, payload_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return all headers of an attempt at this time, in seconds since the epoch."""
    return {
        "Content-Type": "application/json",
        "User-Agent": f"{brand}-Webhooks/1.0",
        f"X-{brand}-Signature": signature(secret, seconds, body),
        f"X-{brand}-Timestamp": str(seconds),
        "webhook-id": payload_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": standard_signature(secret, payload_id, seconds, body),
    }


def signature(secret: str, seconds: int, body: bytes) -> str:
    """Return the hexadecimal HMAC-SHA256 of timestamp, a point and the body."""
    return hmac.new(secret.encode(), b"%d.%b" % (seconds, body), hashlib.sha256).hexdigest()


def standard_signature(secret: str, payload_id: str, seconds: int, body: bytes) -> str:
    """Return the Standard Webhooks signature of payload id, timestamp and body."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b"%b.%d.%b" % (payload_id.encode(), seconds, body)
    return f"v1,{base64.b64encode(hmac.digest(key, signed, 'sha256')).decode()}"
