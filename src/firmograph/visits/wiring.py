"""Services of website visits."""

from typing import Final

from firmograph.installation import Installation, Services
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.networks.reverse_dns import ReverseDns
from firmograph.visits.networks.service import Networks
from firmograph.visits.recognition import VisitorRecognition
from firmograph.visits.report import VisitReports
from firmograph.visits.salts import Salts
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites
from firmograph.visits.unnamed import UnnamedPageViews


def _sites(installation: Installation) -> Sites:
    return Sites(installation.database, installation.clock, OperatorAudit())


def _page_views(installation: Installation) -> PageViews:
    return PageViews(installation.database)


def _networks(installation: Installation) -> Networks:
    return Networks(installation.database, installation.clock, OperatorAudit())


def _recognition(installation: Installation) -> VisitorRecognition:
    salts = Salts(installation.database, installation.clock)
    return VisitorRecognition(installation.digests, salts, installation.get(Networks))


def _unnamed(installation: Installation) -> UnnamedPageViews:
    clock = installation.clock
    reverse_dns = ReverseDns(clock) if installation.settings.visit_reverse_dns else None
    return UnnamedPageViews(reverse_dns, clock)


def _reports(installation: Installation) -> VisitReports:
    return VisitReports(installation.database, installation.settings.visit_confidence)


SERVICES: Final[Services] = {
    Sites: _sites,
    PageViews: _page_views,
    Networks: _networks,
    VisitorRecognition: _recognition,
    UnnamedPageViews: _unnamed,
    VisitReports: _reports,
}
"""Services by class."""
