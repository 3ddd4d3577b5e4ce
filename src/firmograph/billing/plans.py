"""Plans and prices: the packaged ones, with the operator's file merged over them.

The packaged file has the plans; packages register their prices.

See docs/reference/account.md#prices.

Search previews are free by default. Every plan includes every feature unless the operator's file excludes it
(docs/reference/account.md#features).
"""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from firmograph.billing.types import MAX_CREDITS
from firmograph.caller import Plan, Price
from firmograph.kit.deep_merge import deep_merge
from firmograph.kit.errors import Refused
from firmograph.kit.toml_file import read_toml_file

T = TypeVar("T")

_Window = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]


class _PlanEntry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    minute: _Window
    day: _Window
    hour: _Window | None = None
    second: Annotated[int, msgspec.Meta(ge=0)] = 25
    category: str = ""
    renewal: str = ""
    credits_per_month: Annotated[int, msgspec.Meta(ge=0, le=MAX_CREDITS)] = 0
    unused: Literal["expire", "stay"] = "expire"
    pricing: dict[str, Any] = {}
    features: dict[str, bool] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    plans: dict[str, Any]
    pricing: dict[str, Any]
    features: dict[str, bool]


class Plans:
    """Plans by name."""

    def __init__(self, plans: dict[str, Plan]) -> None:
        self._plans = plans

    def __iter__(self) -> Iterator[Plan]:
        return iter(self._plans.values())

    def find(self, name: str) -> Plan | None:
        return self._plans.get(name)

    def named(self, name: str) -> Plan:
        """Return the plan of that name. Raises Refused listing the existing names."""
        plan = self._plans.get(name)
        if plan is None:
            raise Refused(f"No plan {name!r}; choose one of {', '.join(self._plans)}")
        return plan


def read_plans(prices: Mapping[str, Price], override: str = "") -> Plans:
    """Read the packaged plans, with these prices besides their own, and the file at `override` merged over them.

    Raises Refused, naming the file and the position in it, when it cannot be read or is invalid. Unknown price keys and
    features are refused too, because a misspelt one would silently leave the packaged price or the feature included.
    """
    packaged = tomllib.loads(files(__package__).joinpath("plans.toml").read_text())
    packaged["pricing"] = {
        **{key: msgspec.to_builtins(price) for key, price in prices.items()},
        **packaged["pricing"],
    }
    merged = deep_merge(packaged, read_toml_file(override, "plans file")) if override else packaged
    try:
        file = _convert(merged, _File, "the file")
        return Plans({name: _plan(name, entry, file, packaged) for name, entry in file.plans.items()})
    except Refused as error:
        raise Refused(f"{override}: {error.message}") from error


def _convert(value: Any, kind: type[T], place: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise Refused(f"{place} is invalid: {error}") from error


def _plan(name: str, table: Any, file: _File, packaged: dict[str, Any]) -> Plan:
    entry = _convert(table, _PlanEntry, f"plans.{name}")
    prices = deep_merge(file.pricing, entry.pricing)
    features = deep_merge(file.features, entry.features)
    _check_known(prices, packaged["pricing"], "price key")
    _check_known(features, packaged["features"], "feature")
    return Plan(
        name=name,
        category=entry.category or name,
        renewal=entry.renewal or ("monthly" if entry.credits_per_month else "none"),
        credits_per_month=entry.credits_per_month,
        unused=entry.unused,
        second=entry.second or None,
        minute=entry.minute,
        hour=entry.hour,
        day=entry.day,
        prices={key: _convert(price, Price, f"the price {key} of {name}") for key, price in prices.items()},
        features=features,
    )


def _check_known(given: dict[str, Any], known: dict[str, Any], what: str) -> None:
    if unknown := given.keys() - known.keys():
        raise Refused(f"{min(unknown)!r} is not a {what}; known are {', '.join(sorted(known))}")
