"""The headers of a delivery (specification 6.1, 6.2), and beside them those of the Standard Webhooks convention.

Both signatures are made over the exact bytes that are sent. The specified one has the whole secret as its key, as text;
the conventional one the 32 bytes that the secret is the base64 of. So a receiver may verify by either.
"""

import base64
import hashlib
import hmac
from typing import Final

SECRET_PREFIX: Final = "whsec_"


def headers(brand: str, secret: str, payload_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """All of them, for an attempt at that time since the epoch."""
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
    """In hexadecimal, of timestamp, a point and the body."""
    return hmac.new(secret.encode(), b"%d.%b" % (seconds, body), hashlib.sha256).hexdigest()


def standard_signature(secret: str, payload_id: str, seconds: int, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b"%b.%d.%b" % (payload_id.encode(), seconds, body)
    return f"v1,{base64.b64encode(hmac.digest(key, signed, 'sha256')).decode()}"
