"""Search, enrich, and search-and-enrich of contacts (docs/reference/lookups.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import AccountCaller, Request
from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store
from firmograph.directory.data_points import CONTACT_UNITS
from firmograph.directory.lookup.queries import ContactQuery
from firmograph.directory.lookup.record_lookup import ContactHit
from firmograph.directory.previews import with_signal_types
from firmograph.directory.result_slots import NOT_FOUND, RESTRICTED, ItemErrorCode, ResultSlot
from firmograph.directory.store import ContactProfile, LookupContact
from firmograph.enrichment import record_renderer
from firmograph.enrichment.contact_records import ContactRecords
from firmograph.enrichment.dependencies import Dependencies
from firmograph.enrichment.item_queries import contact_queries
from firmograph.enrichment.priced_previews import PricedPreviews
from firmograph.enrichment.record_renderer import contact_units
from firmograph.enrichment.result_list import ResultList, ResultName, ShownResults
from firmograph.enrichment.reveal import Paid, Resolve, RevealRequest
from firmograph.enrichment.shapes import ContactEnrich, ContactItem, ContactSearch, ContactSearchAndEnrich
from firmograph.enrichment.signal_filter import NO_TYPES, ActivityFilter, Types, contact_activity_filter
from firmograph.security.record_ids import Entity

SEARCH = "contactSearch"
"""Price key of search."""


class ContactEnrichment:
    """Service of the contacts endpoints."""

    entity = Entity.CONTACT

    def __init__(self, dependencies: Dependencies) -> None:
        self._database = dependencies.database
        self._lookup = dependencies.lookup
        self._renderer = dependencies.renderer
        self._paid_units = dependencies.paid_units
        self._revealer = dependencies.revealer
        self._records = ContactRecords(dependencies.lookup)

    def search(self, request: Request, body: ContactSearch) -> ChargedCall[ShownResults]:
        items, caller, activity = body.contacts, request.caller, contact_activity_filter(request, body)
        queries, partial = contact_queries(self._lookup.queries, items), body.options.include_partial_profiles
        if caller.plan.is_priced(SEARCH):
            priced = PricedPreviews(activity, store.contacts_by_number, self._records.errors, self._preview)
            named = [ResultName(item.client_reference_id) for item in items]
            listed = ResultList(self.entity, caller, frozenset(), named, priced.render)
            asked = RevealRequest(request, frozenset(), listed.show, SEARCH)
            return self._revealer.ready(asked, priced, self._resolve(queries, partial, activity))

        def read() -> ShownResults:
            with self._database.look() as session:
                hits, types = self._resolve_queries(session, queries, partial, activity)
                paid = self._paid(session, caller, {hit.contact.number for hit in hits if hit.contact})
            results = [
                self._preview(caller, hit.contact, item.client_reference_id, paid, types)
                if hit.contact
                else record_renderer.render_item_error(self.entity, _code(hit), item.client_reference_id)
                for item, hit in zip(items, hits, strict=True)
            ]
            return ShownResults(results, [hit.contact.number for hit in hits if hit.contact])

        return self._revealer.free(request, read)

    def _resolve_queries(
        self, session: Session, queries: Sequence[ContactQuery], partial: bool, activity: ActivityFilter
    ) -> tuple[list[ContactHit], Types]:
        """Resolve the queries, and return the requested signal types of the results."""
        hits = self._lookup.contacts(session, queries)
        types = activity.types(session, {hit.contact.number for hit in hits if hit.contact})

        def is_excluded(contact: LookupContact) -> bool:
            is_partial = not (contact.has_emails or contact.has_phones)
            return (is_partial and not partial) or activity.excludes(contact.number, types)

        return [ContactHit(None) if hit.contact and is_excluded(hit.contact) else hit for hit in hits], types

    def previews(self, session: Session, caller: AccountCaller, numbers: Collection[int]) -> dict[int, bytes]:
        """Return the previews of existing records by number, for other features such as prospecting.

        One statement, and one more if prices are shown.
        """
        contacts = store.contacts_by_number(session, numbers)
        paid = self._paid(session, caller, contacts)
        return {number: self._preview(caller, contact, UNSET, paid) for number, contact in contacts.items()}

    def _paid(self, session: Session, caller: AccountCaller, numbers: Collection[int]) -> Paid:
        """Return the paid units of the account, if prices are shown."""
        if caller.can_reveal != "priced":
            return ()
        return self._paid_units.paid(AccountSession(session, caller.account_id), self.entity, sorted(numbers))

    def _preview(
        self,
        caller: AccountCaller,
        contact: LookupContact,
        reference: str | UnsetType,
        paid: Paid,
        types: Types = NO_TYPES,
    ) -> bytes:
        units = contact_units(contact.has_emails, contact.has_phones)
        can_reveal = self._renderer.can_reveal(caller, self.entity, contact.number, units, paid)
        preview = self._renderer.contact_preview(contact, reference, can_reveal)
        return with_signal_types(preview, types.get(contact.number, ()))

    def _resolve(self, queries: Sequence[ContactQuery], partial: bool, activity: ActivityFilter) -> Resolve:
        def resolve(session: Session) -> list[ResultSlot]:
            hits, _ = self._resolve_queries(session, queries, partial, activity)
            return [
                ResultSlot(hit.contact.number) if hit.contact else ResultSlot(None, _code(hit))
                for hit in hits
            ]

        return resolve

    def enrich(self, request: Request, body: ContactEnrich) -> ChargedCall[ShownResults]:
        numbers = self._lookup.queries.numbers(self.entity, body.ids)

        slots = [ResultSlot(number) for number in numbers]
        items = [ResultName(UNSET, token) for token in body.ids]
        return self._answer(request, body, items, lambda session: slots)

    def search_and_enrich(self, request: Request, body: ContactSearchAndEnrich) -> ChargedCall[ShownResults]:
        items: list[ContactItem] = body.contacts
        queries = contact_queries(self._lookup.queries, items)
        partial = body.options.include_partial_profiles
        resolve = self._resolve(queries, partial, ActivityFilter(self.entity))
        named = [ResultName(item.client_reference_id) for item in items]
        return self._answer(request, body, named, resolve, SEARCH)

    def _answer(
        self,
        request: Request,
        body: ContactEnrich | ContactSearchAndEnrich,
        items: list[ResultName],
        resolve: Resolve,
        search: str | None = None,
    ) -> ChargedCall[ShownResults]:
        shown = frozenset(revealed_units(body))
        partner = None if body.partner_client_id is UNSET else body.partner_client_id
        results = ResultList(self.entity, request.caller, shown, items, self._render)
        asked = RevealRequest(request, shown, results.show, search, partner)
        return self._revealer.ready(asked, self._records, resolve)

    def _render(
        self,
        session: Session,
        caller: AccountCaller,
        records: Mapping[int, ContactProfile],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        def one(number: int, reference: str | UnsetType) -> bytes:
            record = records[number]
            units = contact_units(record.emails, record.phones)
            can_reveal = self._renderer.can_reveal(caller, self.entity, number, units, paid)
            for unit in units:
                if unit in reveal and (number, unit) not in paid:
                    record = record.without(unit)
            return self._renderer.enriched_contact(record, reference, reveal, can_reveal)

        return one


def revealed_units(body: ContactEnrich | ContactSearchAndEnrich) -> Sequence[str]:
    """Return the data points that a call asks for."""
    return CONTACT_UNITS if body.reveal is UNSET else body.reveal


def _code(hit: ContactHit) -> ItemErrorCode:
    return RESTRICTED if hit.restricted else NOT_FOUND
