"""Messages of commands for operating-system and database errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import machine_error_text


@contextmanager
def refuse_machine_errors(what: str) -> Iterator[None]:
    """Raise Refused with `what` and the reason in place of a machine error, such as no space or no permission."""
    try:
        yield
    except Exception as error:
        reason = machine_error_text(error)
        if reason is None:
            raise
        raise Refused(f"{what}: {reason}") from error
