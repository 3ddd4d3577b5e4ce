"""Scores of contacts, requested by the identifiers of search."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import UNSET

from firmograph.database.connection import Session
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import ItemErrorCode as Code
from firmograph.directory.store import LookupContact
from firmograph.directory.stored_views import view_contact, view_summary
from firmograph.enrichment.item_queries import contact_queries
from firmograph.enrichment.shapes import ContactItem
from firmograph.kit.errors import BadGateway, Busy, Unavailable
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signal_score.record_scores import PRICE_KEYS, score_contacts
from firmograph.signal_score.rules import Score
from firmograph.signal_score.service import ResolvedItem
from firmograph.signal_score.shapes import (
    ContactScores,
    ScoredContact,
    ScoredEmployer,
    UnscoredContact,
    error_detail,
)


class ContactScoring:
    entity = Entity.CONTACT
    price_key = PRICE_KEYS[Entity.CONTACT]

    def __init__(self, lookup: RecordLookup, tokens: RecordIds) -> None:
        self._lookup = lookup
        self._tokens = tokens

    def items(self, body: ContactScores) -> Sequence[ContactItem]:
        return body.contacts

    def find(self, session: Session, items: Sequence[ContactItem]) -> list[ResolvedItem]:
        """Look up the contacts. Raises BadGateway if no lookup is possible, which must never look like NOT_FOUND."""
        queries = contact_queries(self._lookup.queries, items)
        try:
            hits = self._lookup.contacts(session, queries)
        except (Busy, Unavailable) as why:
            raise BadGateway(
                "Contacts cannot be looked up at the moment; nothing was charged. Try again shortly",
                retry_after=why.retry_after,
            ) from why
        return [
            ResolvedItem(hit.contact.number, hit.contact)
            if hit.contact
            else ResolvedItem(None, None, "COMPLIANCE_RESTRICTED" if hit.restricted else "NOT_FOUND")
            for hit in hits
        ]

    def scores(
        self,
        session: Session,
        found: Iterable[ResolvedItem],
        newest: Mapping[int, Mapping[str, str]],
        since: str,
    ) -> dict[int, Score | None]:
        contacts = [one.record for one in found if one.number is not None]
        return score_contacts(contacts, newest, since)

    def result(self, item: ContactItem, found: ResolvedItem, score: Score) -> ScoredContact:
        contact: LookupContact = found.record
        preview = view_contact(contact.preview)
        return ScoredContact(
            id=self._tokens.seal(self.entity, contact.number),
            full_name=" ".join(filter(None, (preview.first_name, preview.last_name))) or UNSET,
            company=self._employer(contact),
            signal_score=score.value,
            signal_types=score.types,
            no_active_signals=not score.types,
            client_reference_id=item.client_reference_id,
        )

    def _employer(self, contact: LookupContact) -> ScoredEmployer | msgspec.UnsetType:
        if contact.company_id is None or contact.company_summary is None:
            return UNSET
        summary = view_summary(contact.company_summary)
        return ScoredEmployer(
            id=self._tokens.seal(Entity.COMPANY, contact.company_id), name=summary.name, domain=summary.domain
        )

    def error_result(self, item: ContactItem, code: Code) -> UnscoredContact:
        return UnscoredContact(
            client_reference_id=item.client_reference_id, id=item.id, error=error_detail(self.entity, code)
        )
