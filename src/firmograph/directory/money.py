"""Conversion of amounts to US dollars for comparisons (docs/reference/prospecting.md#ranges)."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _rates() -> dict[str, float]:
    """Return the units of each currency per euro; `data/exchange_rates.toml` states their day and source."""
    tables = tomllib.loads(files(__package__).joinpath("data/exchange_rates.toml").read_text("utf-8"))
    rates: dict[str, float] = tables["rates"]
    return rates


def dollars(amount: float, currency: str | None) -> float | None:
    """Return an amount in whole US dollars; None if no rate is known. No currency means dollars."""
    if currency is None or currency == "USD":
        return amount
    rates = _rates()
    return float(round(amount / rates[currency] * rates["USD"])) if currency in rates else None
