"""Records in the form of one index. A record that has none is left out, so that it does not block all later changes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

import structlog

from firmograph.indexing.change_batches import DecodedCompany, DecodedContact

log = structlog.get_logger("firmograph.indexing")


class Form(Protocol):
    """Record as an index holds it."""

    @property
    def number(self) -> int:
        """Number of the record."""
        ...


R = TypeVar("R", DecodedCompany, DecodedContact)
F = TypeVar("F", bound=Form)


def forms_of(records: Iterable[R], form: Callable[[R], F], index: str) -> list[F]:
    """Return the forms of records for the index of a name, without those that fail."""
    forms = []
    for record in records:
        try:
            forms.append(form(record))
        except Exception:
            log.exception(f"record left out of the {index} index", number=record.number)
    return forms


def left_out(
    records: Sequence[DecodedCompany] | Sequence[DecodedContact], forms: Sequence[Form]
) -> list[int]:
    """Return the numbers of the records that have no form; an index removes these."""
    if len(forms) == len(records):
        return []
    present = {form.number for form in forms}
    return [record.number for record in records if record.number not in present]
