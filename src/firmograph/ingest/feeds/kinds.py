"""The kinds of dated facts that can be imported, by the name of their command."""

from collections.abc import Callable
from typing import Any

from firmograph.ingest.feeds.feed import Feed, Parts

KINDS: dict[str, Callable[[Parts], Feed[Any]]] = {}
"""Makes the feed for one import."""
