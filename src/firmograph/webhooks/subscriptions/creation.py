"""Validation of the items of a create request.

See docs/reference/webhooks.md#subscriptions.

Items fail independently. An unknown record, a suppressed person and a record of the other kind fail with the same
message, so that callers cannot tell them apart.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET

from firmograph.database.connection import AccountSession
from firmograph.directory import store as directory_store
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity, MalformedId, RecordIds
from firmograph.signals import store as signal_store
from firmograph.signals.filters import TYPES_BY_SPELLING
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.shapes import (
    CreateCode,
    CreateError,
    CreateSubscriptions,
    SubscriptionItem,
    SubscriptionView,
)

Outcome = SubscriptionView | CreateError
Outcomes = list[Outcome]
"""Results of the items, in order."""


class ValidItem(NamedTuple):
    """Item whose own values are valid."""

    entity: Entity
    number: int | None
    """Record number; None if the id cannot belong to a record of this kind."""
    named: str
    """Record id as it was sent."""
    types: list[str]
    name: str | None


CheckedItem = ValidItem | CreateError


def check_types(entity: Entity, names: Sequence[str]) -> list[str]:
    """Return the listed spelling of signal types, without repetitions, in the order sent; case is ignored.

    Raises BadRequest for a type that records of this kind do not have.
    """
    known = TYPES_BY_SPELLING[entity]
    for name in names:
        if name.casefold() not in known:
            kind = entity.plural
            problem = f"signalTypes: {name!r} is no type of signals of {kind}; GET /v3/{kind}/signals/types lists them"
            raise BadRequest(problem, [problem])
    return list(dict.fromkeys(known[name.casefold()] for name in names))


def check_items(body: CreateSubscriptions, tokens: RecordIds) -> list[CheckedItem]:
    """Apply the defaults to each item; return it or its error."""
    return [_check_item(body, item, tokens) for item in body.subscriptions]


def _check_item(body: CreateSubscriptions, item: SubscriptionItem, tokens: RecordIds) -> CheckedItem:
    kind, names, name = item.entity_type, item.signal_types, item.name
    if kind is UNSET:
        kind = body.defaults.entity_type
    if names is UNSET:
        names = body.defaults.signal_types
    if name is UNSET:
        name = body.defaults.name if body.name is UNSET else body.name
    if kind is UNSET or names is UNSET:
        missing = "entityType" if kind is UNSET else "signalTypes"
        return _error("VALIDATION_ERROR", f"{missing} must be given, in the item or in defaults")
    entity = Entity[kind.upper()]
    try:
        types = check_types(entity, names)
    except BadRequest as error:
        return _error("VALIDATION_ERROR", error.message)
    return ValidItem(
        entity, _record_number(entity, item.entity_id, tokens), item.entity_id, types, name or None
    )


def _record_number(entity: Entity, text: str, tokens: RecordIds) -> int | None:
    try:
        return tokens.open(entity, text)
    except MalformedId:
        return None


def admit_items(session: AccountSession, items: Sequence[CheckedItem], remaining: int) -> list[CheckedItem]:
    """Admit at most `remaining` items; return each item or its error.

    At most four statements.
    """
    requested = defaultdict(set)
    for item in items:
        if isinstance(item, ValidItem) and item.number is not None:
            requested[item.entity].add(item.number)
    existing = {
        *(
            (Entity.CONTACT, one)
            for one in directory_store.existing_contacts(session.session, requested[Entity.CONTACT])
        ),
        *(
            (Entity.COMPANY, one)
            for one, _ in signal_store.company_summaries(session.session, requested[Entity.COMPANY])
        ),
    }
    subscribed: set[tuple[Entity, int | None]] = {
        (entity, number)
        for entity, numbers in requested.items()
        for number in subscription_store.find_subscribed(session, int(entity), numbers)
    }
    checked: list[CheckedItem] = []
    for item in items:
        if isinstance(item, ValidItem):
            failure = _refusal((item.entity, item.number), existing, subscribed, remaining)
            if failure is None:
                subscribed.add((item.entity, item.number))
                remaining -= 1
            checked.append(failure or item)
        else:
            checked.append(item)
    return checked


def _refusal(
    record: tuple[Entity, int | None],
    existing: set[tuple[Entity, int]],
    subscribed: set[tuple[Entity, int | None]],
    remaining: int,
) -> CreateError | None:
    if record not in existing:
        return _refused(record[0], "VALIDATION_ERROR")
    if record in subscribed:
        return _refused(record[0], "DUPLICATE_SUBSCRIPTION")
    if remaining <= 0:
        return _refused(record[0], "FORBIDDEN")
    return None


_REFUSALS: dict[CreateCode, str] = {
    "VALIDATION_ERROR": "entityId must be the id of a {kind} in the database",
    "DUPLICATE_SUBSCRIPTION": "The account already has a subscription to this {kind};"
    " use PATCH /api/subscriptions/{{id}} to change it",
    "FORBIDDEN": "The account has reached its maximum number of subscriptions; delete some",
}
"""Messages of valid items that are not admitted."""


def _refused(entity: Entity, code: CreateCode) -> CreateError:
    return _error(code, _REFUSALS[code].format(kind=entity.name.lower()))


def memo_of(outcomes: Outcomes) -> list[tuple[bool, str]]:
    """Return what a replay needs of each result: whether it was created, with its id or the code of its error."""
    return [(False, one.code) if isinstance(one, CreateError) else (True, one.id) for one in outcomes]


def outcomes_of(
    memo: Sequence[tuple[bool, Any]],
    items: Sequence[CheckedItem],
    view: Callable[[ValidItem, str], SubscriptionView],
) -> Outcomes:
    """Return the results of a replay, whose items are those of the first call; `view` is given item and id."""
    outcomes: Outcomes = []
    for (created, kept), item in zip(memo, items, strict=True):
        if isinstance(item, CreateError):
            outcomes.append(item)
        else:
            outcomes.append(view(item, kept) if created else _refused(item.entity, kept))
    return outcomes


def limit_message(maximum: int) -> str:
    return (
        f"the account has reached its maximum of {maximum:,} subscriptions;"
        " delete some with POST /api/subscriptions/delete"
    )


def _error(code: CreateCode, message: str) -> CreateError:
    return CreateError(code=code, message=message)
