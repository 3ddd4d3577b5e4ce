"""Amounts in US dollars, in which money compares (docs/reference/prospecting.md#ranges)."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _rates() -> dict[str, float]:
    """Units of each currency for one euro: `data/exchange_rates.toml` tells of which day and by whom."""
    tables = tomllib.loads(files(__package__).joinpath("data/exchange_rates.toml").read_text("utf-8"))
    rates: dict[str, float] = tables["rates"]
    return rates


def dollars(amount: float, currency: str | None) -> float | None:
    """An amount in whole US dollars; without a currency it is taken for dollars. None where no rate is known."""
    if currency is None or currency == "USD":
        return amount
    rates = _rates()
    return float(round(amount / rates[currency] * rates["USD"])) if currency in rates else None
