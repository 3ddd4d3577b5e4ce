"""Which items of a call become subscriptions (wire-b 7.2, decisions G, Subscriptions).

An item fails by itself. One of a record that is not held, of a person who was suppressed, or of the other kind of
record fails in the same words, so that nobody learns which of it is so.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity, MalformedId, Tokens
from firmograph.signals import store as signal_store
from firmograph.signals.filters import TYPES_BY_SPELLING
from firmograph.webhooks.subscriptions import store as subscription_store
from firmograph.webhooks.subscriptions.shapes import (
    CreateCode,
    CreateError,
    CreateSubscriptions,
    SubscriptionItem,
)

_PLURALS = {Entity.CONTACT: "contacts", Entity.COMPANY: "companies"}


class Wanted(NamedTuple):
    """An item that is in order, as far as it tells itself."""

    entity: Entity
    number: int | None
    """None where the id is of no record of this kind, whether there is one or not."""
    named: str
    """The record's id as it was sent."""
    types: list[str]
    name: str | None


Judged = Wanted | CreateError


def types_of(entity: Entity, names: Sequence[str]) -> list[str]:
    """As they are listed, without repetitions, in the order sent; letter case does not count.

    Raises BadRequest for what is no type of signals of such records.
    """
    known = TYPES_BY_SPELLING[entity]
    for name in names:
        if name.casefold() not in known:
            kind = _PLURALS[entity]
            problem = f"signalTypes: {name!r} is no type of signals of {kind}; GET /v3/{kind}/signals/types lists them"
            raise BadRequest(problem, [problem])
    return list(dict.fromkeys(known[name.casefold()] for name in names))


def wanted(body: CreateSubscriptions, tokens: Tokens) -> list[Judged]:
    """What each item asks for, with the defaults, or why it cannot be."""
    return [_wanted(body, item, tokens) for item in body.subscriptions]


def _wanted(body: CreateSubscriptions, item: SubscriptionItem, tokens: Tokens) -> Judged:
    kind, names, name = item.entity_type, item.signal_types, item.name
    if kind is UNSET:
        kind = body.defaults.entity_type
    if names is UNSET:
        names = body.defaults.signal_types
    if name is UNSET:
        name = body.defaults.name if body.name is UNSET else body.name
    if kind is UNSET or names is UNSET:
        missing = "entityType" if kind is UNSET else "signalTypes"
        return _failure("VALIDATION_ERROR", f"{missing} must be given, in the item or in defaults")
    entity = Entity[kind.upper()]
    try:
        types = types_of(entity, names)
    except BadRequest as error:
        return _failure("VALIDATION_ERROR", error.message)
    return Wanted(entity, _number(entity, item.entity_id, tokens), item.entity_id, types, name or None)


def _number(entity: Entity, text: str, tokens: Tokens) -> int | None:
    try:
        return tokens.open(entity, text)
    except MalformedId:
        return None


def judge(session: Session, account_id: int, items: Sequence[Judged], most: int) -> list[Judged]:
    """Those of the items that become subscriptions, at most so many, and why the others do not.

    At most four statements.
    """
    asked = defaultdict(set)
    for item in items:
        if isinstance(item, Wanted) and item.number is not None:
            asked[item.entity].add(item.number)
    held = {
        *((Entity.CONTACT, one) for one in signal_store.held_contacts(session, asked[Entity.CONTACT])),
        *((Entity.COMPANY, one) for one, _ in signal_store.company_cards(session, asked[Entity.COMPANY])),
    }
    taken: set[tuple[Entity, int | None]] = {
        (entity, number)
        for entity, numbers in asked.items()
        for number in subscription_store.subscribed(session, account_id, int(entity), numbers)
    }
    judged: list[Judged] = []
    for item in items:
        if isinstance(item, Wanted):
            failure = _refusal((item.entity, item.number), held, taken, most)
            if failure is None:
                taken.add((item.entity, item.number))
                most -= 1
            judged.append(failure or item)
        else:
            judged.append(item)
    return judged


def _refusal(
    record: tuple[Entity, int | None],
    held: set[tuple[Entity, int]],
    taken: set[tuple[Entity, int | None]],
    room: int,
) -> CreateError | None:
    kind = record[0].name.lower()
    if record not in held:
        return _failure("VALIDATION_ERROR", f"entityId must be the id of a {kind} that is held")
    if record in taken:
        return _failure(
            "DUPLICATE_SUBSCRIPTION",
            f"The account has a subscription to this {kind} already; PATCH /api/subscriptions/{{id}} changes it",
        )
    if room <= 0:
        return _failure("FORBIDDEN", "The account has as many subscriptions as it may have; delete some")
    return None


def full(most: int) -> str:
    return f"the account has {most:,} subscriptions, as many as it may; delete some with POST /api/subscriptions/delete"


def _failure(code: CreateCode, message: str) -> CreateError:
    return CreateError(code=code, message=message)
