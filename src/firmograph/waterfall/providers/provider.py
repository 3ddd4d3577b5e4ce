"""Parts that all kinds of providers share."""

from collections.abc import Iterable, Mapping
from typing import Final

from firmograph.ingest.reading.conversion import whole_number_text
from firmograph.waterfall.providers.file_shapes import ProviderTable
from firmograph.waterfall.providers.types import DataPoint, Found, Miss

MAX_VALUES: Final = 20
"""Values of a data point that are taken of an answer."""
MAX_LENGTH: Final = 320
"""Characters of a value; longer ones are dropped."""
NO_VALUE: Final = Miss("no value")


class ProviderTraits:
    """Name, kind, prices and rate of a provider."""

    def __init__(self, name: str, table: ProviderTable) -> None:
        self.name = name
        self.kind = table.kind
        self.eu = table.eu
        given: dict[DataPoint, int | None] = {"emails": table.prices.emails, "phones": table.prices.phones}
        self.prices: Mapping[DataPoint, int] = {
            point: credits for point, credits in given.items() if credits is not None
        }
        self.rate_per_second = table.rate_per_second

    def __repr__(self) -> str:
        return f"<provider {self.name} of kind {self.kind}>"


def found_values(
    data_point: DataPoint, values: Iterable[object], first_name: object, last_name: object
) -> Found | Miss:
    """Return the usable texts of an answer, whole numbers as their digits; a miss without any."""
    texts: dict[str, None] = {}
    for value in values:
        if text := _text(value):
            texts[text] = None
            if len(texts) == MAX_VALUES:
                break
    if not texts:
        return NO_VALUE
    emails, phones = (tuple(texts), ()) if data_point == "emails" else ((), tuple(texts))
    return Found(emails, phones, _text(first_name) or None, _text(last_name) or None)


def _text(value: object) -> str:
    text = value.strip() if isinstance(value, str) else whole_number_text(value) or ""
    return text if len(text) <= MAX_LENGTH else ""
