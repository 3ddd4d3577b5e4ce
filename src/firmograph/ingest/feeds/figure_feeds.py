"""Feeds of head counts, IT spend and web traffic (`firmograph import headcounts`, `it-spend` and `traffic`)."""

from collections.abc import Sequence
from datetime import date

import msgspec

from firmograph.directory.money import dollars
from firmograph.ingest.feeds.companies import ALIASES, parse_company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.figures import FigureFact, FiguresFeed, figure_day, figure_value
from firmograph.ingest.reading.inputs import CompanyRefInput, Scalar, Text
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import line
from firmograph.signals.events import Detected
from firmograph.signals.figures.detectors import Figure, headcount_signals, it_spend_signals, traffic_signals
from firmograph.signals.figures.store import Amount


class HeadcountRow(msgspec.Struct, rename="camel", gc=False):
    company: CompanyRefInput | str | None = None
    date: Text = None
    count: Scalar = None


class HeadcountsFeed(FiguresFeed):
    """The number of a company's employees on a day."""

    kind = "headcounts"
    row = HeadcountRow
    needs = ("company", "date", "count")
    aliases = ALIASES | {
        "day": "date",
        "asof": "date",
        "headcount": "count",
        "employees": "count",
        "employeecount": "count",
        "employeescount": "count",
    }

    def __init__(self, dependencies: FeedDependencies) -> None:
        super().__init__(dependencies)
        self._rules = dependencies.thresholds.headcount

    def read_fact(self, line: int, row: HeadcountRow) -> FigureFact:
        count = figure_value("count", row.count)
        if not count.is_integer():
            raise Unusable("count: not a whole number")
        return FigureFact(line, parse_company(row.company), figure_day("date", row.date), Amount(count, None))

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        return headcount_signals(company, figures, self._rules)


class ItSpendRow(msgspec.Struct, rename="camel", gc=False):
    company: CompanyRefInput | str | None = None
    date: Text = None
    value: Scalar = None
    currency: Text = None


class ItSpendFeed(FiguresFeed):
    """A company's estimated annual IT spend as of a day."""

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

    def __init__(self, dependencies: FeedDependencies) -> None:
        super().__init__(dependencies)
        self._rules = dependencies.thresholds.it_spend

    def read_fact(self, line: int, row: ItSpendRow) -> FigureFact:
        spend = Amount(figure_value("value", row.value), _currency(row.currency))
        return FigureFact(line, parse_company(row.company), figure_day("date", row.date), spend)

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        return it_spend_signals(company, figures, self._rules)


class TrafficRow(msgspec.Struct, rename="camel", gc=False):
    company: CompanyRefInput | str | None = None
    month: Text = None
    visits: Scalar = None


class TrafficFeed(FiguresFeed):
    """The number of visits to a company's web site in a month."""

    kind = "traffic"
    row = TrafficRow
    needs = ("company", "month", "visits")
    aliases = ALIASES | {"date": "month", "monthlyvisits": "visits", "traffic": "visits"}

    def __init__(self, dependencies: FeedDependencies) -> None:
        super().__init__(dependencies)
        self._rules = dependencies.thresholds.traffic

    def read_fact(self, line: int, row: TrafficRow) -> FigureFact:
        visits = figure_value("visits", row.visits)
        month = figure_day("month", row.month)[:7] + "-01"
        return FigureFact(line, parse_company(row.company), month, Amount(visits, None))

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        return traffic_signals(company, figures, self._rules, today)


def _currency(value: str | None) -> str:
    """Return the currency code, USD where the row has none."""
    code = (line(value) or "USD").upper()
    if dollars(1, code) is None:
        raise Unusable("currency: none with a known rate to the dollar; give the value in USD")
    return code
