"""The kinds of dated facts that can be imported, by the name of their command."""

from collections.abc import Callable
from typing import Any

from firmograph.ingest.feeds.feed import Feed, Parts


def _headcounts(parts: Parts) -> Feed[Any]:
    from firmograph.ingest.feeds.headcounts import HeadcountsFeed

    return HeadcountsFeed(parts)


def _jobs(parts: Parts) -> Feed[Any]:
    from firmograph.ingest.feeds.jobs import JobsFeed

    return JobsFeed(parts)


def _traffic(parts: Parts) -> Feed[Any]:
    from firmograph.ingest.feeds.traffic import TrafficFeed

    return TrafficFeed(parts)


def _it_spend(parts: Parts) -> Feed[Any]:
    from firmograph.ingest.feeds.it_spend import ItSpendFeed

    return ItSpendFeed(parts)


def _news(parts: Parts) -> Feed[Any]:
    from firmograph.ingest.feeds.news import NewsFeed

    return NewsFeed(parts)


def _posts(parts: Parts) -> Feed[Any]:
    from firmograph.ingest.feeds.posts import PostsFeed

    return PostsFeed(parts)


KINDS: dict[str, Callable[[Parts], Feed[Any]]] = {
    "headcounts": _headcounts,
    "jobs": _jobs,
    "traffic": _traffic,
    "it-spend": _it_spend,
    "news": _news,
    "posts": _posts,
}
"""Makes the feed for one import; what a kind needs is loaded only then."""
