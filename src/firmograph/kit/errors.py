"""Tree of errors, each with its HTTP status and public message.

`message` says what is wrong and what to do, and never contains internal details. For the response body
see docs/reference/errors.md#error-bodies.
"""

from collections.abc import Sequence
from math import ceil


class FirmographError(Exception):
    """Base of all errors that the service raises on purpose."""

    status = 500
    public = "Internal server error"

    def __init__(
        self, message: str | None = None, errors: Sequence[str] = (), *, code: str | int | None = None
    ) -> None:
        self.message = message or self.public
        self.errors = tuple(errors)
        self.code = code
        super().__init__(self.message)

    def headers(self) -> dict[str, str]:
        return {}


class BadRequest(FirmographError):
    status = 400
    public = "Bad request"


class Unauthorized(FirmographError):
    status = 401
    public = "Unauthorized: send the account's API key in the header api_key"


class PaymentRequired(FirmographError):
    status = 402
    public = "Insufficient credits"


class DailyCapReached(PaymentRequired):
    """Daily cap of a key that a charge would pass."""


class Forbidden(FirmographError):
    status = 403
    public = "Forbidden"


class NotFound(FirmographError):
    status = 404
    public = "Not found"


class MethodNotAllowed(FirmographError):
    status = 405
    public = "Method not allowed"

    def __init__(self, allowed: Sequence[str]) -> None:
        self.allowed = sorted(allowed)
        super().__init__(f"Method not allowed; use {', '.join(self.allowed)}")

    def headers(self) -> dict[str, str]:
        return {"allow": ", ".join(self.allowed)}


class Conflict(FirmographError):
    status = 409
    public = "Conflict"


class Expired(FirmographError):
    """Something of a limited lifetime that does not exist any more, or never did."""

    status = 410
    public = "Gone"


class PreconditionFailed(FirmographError):
    """Valid value that cannot be interpreted, such as a full name of one word."""

    status = 412
    public = "Precondition failed"


class PayloadTooLarge(FirmographError):
    status = 413
    public = "Payload too large"


class UnsupportedMediaType(FirmographError):
    status = 415
    public = "Unsupported media type; send application/json"


class LegallyRestricted(FirmographError):
    """Person who is suppressed, asked for alone."""

    status = 451
    public = "Contact data is restricted for compliance reasons"


class _RetryableError(FirmographError):
    """Error after which the same request may succeed."""

    def __init__(self, message: str | None = None, *, retry_after: float = 1) -> None:
        self.retry_after = max(1, round(retry_after + 0.499))
        super().__init__(message)

    def headers(self) -> dict[str, str]:
        return {"retry-after": str(self.retry_after)}


class TooManyRequests(_RetryableError):
    status = 429
    public = "Too many requests"


class BadGateway(_RetryableError):
    """Unreachable upstream service."""

    status = 502
    public = "Bad gateway; nothing was charged. Try again shortly"


class Busy(_RetryableError):
    """Timeout of the wait for the database writer; nothing was written or charged."""

    status = 503
    public = "The service is busy; nothing was charged. Try again shortly"


class Unavailable(_RetryableError):
    """Unreachable database or lost connection; uncommitted changes are rolled back."""

    status = 503
    public = "The service cannot reach its database. Try again shortly"


class DatabaseLost(Unavailable):
    """Unreachable database server or lost connection to it, which is logged by `kit/outage.py` and nowhere else."""


class Unwritable(Unavailable):
    """Disk of the database that is full or not writable; nothing was written or charged."""

    public = "The service cannot write to its disk; nothing was charged. Try again later"

    def __init__(self) -> None:
        super().__init__(retry_after=30)


class Loading(_RetryableError):
    """Index that is not ready (docs/reference/errors.md#busy-and-unavailable)."""

    status = 503

    def __init__(self, index: str = "search", seconds_left: float | None = None) -> None:
        """Name the index, and the expected time until it is ready, if that is known."""
        self.seconds_left = seconds_left
        when = "shortly" if seconds_left is None else f"in about {max(1, ceil(seconds_left))} s"
        super().__init__(
            f"The {index} index is being prepared; everything else works. Try again {when}",
            retry_after=seconds_left or 1,
        )


class SearchUnavailable(_RetryableError):
    """Search engine elsewhere that cannot be reached, or did not answer in time."""

    status = 503
    public = "The search engine cannot be reached; nothing was charged. Try again shortly"


class Refused(FirmographError):
    """Command that cannot be executed, reported to the operator in one line (exit code 1)."""

    status = 400


class RefusedByState(Refused):
    """Command that fits in itself, but not the state of its object, such as a name that is in use."""

    status = 409
