"""Metrics of the collector; none names a site, an account or a visitor."""

from typing import get_args

from firmograph.api.metrics import Metrics
from firmograph.visits.collector.service import IgnoredFor
from firmograph.visits.collector.windows import ReachedLimit


class CollectorMetrics:
    """Counters of page views."""

    def __init__(self, metrics: Metrics) -> None:
        self._taken = metrics.counter(
            "firmograph_page_views_taken",
            "Page views of websites written, once for each site that tracks the page.",
        )
        self._dropped = metrics.counter(
            "firmograph_page_views_dropped", "Messages of websites above a limit.", ["limit"]
        )
        self._ignored = metrics.counter(
            "firmograph_page_views_ignored",
            "Messages of websites that are no page views of a site.",
            ["reason"],
        )
        for limit in get_args(ReachedLimit):
            self._dropped.labels(limit)
        for reason in get_args(IgnoredFor):
            self._ignored.labels(reason)

    def take(self, number: int) -> None:
        self._taken.inc(number)

    def drop(self, limit: ReachedLimit) -> None:
        self._dropped.labels(limit).inc()

    def ignore(self, reason: IgnoredFor, number: int = 1) -> None:
        self._ignored.labels(reason).inc(number)
