"""Packages of an installation: the one list that a new package joins."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from firmograph.installation import Registration, packaged_prices

if TYPE_CHECKING:
    from firmograph.billing.plans import Plans
    from firmograph.privacy.declarations import PersonalData

PACKAGES: Final = (
    "billing",
    "rate_limits",
    "enrichment",
    "prospecting",
    "indexing",
    "company_names",
    "signals",
    "signal_score",
    "lookalikes",
    "buying_groups",
    "record_tables",
    "conversations",
    "visits",
    "waterfall",
    "legacy",
    "webhooks",
    "ingest",
    "record_export",
    "backup",
    "accounts",
    "operator_audit",
    "admin",
    "logins",
    "saved_searches",
    "workspace",
    "cli",
)
"""Packages with a `registration.py`. In this order endpoints are listed and lifespans entered."""

_METRICS: Final = "firmograph.bootstrap.metrics_wiring"
_RECORDS: Final = "firmograph.bootstrap.record_wiring"


def _jobs_data() -> "Sequence[PersonalData]":
    from firmograph.jobs.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _privacy_data() -> "Sequence[PersonalData]":
    from firmograph.privacy.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


_FOUNDATIONS: Final[Mapping[str, Registration]] = {
    "api": Registration(services=(_METRICS,)),
    "directory": Registration(services=(_RECORDS,)),
    "jobs": Registration(personal_data=_jobs_data, services=(_METRICS,), server=_METRICS),
    "privacy": Registration(personal_data=_privacy_data, services=(_RECORDS,)),
    "table_rows": Registration(services=("firmograph.record_tables.cell_wiring",)),
}
"""Registrations of packages below `installation`, which cannot import it."""


@cache
def registrations() -> Mapping[str, Registration]:
    """Return the registrations by package: first those of the foundations."""
    return {**_FOUNDATIONS, **{name: _registration(name) for name in PACKAGES}}


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
