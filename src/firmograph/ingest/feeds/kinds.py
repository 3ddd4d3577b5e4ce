"""The kinds of feeds by the name of their import command."""

from collections.abc import Callable
from typing import Any

from firmograph.ingest.feeds.feed import Feed, FeedDependencies


def _headcounts(dependencies: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.figure_feeds import HeadcountsFeed

    return HeadcountsFeed(dependencies)


def _jobs(dependencies: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.jobs import JobsFeed

    return JobsFeed(dependencies)


def _traffic(dependencies: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.figure_feeds import TrafficFeed

    return TrafficFeed(dependencies)


def _it_spend(dependencies: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.figure_feeds import ItSpendFeed

    return ItSpendFeed(dependencies)


def _news(dependencies: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.news import NewsFeed

    return NewsFeed(dependencies)


def _posts(dependencies: FeedDependencies) -> Feed[Any]:
    from firmograph.ingest.feeds.posts import PostsFeed

    return PostsFeed(dependencies)


KINDS: dict[str, Callable[[FeedDependencies], Feed[Any]]] = {
    "headcounts": _headcounts,
    "jobs": _jobs,
    "traffic": _traffic,
    "it-spend": _it_spend,
    "news": _news,
    "posts": _posts,
}
"""Factories of feeds for one import, each of which loads its modules when called."""
