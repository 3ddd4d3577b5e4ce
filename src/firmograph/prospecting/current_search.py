"""Prospecting of the current generation (docs/reference/prospecting.md)."""

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import UNSET

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.prospecting.filters import compiler
from firmograph.prospecting.filters.requests import CompanyProspecting, ContactProspecting
from firmograph.prospecting.service import (
    EXCLUDE_DNC,
    SIGNALS,
    Compile,
    FoundPage,
    Matches,
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

    def find(self, request: Request, body: ContactProspecting | CompanyProspecting) -> ChargedCall[FoundPage]:
        return self._prospecting.ready(self._asked(request, body))

    def total(self, request: Request, body: ContactProspecting | CompanyProspecting) -> int:
        """Return the number of matches, free on every plan; raises as `find`."""
        return self._prospecting.total(self._asked(request, body))

    def _asked(self, request: Request, body: ContactProspecting | CompanyProspecting) -> SearchRequest:
        entity, compile = _filters(body)
        features = list(_needed_features(body))
        keeps_key = body.table_id is not UNSET
        return SearchRequest(request, entity, compile, self._previews[entity], features, keeps_key)

    def every_match(self, body: ContactProspecting | CompanyProspecting, at: float) -> Matches:
        """Return all records that match, for the operator without an account."""
        entity, compile = _filters(body)
        return self._prospecting.every_match(compile, self._previews[entity], at)


def _filters(body: ContactProspecting | CompanyProspecting) -> tuple[Entity, Compile]:
    if isinstance(body, ContactProspecting):
        return Entity.CONTACT, partial(compiler.contact_query, body)
    return Entity.COMPANY, partial(compiler.company_query, body)


def _needed_features(body: ContactProspecting | CompanyProspecting) -> Iterator[str]:
    if isinstance(body, ContactProspecting) and compiler.excludes_do_not_call(body):
        yield EXCLUDE_DNC
    if compiler.filters_by_signals(body):
        yield SIGNALS
