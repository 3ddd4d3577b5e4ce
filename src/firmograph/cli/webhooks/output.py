"""Text and JSON output of `firmograph webhooks`."""

import json
from collections.abc import Sequence
from typing import Any, Final, TextIO

import msgspec
from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.text import Text

from firmograph.cli.output import Column, printable, write_table
from firmograph.cli.webhooks.receiver import ReceivedDelivery
from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.webhooks.types import DeadLetter, SubscriptionStatus

_encode = msgspec.json.Encoder().encode


class DeliveryPrinter:
    """Printer of deliveries as text or JSON Lines."""

    def __init__(self, out: TextIO, *, json: bool) -> None:
        self._out = out
        self._json = json
        # no wrapping without a terminal, for `grep`
        self._console = Console(file=out, width=None if out.isatty() else 10_000, highlight=False)

    def __call__(self, delivery: ReceivedDelivery) -> None:
        if self._json:
            self._out.write(f"{_encode(delivery).decode()}\n")
        else:
            self._console.print(_head(delivery))
            self._console.print(_body(delivery.payload), soft_wrap=True)
        self._out.flush()


def _head(delivery: ReceivedDelivery) -> Text:
    head = Text(f"{delivery.received_at}  ", style="bold")
    if delivery.verified:
        head.append("verified", style="green")
    else:
        head.append("not verified" if delivery.verified is None else "REFUSED", style="red")
    again = f"  again, the {_ordinal(delivery.attempt)} time" if delivery.attempt > 1 else ""
    head.append(f"  {printable(delivery.webhook_id) or '(no id)'}  answered {delivery.status}{again}")
    if delivery.problem:
        head.append(f"\n  {printable(delivery.problem)}", style="red")
    return head


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _body(payload: msgspec.Raw | str | None) -> Text:
    if not isinstance(payload, msgspec.Raw):
        return Text(f"not JSON: {printable((payload or '')[:1000])}")
    lines = msgspec.json.format(bytes(payload), indent=2).decode()
    text = Text("".join(mark if mark.isprintable() or mark == "\n" else _escaped(mark) for mark in lines))
    JSONHighlighter().highlight(text)
    return text


def _escaped(mark: str) -> str:
    return json.dumps(mark)[1:-1] if mark != "\x7f" else "\\u007f"


def write_subscriptions(rows: Sequence[SubscriptionStatus], *, ids: bool) -> None:
    write_table(rows, _SUBSCRIPTION_COLUMNS, ids=ids, empty="No subscriptions")


def _state(row: SubscriptionStatus) -> str:
    if row.active:
        return f"needs {row.needs} credits" if row.needs else "active"
    return "disabled" if row.blocked_at is None else f"disabled: {row.block_reason}"


def subscriptions_json(rows: Sequence[SubscriptionStatus]) -> list[dict[str, Any]]:
    return [
        {
            "id": row.subscription,
            "entityType": Entity(row.entity).name.lower(),
            "entityId": row.named,
            "signalTypes": row.types.split(","),
            "name": row.name,
            "url": row.url,
            "isActive": bool(row.active),
            "blockReason": row.block_reason,
            "blockedAt": _iso_time(row.blocked_at),
            "waiting": row.queued,
            "creditsNeeded": row.needs,
            "failed": row.dead_letters,
        }
        for row in rows
    ]


def write_failures(rows: Sequence[DeadLetter], *, ids: bool) -> None:
    write_table(rows, _FAILURE_COLUMNS, ids=ids, empty="No deliveries failed permanently")


def failures_json(rows: Sequence[DeadLetter]) -> list[dict[str, Any]]:
    return [
        {
            "payloadId": row.payload_id,
            "failedAt": _iso_time(row.failed_at),
            "subscriptionId": row.subscription,
            "isActive": bool(row.active),
            "entityId": row.named,
            "url": row.url,
        }
        for row in rows
    ]


def _iso_time(seconds: float | None) -> str | None:
    return None if seconds is None else iso(seconds)


_SUBSCRIPTION_COLUMNS: Final[Sequence[Column[SubscriptionStatus]]] = (
    Column("URL", lambda row: row.url, least=24),
    Column("STATE", _state),
    Column("WAITING", lambda row: row.queued),
    Column("FAILED", lambda row: row.dead_letters),
    Column("TYPES", lambda row: row.types, 1),
    Column("OF", lambda row: Entity(row.entity).name.lower(), 2, whole=True),
    Column("ENTITY", lambda row: row.named, is_id=True),
    Column("ID", lambda row: row.subscription, is_id=True),
)
_FAILURE_COLUMNS: Final[Sequence[Column[DeadLetter]]] = (
    Column("FAILED AT", lambda row: _iso_time(row.failed_at), 1, whole=True),
    Column("NOW", lambda row: "active" if row.active else "disabled", 2, whole=True),
    Column("URL", lambda row: row.url, least=24),
    Column("PAYLOAD ID", lambda row: row.payload_id, whole=True),
    Column("SUBSCRIPTION", lambda row: row.subscription, is_id=True),
)
