"""Results of the items of a request: the record of each, or the code of its error.

See docs/reference/errors.md#item-errors.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

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


def replay_slots(numbers: Sequence[int | None], now: Sequence[ResultSlot]) -> list[ResultSlot]:
    """Return the slots of a replay: the records of the first answer, with the errors that their items have now.

    An item whose record was found then keeps that record, whatever it would find today.
    """
    return [
        ResultSlot(number, slot.error if number is None or slot.number is None else None)
        for number, slot in zip(numbers, now, strict=True)
    ]
