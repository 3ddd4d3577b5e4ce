"""What a command tells when the machine fails it."""

from collections.abc import Iterator
from contextlib import contextmanager

from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import told_of_machine


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Raises Refused, `what` and the reason, in place of a failure of the machine: no space, no permission."""
    try:
        yield
    except Exception as error:
        reason = told_of_machine(error)
        if reason is None:
            raise
        raise Refused(f"{what}: {reason}") from error
