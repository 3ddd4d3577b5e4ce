"""Page views without a company, whose addresses reverse DNS is asked about (rulings J 13, 14).

They are stored at once without a company. When the name of their address tells one, they are added again with it, which
changes the same page views.
"""

from collections import defaultdict
from typing import Final, NamedTuple

from firmograph.kit.clock import Clock
from firmograph.visits.networks.reverse_dns import KEPT_SECONDS, ReverseDns
from firmograph.visits.types import OwnerKind, PageView, Site, VisitOwner

_CONFIDENCE: Final = 0.4
_MOST: Final = 16_384
"""Page views that wait for a name; others stay without a company."""


class _Waiting(NamedTuple):
    site: Site
    address: str
    page_view: PageView
    forget_at: float


class UnnamedPageViews:
    """Page views that wait for the name of their address, in memory alone; nothing where reverse DNS is off."""

    def __init__(self, reverse_dns: ReverseDns | None, clock: Clock) -> None:
        self._reverse_dns = reverse_dns
        self._clock = clock
        self._waiting: list[_Waiting] = []

    def add(self, site: Site, address: str | None, page_view: PageView) -> None:
        """Begin to ask about the address of a page view that has one, but no company."""
        if self._reverse_dns is None or address is None or page_view.owner is not None:
            return
        if len(self._waiting) < _MOST:
            self._reverse_dns.ask([address])
            forget_at = self._clock.seconds() + KEPT_SECONDS
            self._waiting.append(_Waiting(site, address, page_view, forget_at))

    def wait(self) -> bool:
        """Wait for the names of all; return False if there was no answer for a while."""
        return self._reverse_dns is None or not self._waiting or self._reverse_dns.wait()

    def take_named(self) -> dict[Site, list[PageView]]:
        """Return page views with the companies that were found, and forget all that are answered or too old."""
        if self._reverse_dns is None:
            return {}
        now, named, left = self._clock.seconds(), defaultdict(list), []
        for one in self._waiting:
            domain = self._reverse_dns.domain(one.address)
            if domain is not None:
                owner = VisitOwner(OwnerKind.REVERSE_DNS, domain, _CONFIDENCE)
                named[one.site].append(one.page_view._replace(owner=owner))
            elif self._reverse_dns.is_pending(one.address) and now < one.forget_at:
                left.append(one)
        self._waiting = left
        self._reverse_dns.forget_old()
        return named
