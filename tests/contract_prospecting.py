"""What the document cannot say of prospecting: how filters go together, and which places are known.

Requests that fit the document are brought in line with it, so that all of them should be accepted; nothing is changed
about those that do not fit.
"""

import copy
from typing import Any

ZIP = {"country": "Germany", "countryIso2": "DE", "zipcode": "10115"}
"""The one postcode of the held records."""

_ALONE = ("searchText", "signals", "technologies")
_BOUNDS = (("min", "max"), ("minScore", "maxScore"), ("intentMinScore", "intentMaxScore"))


def sensible(path: str, body: dict[str, Any]) -> dict[str, Any]:
    body = plain(copy.deepcopy(body))
    _each_object(body)
    own = "contacts" if "contacts" in path else "companies"
    filters = body.setdefault("filters", {})
    include = filters.setdefault(own, {}).setdefault("include", {})
    for name in ("searchText", "signals", "filterByIntentCategory"):
        if name in body and (name in include or "signals" in include):
            del body[name]
    if "filterByIntentCategory" in body and "signals" in body:
        body["signals"].pop("filterByIntentCategory", None)
    include.setdefault("names", []).append("Ann")
    if own == "companies" and "contacts" in filters:
        sides = [filters["companies"].get(side, {}) for side in ("include", "exclude")]
        for side in (body, *sides):
            for name in [name for name in side if name in _ALONE or name.startswith("intent")]:
                del side[name]
    return body


def plain(value: Any) -> Any:
    """Whole numbers written without a point, as any client writes them: `30`, where the generator also has `30.0`."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _each_object(value: Any) -> None:
    if isinstance(value, dict):
        _repair(value)
        for inner in value.values():
            _each_object(inner)
    elif isinstance(value, list):
        for inner in value:
            _each_object(inner)


def _repair(value: dict[str, Any]) -> None:
    if isinstance(value.get("signals"), dict) and not value["signals"].get("types"):
        value["signals"]["types"] = ["allSignals"]
    if "zipcode" in value:
        value |= {name: known for name, known in ZIP.items() if name in value}
    elif "countryIso2" in value:
        value["countryIso2"] = "DE"
    if "countries" in value:
        value["countries"] = ["DE" for _ in value["countries"]]
    if "naicsCodes" in value:
        value["naicsCodes"] = ["-".join(sorted(code.split("-"))) for code in value["naicsCodes"]]
    if "sicCodes" in value:
        value.pop("sicsCodes", None)
    if "intentTopicsOperator" in value:
        value.pop("intentTopicsCondition", None)
    for low, high in _BOUNDS:
        if low in value and high in value:
            value[low], value[high] = sorted((value[low], value[high]))
