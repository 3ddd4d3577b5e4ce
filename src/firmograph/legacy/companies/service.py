"""Companies by identifiers: legacy calls as reveals (docs/reference/legacy.md#companies).

A look-up costs nothing by itself; the base of a company is the paid unit of the current generation.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.database.connection import Session
from firmograph.directory.lookup.identifiers import ValuePath, describe_problem, raise_problem
from firmograph.directory.lookup.queries import CompanyQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import ResultSlot
from firmograph.directory.store import CompanyProfile
from firmograph.enrichment.companies import CompanyRecords
from firmograph.enrichment.reveal import RequestedSignals, RevealBatch, Revealer, RevealRequest
from firmograph.legacy.companies import shapes
from firmograph.legacy.identified import given_once, items_by_key, paths_by_key
from firmograph.legacy.requested_signals import GivenSignals, requested_company_signals
from firmograph.legacy.revealed_companies import BASE, CompanyRenderer, RevealedCompanies
from firmograph.security.record_ids import Entity

A = TypeVar("A")

_Named = tuple[str, str | UnsetType]
"""Name and value of a property."""
Show = Callable[[RevealedCompanies, RevealBatch[CompanyProfile]], A]


class SingleCompany(NamedTuple):
    """Content of the answer for one company."""

    company: bytes | None
    """None if it is not found."""


class LegacyCompanies:
    """The calls for one company and for a batch."""

    def __init__(self, lookup: RecordLookup, revealer: Revealer, renderer: CompanyRenderer) -> None:
        self._lookup = lookup
        self._reader = lookup.queries
        self._revealer = revealer
        self._renderer = renderer

    def single(self, request: Request, query: shapes.LegacyCompanyQuery) -> ChargedCall[SingleCompany]:
        queries = [self._query((), query.company_id, ("domain", query.domain), ("company", query.company))]
        given = GivenSignals([("signals", query.signals)], [("signalsStartDate", query.signals_start_date)])

        def show(companies: RevealedCompanies, batch: RevealBatch[CompanyProfile]) -> SingleCompany:
            return SingleCompany(companies.single(batch.slots[0]))

        signals = requested_company_signals(request, given)
        return self._ready(request, queries, query.partial_company, signals, show)

    def batch(
        self, request: Request, body: shapes.LegacyCompaniesRequest
    ) -> ChargedCall[Mapping[str, bytes]]:
        """Return the call for a batch, whose content is the rendered companies by key."""
        metadata = body.metadata
        if metadata is UNSET:
            metadata = shapes.LegacyCompaniesMetadata()
        items = items_by_key(body.companies, "companies", lambda item: item.id)
        paths = paths_by_key(body.companies, "companies", lambda item: item.id)
        queries = [
            self._query(
                paths[key],
                item.company_id,
                _domain(item, paths[key]),
                ("name", item.name),
            )
            for key, item in items.items()
        ]
        given = GivenSignals(
            [("signals", body.signals), ("metadata.signals", metadata.signals)],
            [
                ("signalsStartDate", body.signals_start_date),
                ("metadata.signalsStartDate", metadata.signals_start_date),
            ],
            body.signals_filters,
        )

        def show(companies: RevealedCompanies, batch: RevealBatch[CompanyProfile]) -> Mapping[str, bytes]:
            found = (
                (key, companies.in_batch(slot, key)) for key, slot in zip(items, batch.slots, strict=True)
            )
            return {key: company for key, company in found if company is not None}

        partial = given_once(
            [("partialCompany", body.partial_company), ("metadata.partialCompany", metadata.partial_company)]
        )
        signals = requested_company_signals(request, given)
        return self._ready(request, queries, partial[1] if partial else UNSET, signals, show)

    def _query(
        self, path: ValuePath, id: int | str | UnsetType, domain: _Named, name: _Named
    ) -> CompanyQuery:
        """Read the identifiers of an item. Raises BadRequest."""
        if id is UNSET and domain[1] is UNSET and name[1] is UNSET:
            expected = f"must have companyId, domain or {name[0]}"
            raise_problem(describe_problem(expected, path) if path else expected)
        number = None
        if id is not UNSET:
            number = self._reader.number(Entity.COMPANY, str(id), (*path, "companyId"))
        requested = None
        if domain[1] is not UNSET:
            requested = self._reader.domain(domain[1], (*path, domain[0]))
        return self._reader.named_company(name[1], requested, None, number)

    def _ready(
        self,
        request: Request,
        queries: Sequence[CompanyQuery],
        partial: bool | UnsetType,
        signals: RequestedSignals[CompanyProfile] | None,
        show: Show[A],
    ) -> ChargedCall[A]:
        def resolve(session: Session) -> list[ResultSlot]:
            found = self._lookup.companies(session, queries)
            return [
                ResultSlot(one.number if one and not (one.partial and partial is False) else None)
                for one in found
            ]

        def show_all(session: Session, batch: RevealBatch[CompanyProfile]) -> A:
            return show(self._renderer.open(batch, signals), batch)

        asked = RevealRequest(request, BASE, show_all, signals=signals)
        return self._revealer.ready(asked, CompanyRecords(), resolve)


def _domain(item: shapes.LegacyCompanyKey, path: ValuePath) -> _Named:
    """Return the domain by either of its names. Raises BadRequest if both are given."""
    at = ".".join(map(str, path))
    given_once([(f"{at}.domain", item.domain), (f"{at}.fqdn", item.fqdn)])
    return ("domain", item.domain) if item.fqdn is UNSET else ("fqdn", item.fqdn)
