"""Endpoints of the legacy calls, with their services."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.billing.paid_units import PaidUnits
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.service import Enrichment
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.legacy.companies.routes import routes as company_routes
from firmograph.legacy.companies.service import LegacyCompanies
from firmograph.legacy.identified import RecordFinder
from firmograph.legacy.people.routes import routes as people_routes
from firmograph.legacy.people.service import LegacyPeople
from firmograph.legacy.prospecting.enrichment import LegacyEnrichment
from firmograph.legacy.prospecting.filter_routes import filter_routes
from firmograph.legacy.prospecting.routes import routes as prospecting_routes
from firmograph.legacy.prospecting.search import LegacySearch
from firmograph.legacy.recommendations.routes import routes as recommendation_routes
from firmograph.legacy.recommendations.service import Recommendations
from firmograph.legacy.revealed_companies import CompanyRenderer
from firmograph.legacy.revealed_people import PersonRenderer
from firmograph.legacy.signal_routes import routes as signal_routes
from firmograph.legacy.signals import LegacySignals
from firmograph.lookalikes.seeds import SeedReaders
from firmograph.lookalikes.service import Lookalikes
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.service import Prospecting
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.service import SignalsService


def _person_renderer(installation: Installation) -> PersonRenderer:
    return PersonRenderer(
        installation.record_ids, installation.get(PaidUnits), installation.get(EventRenderer)
    )


def _company_renderer(installation: Installation) -> CompanyRenderer:
    return CompanyRenderer(installation.record_ids, installation.get(EventRenderer))


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return [
        *_record_endpoints(installation),
        *_prospecting_endpoints(installation),
        *_recommendation_endpoints(installation),
        *_signal_endpoints(installation),
    ]


def _record_endpoints(installation: Installation) -> Sequence[Endpoint]:
    lookup, revealer = installation.get(RecordLookup), installation.get(Enrichment).revealer
    people = LegacyPeople(lookup, revealer, installation.get(PersonRenderer))
    companies = LegacyCompanies(lookup, revealer, installation.get(CompanyRenderer))
    return [*people_routes(people), *company_routes(companies)]


def _prospecting_endpoints(installation: Installation) -> Sequence[Endpoint]:
    search = LegacySearch(installation.get(Prospecting), installation.record_ids, installation.get(PaidUnits))
    enrichment = LegacyEnrichment(
        installation.get(RecordLookup),
        installation.get(Enrichment).revealer,
        installation.get(PersonRenderer),
        installation.get(CompanyRenderer),
    )
    return [
        *prospecting_routes(search, enrichment, status=installation.settings.legacy_prospecting_status),
        *filter_routes(installation.get(Discovery), installation.record_ids),
    ]


def _recommendation_endpoints(installation: Installation) -> Sequence[Endpoint]:
    service = Recommendations(
        installation.get(Lookalikes),
        installation.record_ids,
        installation.get(RecordLookup).queries,
        installation.get(SeedReaders),
    )
    return recommendation_routes(service, enabled=installation.settings.lookalikes)


def _signal_endpoints(installation: Installation) -> Sequence[Endpoint]:
    return signal_routes(
        LegacySignals(
            installation.get(SignalsService),
            installation.get(EventRenderer),
            RecordFinder(installation.get(RecordLookup)),
            installation.clock,
        )
    )


SERVICES: Final[Services] = {PersonRenderer: _person_renderer, CompanyRenderer: _company_renderer}
SERVER: Final = ServerWiring(endpoints=_endpoints)
