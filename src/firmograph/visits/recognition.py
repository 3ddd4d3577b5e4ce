"""Recognition of visitors and of their companies, by which addresses are dropped (rulings J 11 to 14, O)."""

from firmograph.visits.types import PageView, RawPageView, Site


class UnknownVisitorError(ValueError):
    """Page view without address and without any name of its visitor, which is rejected."""


class VisitorRecognition:
    """Recognition of visitors for all sites (`installation.get(VisitorRecognition)`)."""

    def for_site(self, site: Site, *, from_collector: bool = False) -> "SiteRecognition":
        """Return the recognition for a batch of page views; it reads which networks are loaded."""
        raise NotImplementedError


class SiteRecognition:
    """Recognition of the visitors of one site, for a batch of page views."""

    def is_excluded(self, raw: RawPageView) -> bool:
        """Return whether a page view is the site's own traffic."""
        raise NotImplementedError

    def page_view(self, raw: RawPageView) -> PageView | None:
        """Return a page view without address, path and agent; None if its quarter is closed.

        Raises UnknownVisitorError.
        """
        raise NotImplementedError
