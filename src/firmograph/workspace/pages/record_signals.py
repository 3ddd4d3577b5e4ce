"""Signals of a record: types and days for nothing, events at their price."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.kit.clock import day_of
from firmograph.kit.errors import BadRequest
from firmograph.security.record_ids import Entity
from firmograph.signals.calls import SignalsCalls
from firmograph.signals.filters import SignalQuery
from firmograph.signals.service import PRICE_KEYS, SignalsService
from firmograph.signals.shapes import CompanySignalsRequest, ContactSignalsRequest
from firmograph.signals.types import NAME_OF, TYPES
from firmograph.workspace import AT
from firmograph.workspace.answers import Answer, HtmlPage
from firmograph.workspace.charging_forms import read_key
from firmograph.workspace.record_kinds import curl, decode, pages_of
from firmograph.workspace.revealed_facts import RecordFact, read_facts
from firmograph.workspace.visit import Visit

_FEATURE: Final = "signals"
"""Plan feature."""


class ShownSignal(NamedTuple):
    """Type and day of a signal, which are free."""

    type: str
    day: str
    is_paid: bool
    """Whether the account has paid for its event."""


class TypePrice(NamedTuple):
    """Type of signals of a record, with the price of their events."""

    type: str
    signals: int
    credits: int


class OpenedEvent(NamedTuple):
    """Event of a signal."""

    type: str
    facts: Sequence[RecordFact]


def read_signals(visit: Visit, session: Session, entity: Entity, number: int) -> list[ShownSignal]:
    """Return the signals of a record, newest first; none on a plan without signals."""
    if not visit.request().caller.plan.features[_FEATURE]:
        return []
    query = SignalQuery(entity, TYPES[entity], None, day_of(visit.at).isoformat(), None, {})
    selection = visit.installation.get(SignalsService).select_of(visit.own(session), query, [number])
    newest = sorted(selection.shown, key=lambda one: (one.day, one.id), reverse=True)
    return [ShownSignal(NAME_OF[one.type], one.day, one.paid_at is not None) for one in newest]


def price_events(visit: Visit, entity: Entity, signals: Sequence[ShownSignal]) -> list[TypePrice]:
    """Return what the events of each type cost: a unit if any of them is not paid."""
    price = visit.request().caller.plan.price(PRICE_KEYS[entity]).total(1)
    by_type: dict[str, list[ShownSignal]] = {}
    for one in signals:
        by_type.setdefault(one.type, []).append(one)
    return [
        TypePrice(type, len(some), 0 if all(one.is_paid for one in some) else price)
        for type, some in by_type.items()
    ]


def open_events(visit: Visit) -> Answer:
    """Show the events of the chosen types, paid for."""
    kind, record_id = pages_of(visit), visit.parameters["record"]
    types = visit.form.get("type", ())
    if not types:
        raise BadRequest("Choose the types whose events to open: go back and tick some. Nothing was charged")
    body = {"ids": [record_id], "signalTypes": list(types)}
    key = read_key(visit, f"{AT}/{kind.name}/{record_id}/events", msgspec.json.encode(body))
    calls, request = visit.installation.get(SignalsCalls), visit.request(key)
    if kind.entity is Entity.CONTACT:
        charged = calls.contacts(request, decode(visit, ContactSignalsRequest, body)).charge()
    else:
        charged = calls.companies(request, decode(visit, CompanySignalsRequest, body)).charge()
    record = msgspec.json.decode(charged.content.results[0])
    values: dict[str, Any] = {
        "kind": kind,
        "record": record_id,
        "events": [OpenedEvent(type, read_facts(event)) for type in types for event in record.get(type, ())],
        "credits": charged.credits,
        "call": curl(visit, f"/v3/{kind.name}/signals", body),
    }
    return HtmlPage("events.html", values)
