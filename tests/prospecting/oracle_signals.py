"""Filters by signals, matched to records from the JSON of the filter (docs/reference/prospecting.md#signals)."""

from datetime import timedelta
from typing import Any

from record_set import TODAY, Firm, Person, StoredSignal
from sample_signals import PLACES

Json = dict[str, Any]

_OLDEST_POST = (TODAY - timedelta(90)).isoformat()


def signals(value: Json, record: Person | Firm, records: object, criteria: Json) -> bool:
    return any(_is_requested(value, signal) for signal in record.signals)


def _is_requested(value: Json, signal: StoredSignal) -> bool:
    if signal.type not in value["types"] and "allSignals" not in value["types"]:
        return False
    if signal.day > TODAY.isoformat():
        return False
    if signal.type == "linkedinActivityIntent" and signal.day < _OLDEST_POST:
        return False
    start = value.get("startDate", "")
    entries = _narrowing(value, signal.type) or [{}]
    return any(
        signal.day >= entry.get("startDate", start) and _fits(entry, signal.detail) for entry in entries
    )


def _narrowing(value: Json, type: str) -> list[Json]:
    """Return the entries of the filter that narrows this type, if present."""
    if type == "linkedinActivityIntent":
        return [{"category": category} for category in value.get("filterByIntentCategory", [])]
    names = {"surgeInHiringByDepartment": "filterByDepartment", "surgeInHiringByLocation": "filterByLocation"}
    found: list[Json] = value.get(names.get(type, ""), [])
    return found


def _fits(entry: Json, detail: str) -> bool:
    if "category" in entry:
        return entry["category"].lower() in detail.lower().split("|")
    if "department" in entry:
        return bool(entry["department"].lower() == detail.lower())
    if "country" in entry:
        country, _, state = detail.partition("|")
        return _country(entry["country"]) == country and entry.get("state") in (
            None,
            *_states(country, state),
        )
    return True


def _country(text: str) -> str | None:
    return next((code[:2] for code, (names, _) in PLACES.items() if text in names), None)


def _states(country: str, state: str) -> set[str]:
    return PLACES[f"{country}|{state}"][1] if state else set()
