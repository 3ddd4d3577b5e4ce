"""The kinds of dated facts that can be imported, by the name of their command."""

from collections.abc import Callable
from typing import Any

from firmograph.ingest.feeds.feed import Feed, FeedDependencies


def _headcounts(parts: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.figure_feeds import HeadcountsFeed

    return HeadcountsFeed(parts)


def _jobs(parts: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.jobs import JobsFeed

    return JobsFeed(parts)


def _traffic(parts: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.figure_feeds import TrafficFeed

    return TrafficFeed(parts)


def _it_spend(parts: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.figure_feeds import ItSpendFeed

    return ItSpendFeed(parts)


def _news(parts: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.news import NewsFeed

    return NewsFeed(parts)


def _posts(parts: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.posts import PostsFeed

    return PostsFeed(parts)


KINDS: dict[str, Callable[[FeedDependencies], Feed[Any]]] = {
    "headcounts": _headcounts,
    "jobs": _jobs,
    "traffic": _traffic,
    "it-spend": _it_spend,
    "news": _news,
    "posts": _posts,
}
"""Makes the feed for one import; what a kind needs is loaded only then."""
