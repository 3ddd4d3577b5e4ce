"""Registration of the legacy calls."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint
    from firmograph.legacy.revealed_companies import CompanyRenderer
    from firmograph.legacy.revealed_people import PersonRenderer

_PRICES: Final = {
    "contactRecommendationsReveal": Price(credits=1, per_quantity=1),
    "companyRecommendationsReveal": Price(credits=1, per_quantity=1),
}


def _person_renderer(installation: Installation) -> "PersonRenderer":
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.legacy.revealed_people import PersonRenderer
    from firmograph.signals.event_renderer import EventRenderer

    return PersonRenderer(
        installation.record_ids, installation.get(PaidUnits), installation.get(EventRenderer)
    )


def _company_renderer(installation: Installation) -> "CompanyRenderer":
    from firmograph.legacy.revealed_companies import CompanyRenderer
    from firmograph.signals.event_renderer import EventRenderer

    return CompanyRenderer(installation.record_ids, installation.get(EventRenderer))


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    return [
        *_record_endpoints(installation),
        *_prospecting_endpoints(installation),
        *_recommendation_endpoints(installation),
        *_signal_endpoints(installation),
    ]


def _record_endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.enrichment.service import Enrichment
    from firmograph.legacy.companies import routes as company_routes
    from firmograph.legacy.companies.service import LegacyCompanies
    from firmograph.legacy.people import routes as people_routes
    from firmograph.legacy.people.service import LegacyPeople
    from firmograph.legacy.revealed_companies import CompanyRenderer
    from firmograph.legacy.revealed_people import PersonRenderer

    lookup, revealer = installation.get(RecordLookup), installation.get(Enrichment).revealer
    people = LegacyPeople(lookup, revealer, installation.get(PersonRenderer))
    companies = LegacyCompanies(lookup, revealer, installation.get(CompanyRenderer))
    return [*people_routes.routes(people), *company_routes.routes(companies)]


def _prospecting_endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.enrichment.service import Enrichment
    from firmograph.legacy.prospecting.enrichment import LegacyEnrichment
    from firmograph.legacy.prospecting.filter_routes import filter_routes
    from firmograph.legacy.prospecting.routes import routes
    from firmograph.legacy.prospecting.search import LegacySearch
    from firmograph.legacy.revealed_companies import CompanyRenderer
    from firmograph.legacy.revealed_people import PersonRenderer
    from firmograph.prospecting.discovery.service import Discovery
    from firmograph.prospecting.service import Prospecting

    search = LegacySearch(installation.get(Prospecting), installation.record_ids, installation.get(PaidUnits))
    enrichment = LegacyEnrichment(
        installation.get(RecordLookup),
        installation.get(Enrichment).revealer,
        installation.get(PersonRenderer),
        installation.get(CompanyRenderer),
    )
    return [
        *routes(search, enrichment, status=installation.settings.legacy_prospecting_status),
        *filter_routes(installation.get(Discovery), installation.record_ids),
    ]


def _recommendation_endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.legacy.recommendations.routes import routes
    from firmograph.legacy.recommendations.service import Recommendations
    from firmograph.lookalikes.seeds import CompanySeedReader, ContactSeedReader
    from firmograph.lookalikes.service import Lookalikes

    record_ids, digests, lookup = (
        installation.record_ids,
        installation.digests,
        installation.get(RecordLookup),
    )
    service = Recommendations(
        installation.get(Lookalikes),
        record_ids,
        lookup.queries,
        ContactSeedReader(record_ids, digests, lookup),
        CompanySeedReader(record_ids, digests),
    )
    return routes(service, enabled=installation.settings.lookalikes)


def _signal_endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.legacy.identified import RecordFinder
    from firmograph.legacy.signal_routes import routes
    from firmograph.legacy.signals import LegacySignals
    from firmograph.signals.event_renderer import EventRenderer
    from firmograph.signals.service import SignalsService

    return routes(
        LegacySignals(
            installation.get(SignalsService),
            installation.get(EventRenderer),
            RecordFinder(installation.get(RecordLookup)),
            installation.clock,
        )
    )


REGISTRATION = Registration(
    prices=_PRICES,
    services={"PersonRenderer": _person_renderer, "CompanyRenderer": _company_renderer},
    endpoints=_endpoints,
)
