"""Collector of page views from browsers: what counts, and its writing within a second (rulings J 15, O)."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Literal, NamedTuple, Protocol
from urllib.parse import urlsplit

from firmograph.directory.normalise.domains import host_of
from firmograph.kit.errors import Refused
from firmograph.visits.bots import is_bot
from firmograph.visits.collector.waiting import ArrivedPageView, WaitingPageViews
from firmograph.visits.collector.windows import PageViewLimits, ReachedLimit
from firmograph.visits.recognition import UnknownVisitorError, VisitorRecognition
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.types import PageView, RawPageView, Site
from firmograph.visits.unnamed import UnnamedPageViews

SAVE_SECONDS: Final = 0.5
"""Interval of writing, so that a kill loses at most what arrived in a second."""

IgnoredFor = Literal[
    "privacy", "origin", "unknown_site", "bot", "excluded", "no_address", "closed", "suppressed"
]
"""Why a message is no page view of a site."""


class PageViewCounts(Protocol):
    """Counts of messages."""

    def take(self, number: int) -> None: ...
    def drop(self, limit: ReachedLimit) -> None: ...
    def ignore(self, reason: IgnoredFor, number: int = 1) -> None: ...


class _Admitted(NamedTuple):
    """Page views of a site, from the browser and recognised."""

    site: Site
    raw: list[RawPageView]
    page_views: list[PageView | None]


class Collector:
    """Collector of this process. A request only adds to a queue, so that its time tells nothing either."""

    def __init__(
        self,
        sites: Sites,
        recognition: VisitorRecognition,
        page_views: PageViews,
        counts: PageViewCounts,
        unnamed: UnnamedPageViews,
    ) -> None:
        self._sites = sites
        self._recognition = recognition
        self._page_views = page_views
        self._counts = counts
        self._unnamed = unnamed
        self._waiting = WaitingPageViews()
        self._limits = PageViewLimits()
        self._admitted: dict[int, _Admitted] = {}
        self._named: dict[Site, list[PageView]] = {}
        """Page views whose company is to be added."""
        self._saving = threading.Lock()

    def take(self, arrived: ArrivedPageView) -> None:
        """Take a page view, or drop it where the memory for them is full."""
        if not self._waiting.add(arrived):
            self._counts.drop("memory")

    def ignore(self, reason: IgnoredFor) -> None:
        """Count a message that is ignored."""
        self._counts.ignore(reason)

    def save(self) -> None:
        """Write the page views since the last call; those of a failed call stay for the next one."""
        with self._saving:
            self._write()
            self._admit()
            self._write()
            self._name()

    def _admit(self) -> None:
        """Sort the page views that wait by site, without those that do not count."""
        waiting = self._waiting.take()
        try:
            of_host = self._tracking(waiting)
        except BaseException:
            self._waiting.put_back(waiting)
            raise
        for arrived in waiting:
            sites = of_host.get(host_of(arrived.origin) or "", ())
            raw = self._judge(arrived, sites)
            if raw is not None:
                for site in sites:
                    self._admitted.setdefault(site.id, _Admitted(site, [], [])).raw.append(raw)

    def _tracking(self, waiting: Iterable[ArrivedPageView]) -> Mapping[str, Sequence[Site]]:
        """Return the sites of each host: of each account that tracks it the one with the longest domain."""
        hosts = {host for each in waiting if (host := host_of(each.origin))}
        return {host: self._sites.of_host_in_every_account(host) for host in hosts}

    def _judge(self, arrived: ArrivedPageView, sites: Sequence[Site]) -> RawPageView | None:
        """Return a page view for its sites; None if it does not count."""
        path = _path_at(arrived.url, host_of(arrived.origin))
        if path is None:
            self._counts.ignore("origin")
            return None
        if not sites:
            self._counts.ignore("unknown_site")
            return None
        domain = max((site.domain for site in sites), key=len)
        is_first = arrived.seconds is None
        limit = self._limits.take(domain, arrived.address, arrived.arrived_at, is_first=is_first)
        if limit is not None:
            self._counts.drop(limit)
            return None
        if is_bot(arrived.agent):
            self._counts.ignore("bot")
            return None
        return RawPageView(
            arrived.at,
            path,
            arrived.address,
            arrived.agent,
            email_domain=arrived.email_domain,
            email_hash=arrived.email_hash,
            customer_id=arrived.customer_id,
            seconds=arrived.seconds,
        )

    def _write(self) -> None:
        """Recognise the visitors of admitted page views, by which addresses are dropped, and write them."""
        for number, admitted in list(self._admitted.items()):
            self._recognise(admitted)
            try:
                added = self._page_views.add(admitted.site, admitted.page_views)
            except Refused:
                # not tracked any more since it was looked up
                self._counts.ignore("unknown_site", len(admitted.page_views))
            else:
                self._counts.take(added.new)
                self._counts.ignore("closed", added.closed)
                self._counts.ignore("suppressed", added.suppressed)
            del self._admitted[number]

    def _name(self) -> None:
        """Add the companies that are known by names since; the page views are stored already."""
        for site, page_views in self._unnamed.take_named().items():
            self._named.setdefault(site, []).extend(page_views)
        for site, page_views in list(self._named.items()):
            # not tracked any more
            with suppress(Refused):
                self._page_views.add(site, page_views)
            del self._named[site]

    def _recognise(self, admitted: _Admitted) -> None:
        if not admitted.raw:
            return
        recognition = self._recognition.for_site(admitted.site, from_collector=True)
        while admitted.raw:
            raw = admitted.raw[-1]
            if recognition.is_excluded(raw):
                self._counts.ignore("excluded")
            else:
                try:
                    page_view = recognition.page_view(raw)
                except UnknownVisitorError:
                    self._counts.ignore("no_address")
                else:
                    admitted.page_views.append(page_view)
                    if page_view is not None:
                        self._unnamed.add(admitted.site, recognition.address_to_ask_about(raw), page_view)
            admitted.raw.pop()


def _path_at(url: str, host: str | None) -> str | None:
    """Return path and query of a URL at this host; None for any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if host is None or parts.scheme not in ("http", "https") or host_of(parts.netloc) != host:
        return None
    path = parts.path or "/"
    return f"{path}?{parts.query}" if parts.query else path
