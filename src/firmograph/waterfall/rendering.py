"""Contacts with the values of other providers, and the members that say what became of the asks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec

from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import AccountCaller
from firmograph.directory.store import ContactProfile
from firmograph.enrichment.record_renderer import RecordRenderer, contact_units, render_item_error
from firmograph.enrichment.reveal import Paid, RevealBatch
from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.table_rows import FoundValues
from firmograph.waterfall.types import DATA_POINTS, JOB_SECONDS, Ask, AskState, Job, PaidValue

RETRY_SECONDS: Final = 2
"""Pause between two polls of a job that answers recommend."""

_KEYS: Final = {"emails": "email", "phones": "number"}
"""Member of a value by which it is known."""
_TYPES: Final = {"emails": "email", "phones": "phone"}
"""Names of data points in `missingDataPoints`."""
_encode = msgspec.json.encode
_decode_values = msgspec.json.Decoder(list[dict[str, Any]]).decode


class PaidValues:
    """Values of other providers that an account has paid for and may see."""

    def __init__(self, values: Sequence[PaidValue], paid: Paid) -> None:
        named = {(one.contact_id, DATA_POINTS[one.data_point]): one for one in values}
        self._values: Mapping[tuple[int, str], PaidValue] = {
            unit: value for unit, value in named.items() if unit in paid
        }

    def __contains__(self, unit: object) -> bool:
        return unit in self._values

    def get(self, number: int, unit: str) -> PaidValue | None:
        return self._values.get((number, unit))

    def found(self) -> dict[int, FoundValues]:
        """Return the values by record."""
        found: dict[int, FoundValues] = {}
        for (number, unit), value in self._values.items():
            before = found.get(number, FoundValues())
            found[number] = (
                before._replace(emails=value.contents)
                if unit == "emails"
                else before._replace(phones=value.contents)
            )
        return found


NO_VALUES: Final = PaidValues([], ())


class CallAsks:
    """Asks of a call, by contact and data point."""

    def __init__(self, asks: Sequence[Ask] = (), own: Collection[int] = ()) -> None:
        """Take the asks, and which of them the call has begun."""
        self.asks = asks
        self._own = frozenset(own)
        self._by_unit: dict[tuple[int, str], Ask] = {
            (ask.contact_id, DATA_POINTS[ask.data_point]): ask for ask in asks
        }

    @property
    def is_open(self) -> bool:
        return any(ask.is_open for ask in self.asks)

    def count(self, state: AskState) -> int:
        return sum(ask.state == state for ask in self.asks)

    def credits(self, number: int, unit: str) -> int:
        """Return what the call has paid for values of other providers."""
        ask = self._by_unit.get((number, unit))
        return ask.captured if ask is not None and ask.id in self._own else 0

    def missing(self, number: int, unit: str) -> str | None:
        """Return why a data point has no value; None while it is asked for, and where a provider could not answer."""
        ask = self._by_unit.get((number, unit))
        if ask is None or ask.state == AskState.NOT_FOUND:
            return "NOT_FOUND"
        return "BILLING_FAILED" if ask.state == AskState.UNPAID else None


class ResultRenderer:
    """Renderer of contacts, each value with its source and what the call has paid for it."""

    def __init__(self, renderer: RecordRenderer, paid_units: PaidUnits, brand: str) -> None:
        self._renderer = renderer
        self._paid_units = paid_units
        self._own_source = brand.lower()

    def render(
        self,
        caller: AccountCaller,
        tokens: Sequence[str],
        batch: RevealBatch[ContactProfile],
        reveal: frozenset[str],
        values: PaidValues,
        asks: CallAsks,
    ) -> tuple[list[bytes], list[int]]:
        """Return the result of each item, and the records of those that have one."""
        results, numbers = [], []
        for token, slot in zip(tokens, batch.slots, strict=True):
            record = batch.records.get(slot.number) if slot.number is not None else None
            if record is None:
                results.append(render_item_error(Entity.CONTACT, batch.error(slot), token=token))
                continue
            results.append(self.contact(caller, record, reveal, batch.paid, values, asks, batch.charged))
            numbers.append(record.number)
        return results, numbers

    def contact(
        self,
        caller: AccountCaller,
        record: ContactProfile,
        reveal: frozenset[str],
        paid: Paid,
        values: PaidValues,
        asks: CallAsks,
        charged: Paid = (),
    ) -> bytes:
        """Render a contact; `charged` are the own data points that have cost credits in the call."""
        number, missing = record.number, []
        units = contact_units(record.emails, record.phones)
        can_reveal = self._renderer.can_reveal(caller, Entity.CONTACT, number, units, paid)
        for unit in _KEYS:
            if unit not in reveal:
                continue
            own = getattr(record, unit) if (number, unit) in paid else None
            credits = asks.credits(number, unit)
            if (number, unit) in charged:
                credits += self._paid_units.credits_for(caller.plan, Entity.CONTACT, unit)
            shown = self._shown(unit, own, values.get(number, unit), credits)
            record = record._replace(emails=shown) if unit == "emails" else record._replace(phones=shown)
            reason = None if shown or unit in units else asks.missing(number, unit)
            if reason is not None:
                missing.append({"type": _TYPES[unit], "status": reason})
        body = self._renderer.enriched_contact(record, msgspec.UNSET, reveal, can_reveal)
        return body[:-1] + b',"missingDataPoints":%s}' % _encode(missing) if missing else body

    def _shown(self, unit: str, own: bytes | None, found: PaidValue | None, credits: int) -> bytes | None:
        """Return the values of a data point: the own ones, then those of a provider that are not among them."""
        values = [
            {**value, "dataSource": value.get("dataSource") or self._own_source}
            for value in (_decode_values(own) if own else ())
        ]
        if found is not None:
            key = _KEYS[unit]
            known = {value[key] for value in values}
            values += [
                {**value, "dataSource": found.provider}
                for value in _decode_values(found.contents)
                if value[key] not in known
            ]
        if not values:
            return None
        values[0]["credits"] = credits
        return _encode(values)


_DESCRIPTIONS: Final = {
    "completed": "All data points were looked up",
    "partial": "Other providers are still asked; poll the job for the rest",
    "halted": "A provider could not answer for some data points; repeat the call later for these",
    "OUT_OF_CREDITS": "The credits do not cover the price of any provider; nothing was asked",
    "PARTIAL_OUT_OF_CREDITS": "The credits do not cover the price of a provider for some data points",
}


def status_members(asks: CallAsks) -> bytes:
    """Render the status of the asks, each member followed by a comma; of several reasons the worst decides."""
    reason = None
    if asks.count(AskState.UNPAID):
        has_begun = any(ask.has_begun for ask in asks.asks)
        status, reason = "PARTIAL_OUT_OF_CREDITS" if has_begun else "OUT_OF_CREDITS", "CREDITS"
    elif asks.count(AskState.HALTED):
        status, reason = "halted", "PROVIDERS"
    elif asks.is_open:
        status, reason = "partial", "PENDING"
    else:
        status = "completed"
    members = {"status": status, "statusDescription": _DESCRIPTIONS[status]}
    if reason is not None:
        members["statusReason"] = reason
    return _encode(members)[1:-1] + b","


def job_member(job: Job) -> bytes:
    """Render the job of what is still open, followed by a comma."""
    shown = {
        "id": job.token,
        "status": "processing",
        "expiresAt": iso(job.created_at + JOB_SECONDS),
        "retryAfter": RETRY_SECONDS,
    }
    return b'"job":%s,' % _encode(shown)
