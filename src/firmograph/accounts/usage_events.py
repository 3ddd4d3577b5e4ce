"""Events of usage for billing programs: one for each charge and capture of the ledger.

The bodies are those that the makers document: CloudEvents 1.0 in JSON batches (OpenMeter takes these), Lago's batches
of events, and Stripe's meter events, which are form fields of one event a request.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from msgspec import json

from firmograph.billing.types import LedgerEntry
from firmograph.kit.clock import iso

PushFormat = Literal["cloudevents", "lago", "stripe"]


class UsageEvent(NamedTuple):
    """Ledger row for a receiver."""

    number: int
    account: str
    entry: LedgerEntry

    @property
    def id(self) -> str:
        """Id, the same however often it is sent.

        A restored database gives out the numbers of rows again that came after its backup, so it has the request too.
        """
        return f"{self.number}-{self.entry.request_id}"


class EventFormat(NamedTuple):
    """Form in which a kind of receiver takes events."""

    content_type: str
    most: int
    """Most events of a request."""
    encode: Callable[[Sequence[UsageEvent], str], bytes]
    """Return the body of events under the name of their type."""
    is_repeated: Callable[[int, bytes], bool] = lambda status, body: False
    """Whether status and body of an answer refuse an event that the receiver has already."""


def _details(event: UsageEvent) -> dict[str, Any]:
    entry = event.entry
    return {
        "credits": entry.credits,
        "action": entry.action,
        "quantity": entry.quantity,
        "key": entry.actor,
        "requestId": entry.request_id,
    }


def _encode_cloudevents(events: Sequence[UsageEvent], type: str) -> bytes:
    return json.encode(
        [
            {
                "specversion": "1.0",
                "id": event.id,
                "source": "firmograph",
                "type": type,
                "subject": event.account,
                "time": iso(event.entry.at),
                "datacontenttype": "application/json",
                "data": _details(event),
            }
            for event in events
        ]
    )


def _encode_lago(events: Sequence[UsageEvent], code: str) -> bytes:
    return json.encode(
        {
            "events": [
                {
                    "transaction_id": event.id,
                    "external_subscription_id": event.account,
                    "code": code,
                    "timestamp": int(event.entry.at),
                    "properties": _details(event),
                }
                for event in events
            ]
        }
    )


def _encode_stripe(events: Sequence[UsageEvent], event_name: str) -> bytes:
    (event,) = events
    fields = {
        "event_name": event_name,
        "identifier": event.id,
        "timestamp": int(event.entry.at),
        "payload[stripe_customer_id]": event.account,
        "payload[value]": event.entry.credits,
    }
    return urlencode(fields).encode()


FORMATS: Mapping[PushFormat, EventFormat] = {
    "cloudevents": EventFormat("application/cloudevents-batch+json", 100, _encode_cloudevents),
    "lago": EventFormat(
        "application/json",
        100,
        _encode_lago,
        lambda status, body: status == 422 and b"value_already_exist" in body,
    ),
    "stripe": EventFormat(
        "application/x-www-form-urlencoded",
        1,
        _encode_stripe,
        lambda status, body: status == 400 and b"already exists" in body,
    ),
}
