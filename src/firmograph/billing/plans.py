"""Plans and prices: the packaged file, with the operator's own merged over it.

Windows are those of wire-a 7.3, prices those of wire-a 7.1, search previews being free (decisions, row 2). Every
feature is open on every plan unless the operator's file closes it (decisions C and E, Plans).
"""

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from firmograph.kit.deep_merge import laid_over
from firmograph.kit.errors import Forbidden, Refused

T = TypeVar("T")

_Window = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
_Credits = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What an action costs: `credits` for each started `perQuantity` units of one request."""

    credits: _Credits
    per_quantity: _Window

    def of(self, quantity: int) -> int:
        return -(-quantity // self.per_quantity) * self.credits


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What an account may do. Windows are in requests; `hour` None and `second` None are not limited."""

    name: str
    category: str
    renewal: str
    second: int | None
    minute: int
    hour: int | None
    day: int
    prices: dict[str, Price]
    features: dict[str, bool]

    def price(self, action: str) -> Price:
        return self.prices[action]

    def is_priced(self, action: str) -> bool:
        """Whether the action costs anything."""
        return self.prices[action].credits > 0

    def check(self, feature: str) -> None:
        """Raises Forbidden, naming the feature, unless it is part of the plan (specification 5.8)."""
        if not self.features[feature]:
            raise Forbidden(f"Forbidden: {feature} is not part of the account's plan", [feature])


class _PlanEntry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    minute: _Window
    day: _Window
    hour: _Window | None = None
    second: Annotated[int, msgspec.Meta(ge=0)] = 25
    category: str = ""
    renewal: str = "none"
    pricing: dict[str, Any] = {}
    features: dict[str, bool] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    plans: dict[str, Any]
    pricing: dict[str, Any]
    features: dict[str, bool]


class Plans:
    """The plans by name."""

    def __init__(self, plans: dict[str, Plan]) -> None:
        self._plans = plans

    def __iter__(self) -> Iterator[Plan]:
        return iter(self._plans.values())

    def find(self, name: str) -> Plan | None:
        return self._plans.get(name)

    def named(self, name: str) -> Plan:
        """The plan of that name. Raises Refused listing the names that there are."""
        plan = self._plans.get(name)
        if plan is None:
            raise Refused(f"There is no plan {name!r}; choose one of {', '.join(self._plans)}")
        return plan


def load_plans(override: str = "") -> Plans:
    """The packaged plans with the file at `override` merged over them.

    Raises Refused, naming the file and the place in it, when it cannot be read or does not fit. A price key
    that no action uses, and a feature that there is not, is refused too: a misspelt one would silently leave the
    old price, or an open feature.
    """
    packaged = tomllib.loads(files(__package__).joinpath("plans.toml").read_text())
    given = laid_over(packaged, _read(override)) if override else packaged
    try:
        file = _fit(given, _File, "the file")
        return Plans({name: _plan(name, entry, file, packaged) for name, entry in file.plans.items()})
    except Refused as error:
        raise Refused(f"{override}: {error.message}") from error


def _read(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text())
    except OSError as error:
        raise Refused(f"The plans file {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(f"The plans file {path} is not TOML: {error}") from error


def _fit(value: Any, kind: type[T], place: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise Refused(f"{place} does not fit: {error}") from error


def _plan(name: str, given: Any, file: _File, packaged: dict[str, Any]) -> Plan:
    entry = _fit(given, _PlanEntry, f"plans.{name}")
    prices = laid_over(file.pricing, entry.pricing)
    features = laid_over(file.features, entry.features)
    _check_known(prices, packaged["pricing"], "price key")
    _check_known(features, packaged["features"], "feature")
    return Plan(
        name=name,
        category=entry.category or name,
        renewal=entry.renewal,
        second=entry.second or None,
        minute=entry.minute,
        hour=entry.hour,
        day=entry.day,
        prices={key: _fit(price, Price, f"the price {key} of {name}") for key, price in prices.items()},
        features=features,
    )


def _check_known(given: dict[str, Any], known: dict[str, Any], what: str) -> None:
    if unknown := given.keys() - known.keys():
        raise Refused(f"{min(unknown)!r} is no {what}; there are {', '.join(sorted(known))}")
