"""What a command tells when the machine fails it."""

from collections.abc import Iterator
from contextlib import contextmanager

from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import machine_error_text


@contextmanager
def refuse_machine_errors(what: str) -> Iterator[None]:
    """Raises Refused, `what` and the reason, in place of a failure of the machine: no space, no permission."""
    try:
        yield
    except Exception as error:
        reason = machine_error_text(error)
        if reason is None:
            raise
        raise Refused(f"{what}: {reason}") from error
