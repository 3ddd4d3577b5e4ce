"""`firmograph import it-spend`: what a company was estimated to spend on IT in a year, as of a day."""

from collections.abc import Sequence
from datetime import date

import msgspec

from firmograph.directory.money import dollars
from firmograph.ingest.feeds.companies import ALIASES, parse_company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.figures import FigureFact, FiguresFeed, figure_day, figure_value
from firmograph.ingest.reading.inputs import CompanyRefInput, Loose, Text
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import line
from firmograph.signals.events import Detected
from firmograph.signals.figure_store import Amount
from firmograph.signals.figures import Figure, it_spend_signals


class ItSpendRow(msgspec.Struct, rename="camel", gc=False):
    company: CompanyRefInput | str | None = None
    date: Text = None
    value: Loose = None
    currency: Text = None


class ItSpendFeed(FiguresFeed):
    kind = "it-spend"
    row = ItSpendRow
    needs = ("company", "date", "value")
    aliases = ALIASES | {
        "day": "date",
        "asof": "date",
        "spend": "value",
        "amount": "value",
        "itspend": "value",
        "estimatedannualitspend": "value",
    }

    def __init__(self, parts: FeedDependencies) -> None:
        super().__init__(parts)
        self._rules = parts.thresholds.it_spend

    def read_fact(self, line: int, row: ItSpendRow) -> FigureFact:
        spent = Amount(figure_value("value", row.value), _currency(row.currency))
        return FigureFact(line, parse_company(row.company), figure_day("date", row.date), spent)

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        return it_spend_signals(company, figures, self._rules)


def _currency(value: str | None) -> str:
    """Dollars where nothing is said."""
    code = (line(value) or "USD").upper()
    if dollars(1, code) is None:
        raise Unusable("currency: none with a known rate to the dollar; give the value in USD")
    return code
