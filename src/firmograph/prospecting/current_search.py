"""Prospecting of the current generation (docs/reference/prospecting.md)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any

from firmograph.api.endpoint import Call, Deferred
from firmograph.api.envelope import render_answer
from firmograph.api.table_rows import requested_rows
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters import compiler, requests
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.service import (
    EXCLUDE_DNC,
    SIGNALS,
    Previews,
    Prospecting,
    Results,
    SearchPage,
    SearchRequest,
)
from firmograph.security.record_ids import Entity


class CurrentSearch:
    """The two searches, whose results are previews."""

    def __init__(self, prospecting: Prospecting, previews: Mapping[Entity, Previews]) -> None:
        self._prospecting = prospecting
        self._previews = previews

    def contacts(self, call: Call[requests.ContactProspecting]) -> Deferred:
        return self._answer(call, Entity.CONTACT, partial(compiler.contact_query, call.body))

    def companies(self, call: Call[requests.CompanyProspecting]) -> Deferred:
        return self._answer(call, Entity.COMPANY, partial(compiler.company_query, call.body))

    def _answer(
        self, call: Call[Any], entity: Entity, compile: Callable[[Resolver, date], Query]
    ) -> Deferred:
        return self._prospecting.answer(
            SearchRequest(
                call,
                entity,
                compile,
                self._previews[entity],
                render_page,
                list(_needed_features(call.body)),
                requested_rows(call, entity),
            )
        )


def _needed_features(body: requests.ContactProspecting | requests.CompanyProspecting) -> Iterator[str]:
    if isinstance(body, requests.ContactProspecting) and compiler.excludes_do_not_call(body):
        yield EXCLUDE_DNC
    if compiler.filters_by_signals(body):
        yield SIGNALS


def render_page(request_id: str, results: Results, page: SearchPage, credits: int) -> bytes:
    """Render the answer with its `pagination`."""
    query, result = page
    total_description = ""
    if query.max_per_company is not None:
        cap = f"{query.max_per_company} contact{'s' * (query.max_per_company != 1)}"
        total_description = (
            f',"totalDescription":"Exact count of what is left with at most {cap} per company"'
        )
    pagination = b'"pagination":{"page":%d,"size":%d,"total":%d,"totalGuaranteed":true%s},' % (
        page.number,
        query.size,
        result.total,
        total_description.encode(),
    )
    return render_answer(request_id, results.values(), credits, len(results), pagination)
