"""`firmograph import traffic`: how many visits a company's web site had in a month."""

from collections.abc import Sequence
from datetime import date

import msgspec

from firmograph.ingest.feeds.companies import ALIASES, parse_company
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.figures import FigureFact, FiguresFeed, figure_day, figure_value
from firmograph.ingest.reading.inputs import CompanyRefInput, Loose, Text
from firmograph.signals.events import Detected
from firmograph.signals.figure_store import Amount
from firmograph.signals.figures import Figure, traffic_signals


class TrafficRow(msgspec.Struct, rename="camel", gc=False):
    company: CompanyRefInput | str | None = None
    month: Text = None
    visits: Loose = None


class TrafficFeed(FiguresFeed):
    kind = "traffic"
    row = TrafficRow
    needs = ("company", "month", "visits")
    aliases = ALIASES | {"date": "month", "monthlyvisits": "visits", "traffic": "visits"}

    def __init__(self, parts: FeedDependencies) -> None:
        super().__init__(parts)
        self._rules = parts.thresholds.traffic

    def read_fact(self, line: int, row: TrafficRow) -> FigureFact:
        visits = figure_value("visits", row.visits)
        month = figure_day("month", row.month)[:7] + "-01"
        return FigureFact(line, parse_company(row.company), month, Amount(visits, None))

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        return traffic_signals(company, figures, self._rules, today)
