"""`firmograph import headcounts`: how many people a company had on a day."""

from collections.abc import Sequence
from datetime import date

import msgspec

from firmograph.ingest.feeds.companies import ALIASES, parse_company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.figures import FigureFact, FiguresFeed, figure_day, figure_value
from firmograph.ingest.reading.inputs import CompanyRefInput, Loose, Text
from firmograph.ingest.records.preparation import Unusable
from firmograph.signals.events import Detected
from firmograph.signals.figure_store import Amount
from firmograph.signals.figures import Figure, headcount_signals


class HeadcountRow(msgspec.Struct, rename="camel", gc=False):
    company: CompanyRefInput | str | None = None
    date: Text = None
    count: Loose = None


class HeadcountsFeed(FiguresFeed):
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

    def __init__(self, parts: FeedDependencies) -> None:
        super().__init__(parts)
        self._rules = parts.thresholds.headcount

    def read_fact(self, line: int, row: HeadcountRow) -> FigureFact:
        count = figure_value("count", row.count)
        if not count.is_integer():
            raise Unusable("count: not a whole number")
        return FigureFact(line, parse_company(row.company), figure_day("date", row.date), Amount(count, None))

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        return headcount_signals(company, figures, self._rules)
