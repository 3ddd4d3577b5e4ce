"""What search and enrich do with contacts."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.data_points import CONTACT_UNITS
from firmograph.directory.previews import with_signal_types
from firmograph.directory.store import ContactProfile, LookupContact
from firmograph.enrichment import render
from firmograph.enrichment.dependencies import Parts
from firmograph.enrichment.identify import ContactQuery
from firmograph.enrichment.lookup import ContactHit
from firmograph.enrichment.priced_previews import PricedPreviews
from firmograph.enrichment.render import contact_units
from firmograph.enrichment.reveal import Asked, Item, Paid, Place, Resolve
from firmograph.enrichment.shapes import ContactEnrich, ContactItem, ContactSearch, ContactSearchAndEnrich
from firmograph.enrichment.signal_filter import NO_TYPES, Active, Types, active_contacts
from firmograph.security.record_ids import Entity

SEARCH = "contactSearch"
"""The price key of search."""


class ContactEnrichment:
    """Search, enrich, search-and-enrich of contacts (docs/reference/lookups.md)."""

    entity = Entity.CONTACT

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._identifier = parts.identifier
        self._lookup = parts.lookup
        self._renderer = parts.renderer
        self._purchases = parts.purchases
        self._reveal = parts.reveal

    def search(self, call: Call[ContactSearch]) -> bytes | ChargedResponse | Deferred:
        items, caller, active = call.body.contacts, call.caller, active_contacts(call)
        queries = self._identifier.contacts(items)
        if caller.plan.is_priced(SEARCH):
            resolve = self._resolve(queries, call.body.options.include_partial_profiles, active)
            asked = Asked(call, frozenset(), [Item(item.client_reference_id) for item in items], SEARCH)
            priced = PricedPreviews(active, store.contacts_by_number, self.errors, self._preview)
            return self._reveal.answer(asked, priced, resolve)
        with self._database.look() as session:
            hits, types = self._hits(session, queries, call.body.options.include_partial_profiles, active)
            paid = self._paid(session, caller, {hit.contact.number for hit in hits if hit.contact})
        results = [
            self._preview(caller, hit.contact, item.client_reference_id, paid, types)
            if hit.contact
            else render.item_error(self.entity, _code(hit), item.client_reference_id)
            for item, hit in zip(items, hits, strict=True)
        ]
        return render.answer(call.request_id, results, 0, sum(hit.contact is not None for hit in hits))

    def _hits(
        self, session: Session, queries: Sequence[ContactQuery], partial: bool, active: Active
    ) -> tuple[list[ContactHit], Types]:
        """Resolve the queries, and return the activities of the results."""
        hits = self._lookup.contacts(session, queries)
        types = active.types(session, {hit.contact.number for hit in hits if hit.contact})

        def is_left_out(contact: LookupContact) -> bool:
            is_partial = not (contact.has_emails or contact.has_phones)
            return (is_partial and not partial) or active.leaves_out(contact.number, types)

        return [ContactHit(None) if hit.contact and is_left_out(hit.contact) else hit for hit in hits], types

    def previews(self, session: Session, caller: Caller, numbers: Collection[int]) -> dict[int, bytes]:
        """Those of the records that are held, as search shows them; for capabilities that find by other means.

        One statement, and one more if prices are shown.
        """
        held = store.contacts_by_number(session, numbers)
        paid = self._paid(session, caller, held)
        return {number: self._preview(caller, contact, UNSET, paid) for number, contact in held.items()}

    def _paid(self, session: Session, caller: Caller, numbers: Collection[int]) -> Paid:
        """Return what the account has paid for, if prices are shown."""
        if caller.can_reveal != "priced":
            return ()
        return self._purchases.paid(session, caller.account_id, self.entity, sorted(numbers))

    def _preview(
        self,
        caller: Caller,
        contact: LookupContact,
        reference: str | UnsetType,
        paid: Paid,
        types: Types = NO_TYPES,
    ) -> bytes:
        held = contact_units(contact.has_emails, contact.has_phones)
        can_reveal = self._renderer.can_reveal(caller, self.entity, contact.number, held, paid)
        preview = self._renderer.contact_preview(contact, reference, can_reveal)
        return with_signal_types(preview, types.get(contact.number, ()))

    def _resolve(self, queries: Sequence[ContactQuery], partial: bool, active: Active) -> Resolve:
        def resolve(session: Session) -> list[Place]:
            hits, _ = self._hits(session, queries, partial, active)
            return [Place(hit.contact.number) if hit.contact else Place(None, _code(hit)) for hit in hits]

        return resolve

    def enrich(self, call: Call[ContactEnrich]) -> ChargedResponse | Deferred:
        numbers = self._identifier.numbers(self.entity, call.body.ids)

        places = [Place(number) for number in numbers]
        items = [Item(UNSET, token) for token in call.body.ids]
        return self._answer(call, call.body.reveal, items, lambda session: places)

    def search_and_enrich(self, call: Call[ContactSearchAndEnrich]) -> ChargedResponse | Deferred:
        items: list[ContactItem] = call.body.contacts
        queries = self._identifier.contacts(items)
        partial = call.body.options.include_partial_profiles
        resolve = self._resolve(queries, partial, Active(self.entity))
        named = [Item(item.client_reference_id) for item in items]
        return self._answer(call, call.body.reveal, named, resolve, SEARCH)

    def _answer(
        self,
        call: Call[ContactEnrich] | Call[ContactSearchAndEnrich],
        reveal: Sequence[str] | UnsetType,
        items: list[Item],
        resolve: Resolve,
        search: str | None = None,
    ) -> ChargedResponse | Deferred:
        shown = frozenset(CONTACT_UNITS if reveal is UNSET else reveal)
        partner = call.body.partner_client_id
        asked = Asked(call, shown, items, search, None if partner is UNSET else partner)
        return self._reveal.answer(asked, self, resolve)

    # --- Revealing ---

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, ContactProfile]:
        return store.contact_profiles(session, numbers)

    def units(self, record: ContactProfile, reveal: frozenset[str]) -> Sequence[str]:
        held = contact_units(record.emails, record.phones)
        return held if len(reveal) == len(CONTACT_UNITS) else [unit for unit in held if unit in reveal]

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, str]:
        return dict.fromkeys(self._lookup.restricted_numbers(session, numbers), render.RESTRICTED)

    def render(
        self,
        session: Session,
        caller: Caller,
        records: Mapping[int, ContactProfile],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        def one(number: int, reference: str | UnsetType) -> bytes:
            record = records[number]
            held = contact_units(record.emails, record.phones)
            can_reveal = self._renderer.can_reveal(caller, self.entity, number, held, paid)
            for unit in held:
                if unit in reveal and (number, unit) not in paid:
                    record = record.without(unit)
            return self._renderer.enriched_contact(record, reference, reveal, can_reveal)

        return one


def _code(hit: ContactHit) -> str:
    return _error(hit.restricted)


def _error(restricted: bool) -> str:
    return render.RESTRICTED if restricted else render.NOT_FOUND
