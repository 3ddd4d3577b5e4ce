"""Registration of prospecting: search by filters, discovery of filter values, and the search index."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, RegisteredIndex, Registration

if TYPE_CHECKING:
    from firmograph.api.docs_and_health import HealthPart
    from firmograph.api.endpoint import Endpoint
    from firmograph.prospecting.discovery.service import Discovery
    from firmograph.prospecting.engines.factory import ServedSearch
    from firmograph.prospecting.service import Prospecting


def _search(installation: Installation) -> "ServedSearch":
    from firmograph.prospecting.engines.registry import engine_factory

    settings = installation.settings
    return engine_factory(settings).serve(installation.database, installation.clock, settings)


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    from firmograph.prospecting.engines.factory import ServedSearch

    search = installation.get(ServedSearch)
    return [RegisteredIndex("search", search.active, search.following)]


def _prospecting(installation: Installation) -> "Prospecting":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.prospecting.engines.factory import ServedSearch
    from firmograph.prospecting.service import Prospecting

    return Prospecting(
        installation.database,
        installation.get(ServedSearch).active,
        installation.record_ids,
        installation.digests,
        installation.get(ChargedCalls),
    )


def _discovery(installation: Installation) -> "Discovery":
    from firmograph.prospecting.discovery.service import Discovery
    from firmograph.prospecting.engines.factory import ServedSearch

    return Discovery(installation.database, installation.get(ServedSearch).active, installation.record_ids)


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.enrichment.service import Enrichment
    from firmograph.prospecting.current_search import CurrentSearch
    from firmograph.prospecting.discovery.service import Discovery
    from firmograph.prospecting.routes import routes
    from firmograph.prospecting.service import Prospecting
    from firmograph.security.record_ids import Entity
    from firmograph.table_rows import RowWriter

    enrichment = installation.get(Enrichment)
    previews = {
        Entity.CONTACT: enrichment.contacts.previews,
        Entity.COMPANY: enrichment.companies.previews,
    }
    search = CurrentSearch(installation.get(Prospecting), previews)
    return routes(search, installation.get(Discovery), installation.get(RowWriter))


def _health(installation: Installation) -> "HealthPart":
    from firmograph.api.docs_and_health import HealthPart
    from firmograph.prospecting.answers import SearchHealth
    from firmograph.prospecting.engines.factory import ServedSearch

    index = installation.get(ServedSearch).active
    return HealthPart(
        "search",
        SearchHealth,
        lambda: SearchHealth(index.state, index.applied, index.head),
        "`search` is the state of the search index: how many of the imported changes are searchable.",
    )


REGISTRATION = Registration(
    services={
        "ServedSearch": _search,
        "Prospecting": _prospecting,
        "Discovery": _discovery,
    },
    endpoints=_endpoints,
    health=_health,
    indexes=_indexes,
)
