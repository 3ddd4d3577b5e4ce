"""Recommendations over the lookalikes' service (docs/reference/legacy.md#recommendations).

The `requestId` is the session of lookalikes; 1 to 100 seeds, and a charge for each result.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import Charged
from firmograph.caller import Request
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.lookup.queries import UNKNOWN, QueryReader
from firmograph.directory.stored_views import view_company, view_contact, view_summary
from firmograph.legacy.recommendations import shapes
from firmograph.lookalikes.seeds import Identified, SeedReaders
from firmograph.lookalikes.service import Kind, LookalikeQuery, LookalikeResults, Lookalikes, Terms
from firmograph.security.record_ids import Entity, RecordIds


class Recommendations:
    """The two calls."""

    def __init__(
        self,
        lookalikes: Lookalikes,
        record_ids: RecordIds,
        queries: QueryReader,
        seeds: SeedReaders,
    ) -> None:
        self._lookalikes = lookalikes
        self._record_ids = record_ids
        self._queries = queries
        self._contacts = Kind(
            Entity.CONTACT,
            "contactRecommendationsReveal",
            seeds.contacts,
            self._contact_results,
            Terms("contacts", "requestId"),
        )
        self._companies = Kind(
            Entity.COMPANY,
            "companyRecommendationsReveal",
            seeds.companies,
            self._company_results,
            Terms("companies", "requestId"),
        )

    def contacts(
        self, request: Request, body: shapes.ContactRecommendationsRequest
    ) -> Charged[LookalikeResults]:
        return self._find(request, self._contacts, body, body.contacts, "personId", "person_id")

    def companies(
        self, request: Request, body: shapes.CompanyRecommendationsRequest
    ) -> Charged[LookalikeResults]:
        return self._find(request, self._companies, body, body.companies, "companyId", "company_id")

    def _find(
        self,
        request: Request,
        kind: Kind,
        body: shapes.ContactRecommendationsRequest | shapes.CompanyRecommendationsRequest,
        seeds: Sequence[msgspec.Struct],
        id_at: str,
        attribute: str,
    ) -> Charged[LookalikeResults]:
        excluded: Sequence[msgspec.Struct] = () if body.exclude is UNSET else body.exclude
        query = LookalikeQuery(
            self._identify(kind, seeds, kind.terms.seeds, id_at, attribute),
            self._identify(kind, excluded, "exclude", id_at, attribute),
            body.request_id or None,
            body.limit,
        )
        return self._lookalikes.find(request, kind, query)

    def _identify(
        self, kind: Kind, items: Sequence[msgspec.Struct], path: str, id_at: str, attribute: str
    ) -> Identified:
        """Return the records of the ids of items. Raises BadRequest for a malformed one."""
        numbers = {
            self._queries.number(kind.entity, str(getattr(item, attribute)), (path, index, id_at))
            for index, item in enumerate(items)
        }
        return Identified(numbers, frozenset(numbers - {UNKNOWN}))

    def _contact_results(
        self, session: Session, numbers: Collection[int]
    ) -> Mapping[int, shapes.RecommendedContact]:
        return {
            number: self._contact(record)
            for number, record in store.contacts_by_number(session, numbers).items()
        }

    def _contact(self, record: store.LookupContact) -> shapes.RecommendedContact:
        preview = view_contact(record.preview)
        employer: int | UnsetType = UNSET
        name: str | UnsetType = UNSET
        if record.company_id is not None and record.company_summary is not None:
            employer = self._record_ids.legacy(Entity.COMPANY, record.company_id)
            name = view_summary(record.company_summary).name
        return shapes.RecommendedContact(
            self._record_ids.legacy(Entity.CONTACT, record.number),
            employer,
            f"{preview.first_name} {preview.last_name}".strip() or UNSET,
            preview.job_title.title or UNSET if preview.job_title else UNSET,
            name,
        )

    def _company_results(
        self, session: Session, numbers: Collection[int]
    ) -> Mapping[int, shapes.RecommendedCompany]:
        return {
            number: self._company(record)
            for number, record in store.company_profiles(session, numbers).items()
        }

    def _company(self, record: store.CompanyProfile) -> shapes.RecommendedCompany:
        company = view_company(record.profile)
        id = self._record_ids.legacy(Entity.COMPANY, record.number)
        return shapes.RecommendedCompany(id, company.name, company.domain, company.description)
