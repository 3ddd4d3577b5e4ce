"""Page views of sites: storage, in any order and portions, and the sessions derived from them."""

from collections.abc import Iterable

from firmograph.database.connection import Database
from firmograph.visits.types import AddedPageViews, PageView, Site


class PageViews:
    """Page views of all sites; each call of `add` is one short transaction for each 2,000 page views."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, site: Site, page_views: Iterable[PageView | None]) -> AddedPageViews:
        """Add page views of a site and derive their sessions. None stands for one of a closed quarter.

        Raises Refused if the site is not tracked any more.
        """
        raise NotImplementedError
