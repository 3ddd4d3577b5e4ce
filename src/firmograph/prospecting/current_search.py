"""Prospecting of the current generation (docs/reference/prospecting.md)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial

from msgspec import UNSET

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters import compiler, requests
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.service import (
    EXCLUDE_DNC,
    SIGNALS,
    FoundPage,
    Previews,
    Prospecting,
    SearchRequest,
)
from firmograph.security.record_ids import Entity


class CurrentSearch:
    """The two searches, whose results are previews."""

    def __init__(self, prospecting: Prospecting, previews: Mapping[Entity, Previews]) -> None:
        self._prospecting = prospecting
        self._previews = previews

    def contacts(self, request: Request, body: requests.ContactProspecting) -> ChargedCall[FoundPage]:
        return self._ready(request, body, Entity.CONTACT, partial(compiler.contact_query, body))

    def companies(self, request: Request, body: requests.CompanyProspecting) -> ChargedCall[FoundPage]:
        return self._ready(request, body, Entity.COMPANY, partial(compiler.company_query, body))

    def _ready(
        self,
        request: Request,
        body: requests.ContactProspecting | requests.CompanyProspecting,
        entity: Entity,
        compile: Callable[[Resolver, date], Query],
    ) -> ChargedCall[FoundPage]:
        features = list(_needed_features(body))
        return self._prospecting.ready(
            SearchRequest(
                request, entity, compile, self._previews[entity], features, body.table_id is not UNSET
            )
        )


def _needed_features(body: requests.ContactProspecting | requests.CompanyProspecting) -> Iterator[str]:
    if isinstance(body, requests.ContactProspecting) and compiler.excludes_do_not_call(body):
        yield EXCLUDE_DNC
    if compiler.filters_by_signals(body):
        yield SIGNALS
