"""Search, enrich, and search-and-enrich of contacts (docs/reference/lookups.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import render_answer
from firmograph.api.table_rows import TableRows, requested_rows
from firmograph.caller import AccountCaller
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
from firmograph.enrichment.result_list import ResultList, ResultName
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

    def search(self, call: Call[ContactSearch]) -> bytes | ChargedResponse | Deferred:
        items, caller, activity = call.body.contacts, call.account, contact_activity_filter(call)
        queries = contact_queries(self._lookup.queries, items)
        if caller.plan.is_priced(SEARCH):
            resolve = self._resolve(queries, call.body.options.include_partial_profiles, activity)
            priced = PricedPreviews(activity, store.contacts_by_number, self._records.errors, self._preview)
            named = [ResultName(item.client_reference_id) for item in items]
            listed = ResultList(self.entity, caller, frozenset(), named, priced.render)
            return self._revealer.answer(
                RevealRequest(call, frozenset(), listed.render, SEARCH), priced, resolve
            )
        with self._database.look() as session:
            hits, types = self._resolve_queries(
                session, queries, call.body.options.include_partial_profiles, activity
            )
            paid = self._paid(session, caller, {hit.contact.number for hit in hits if hit.contact})
        results = [
            self._preview(caller, hit.contact, item.client_reference_id, paid, types)
            if hit.contact
            else record_renderer.render_item_error(self.entity, _code(hit), item.client_reference_id)
            for item, hit in zip(items, hits, strict=True)
        ]
        return render_answer(call.request_id, results, 0, sum(hit.contact is not None for hit in hits))

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

    def enrich(self, call: Call[ContactEnrich]) -> ChargedResponse | Deferred:
        numbers = self._lookup.queries.numbers(self.entity, call.body.ids)

        slots = [ResultSlot(number) for number in numbers]
        items = [ResultName(UNSET, token) for token in call.body.ids]
        reveal = CONTACT_UNITS if call.body.reveal is UNSET else call.body.reveal
        rows = requested_rows(call, self.entity, reveal)
        return self._answer(call, call.body.reveal, items, lambda session: slots, table_rows=rows)

    def search_and_enrich(self, call: Call[ContactSearchAndEnrich]) -> ChargedResponse | Deferred:
        items: list[ContactItem] = call.body.contacts
        queries = contact_queries(self._lookup.queries, items)
        partial = call.body.options.include_partial_profiles
        resolve = self._resolve(queries, partial, ActivityFilter(self.entity))
        named = [ResultName(item.client_reference_id) for item in items]
        return self._answer(call, call.body.reveal, named, resolve, SEARCH)

    def _answer(
        self,
        call: Call[ContactEnrich] | Call[ContactSearchAndEnrich],
        reveal: Sequence[str] | UnsetType,
        items: list[ResultName],
        resolve: Resolve,
        search: str | None = None,
        table_rows: TableRows | None = None,
    ) -> ChargedResponse | Deferred:
        shown = frozenset(CONTACT_UNITS if reveal is UNSET else reveal)
        partner = call.body.partner_client_id
        named = None if partner is UNSET else partner
        results = ResultList(self.entity, call.account, shown, items, self._render)
        request = RevealRequest(call, shown, results.render, search, named, table_rows)
        return self._revealer.answer(request, self._records, resolve)

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


def _code(hit: ContactHit) -> ItemErrorCode:
    return RESTRICTED if hit.restricted else NOT_FOUND
