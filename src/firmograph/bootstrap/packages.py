"""Packages of an installation: the one list that a new package joins."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from firmograph.bootstrap.foundations import FOUNDATIONS
from firmograph.installation import Registration, packaged_prices

if TYPE_CHECKING:
    from firmograph.billing.plans import Plans

PACKAGES: Final = (
    "billing",
    "rate_limits",
    "enrichment",
    "prospecting",
    "indexing",
    "signals",
    "signal_score",
    "lookalikes",
    "buying_groups",
    "record_tables",
    "legacy",
    "webhooks",
    "ingest",
    "backup",
    "accounts",
    "cli",
)
"""Packages with a `registration.py`. In this order endpoints are listed and lifespans entered."""


@cache
def registrations() -> Mapping[str, Registration]:
    """Return the registrations by package: first those of the foundations, which cannot import `installation`."""
    return {**FOUNDATIONS, **{name: _registration(name) for name in PACKAGES}}


def _registration(package: str) -> Registration:
    registration = import_module(f"firmograph.{package}.registration").REGISTRATION
    if not isinstance(registration, Registration):
        raise TypeError(f"REGISTRATION of {package} is not a Registration")
    return registration


def load_plans(override: str = "") -> "Plans":
    """Return the plans with the prices of all packages, and the file at `override` merged over them.

    Raises Refused, naming the file and the position in it, when it cannot be read or is invalid.
    """
    from firmograph.billing.plans import read_plans

    return read_plans(packaged_prices(registrations()), override)
