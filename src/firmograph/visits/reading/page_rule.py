"""Which requests are page views, and counts of those that are none (ruling J 11)."""

from typing import Final

import msgspec

from firmograph.visits.types import RawPageView

ROBOTS_PATH: Final = "/robots.txt"
_ASSETS: Final = frozenset(
    b"7z apk atom avi avif bin bmp bz2 cjs class css csv cur deb dll dmg eot exe flac flv gif gz ico iso "
    b"jar jpe jpeg jpg js json jsonld jxl less m3u8 m4a m4s m4v map mjs mkv mov mp3 mp4 mpd mpeg mpg msi "
    b"oga ogg ogv opus otf png rar rdf rpm rss scss svg svgz swf tar tgz tif tiff ts ttf txt vtt wasm wav "
    b"weba webm webmanifest webp wmv woff woff2 xml xsl xz zip".split()
)
"""Endings of files that pages load, feeds, and downloads; documents such as PDF are page views."""


class LineCounts(msgspec.Struct, rename="camel"):
    """Lines that are no page views, by what they are."""

    bots: int = 0
    assets: int = 0
    prefetched: int = 0
    other_requests: int = 0
    """Requests by other methods or with other answers than a page."""
    other_sites: int = 0
    """Lines of hosts outside the site's domain."""


Found = RawPageView | str
"""Page view, or why a line cannot be read; a reader of robots.txt, who names no bot, is a page view of that path."""


def is_asset(path: bytes) -> bool:
    """Return whether a path without its query names a file that pages load, a feed or a download."""
    return path.rpartition(b".")[2].lower() in _ASSETS


def is_within(host: str, domain: str) -> bool:
    """Return whether a host is a domain or below it."""
    host = host.lower().rstrip(".")
    return host == domain or host.endswith(f".{domain}")
