"""What the document cannot say of prospecting: how filters go together, and which places are known.

Requests that fit the document are brought in line with it, so that all of them should be accepted; nothing is changed
about those that do not fit. What is null stays null, except where a value is needed.
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
    filters = _object(body, "filters")
    include = _object(_object(filters, own), "include")
    for name in ("searchText", "signals", "filterByIntentCategory"):
        if _has(body, name) and (_has(include, name) or _has(include, "signals")):
            del body[name]
    if _has(body, "filterByIntentCategory") and _has(body, "signals"):
        body["signals"].pop("filterByIntentCategory", None)
    include["names"] = [*(include.get("names") or ()), "Ann"]
    if own == "companies" and _has(filters, "contacts"):
        sides = [filters["companies"].get(side) or {} for side in ("include", "exclude")]
        for side in (body, *sides):
            for name in [name for name in side if name in _ALONE or name.startswith("intent")]:
                del side[name]
    return body


def _has(value: dict[str, Any], *names: str) -> bool:
    """Whether all of these are there and not null."""
    return all(value.get(name) is not None for name in names)


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    """The object under a name, made where there is none."""
    if not _has(value, name):
        value[name] = {}
    return value[name]


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
    if _has(value, "zipcode"):
        value |= {name: known for name, known in ZIP.items() if name in value}
    elif _has(value, "countryIso2"):
        value["countryIso2"] = "DE"
    if _has(value, "countries"):
        value["countries"] = ["DE" for _ in value["countries"]]
    if _has(value, "naicsCodes"):
        value["naicsCodes"] = ["-".join(sorted(code.split("-"))) for code in value["naicsCodes"]]
    if _has(value, "sicCodes"):
        value.pop("sicsCodes", None)
    if _has(value, "intentTopicsOperator"):
        value.pop("intentTopicsCondition", None)
    for low, high in _BOUNDS:
        if _has(value, low, high):
            value[low], value[high] = sorted((value[low], value[high]))
