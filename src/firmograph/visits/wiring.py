"""Services of website visits."""

from typing import Final

from firmograph.installation import Installation, Services
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites


def _sites(installation: Installation) -> Sites:
    return Sites(installation.database, installation.clock, installation.get(OperatorAudit))


def _page_views(installation: Installation) -> PageViews:
    return PageViews(installation.database)


SERVICES: Final[Services] = {Sites: _sites, PageViews: _page_views}
"""Services by class."""
