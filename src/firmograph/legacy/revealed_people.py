"""People of a legacy call: what of them is asked for, and how a reveal is rendered.

See docs/reference/legacy.md#people.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store
from firmograph.directory.data_points import CONTACT_UNITS
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import RESTRICTED, ItemErrorCode, ResultSlot
from firmograph.directory.store import EmployedContact
from firmograph.directory.stored_views import CompanyView
from firmograph.enrichment.contacts import ContactRecords
from firmograph.enrichment.record_renderer import contact_units
from firmograph.enrichment.reveal import Paid, RequestedSignals, RevealBatch
from firmograph.kit.errors import Forbidden
from firmograph.legacy.records.companies import INTENT, CompanyBuilder, stored_intent
from firmograph.legacy.records.company_shapes import LegacyPersonCompany, LegacyProspectedEmployer
from firmograph.legacy.records.people import PersonBuilder, employer_summary
from firmograph.legacy.records.person_shapes import EMPTY_DATA_CODE, RESTRICTED_CODE, LegacyItemError
from firmograph.legacy.signal_arrays import SignalArrays
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.event_renderer import EventRenderer

_json = msgspec.json.Encoder().encode

UNIFIED_CREDITS: Final = "unifiedCredits"
"""Plan feature of asking for e-mails or phones alone."""

_UNIT_OF: Final = {"phoneNumbers": "phones", "emailAddresses": "emails"}

EMPTY_DATA: Final = LegacyItemError(EMPTY_DATA_CODE, "EMPTY_DATA", "No data was found for this contact")
_NO_ASKED_VALUE: Final = LegacyItemError(
    EMPTY_DATA_CODE, "EMPTY_DATA", "The contact has none of the requested data points"
)
COMPLIANCE_RESTRICTED: Final = LegacyItemError(
    RESTRICTED_CODE, "COMPLIANCE_RESTRICTED", "Contact data is restricted for compliance reasons"
)


def requested_units(caller: AccountCaller, *flags: Any) -> frozenset[str]:
    """Return the data points asked for by objects with `reveal_emails` and `reveal_phones`: without `true`, both.

    Raises Forbidden for `true` on a plan without unified credits.
    """
    asked = {
        unit
        for unit, name in (("emails", "reveal_emails"), ("phones", "reveal_phones"))
        if any(getattr(each, name) is True for each in flags if each is not UNSET)
    }
    if asked and not caller.plan.features[UNIFIED_CREDITS]:
        raise Forbidden(
            "Forbidden: revealEmails and revealPhones need a plan with unifiedCredits; leave both out to get all data",
            ["revealEmails", "revealPhones"],
        )
    return frozenset(asked or CONTACT_UNITS)


class AskedContacts:
    """Record kind (`reveal.RecordKind`) of contacts of which nothing is paid if they have no asked value."""

    entity = Entity.CONTACT

    def __init__(
        self, lookup: RecordLookup, asked: frozenset[str], filter_by: str | UnsetType = UNSET
    ) -> None:
        self._contacts = ContactRecords(lookup)
        self.asked = asked
        self._needed = None if filter_by is UNSET else _UNIT_OF[filter_by]

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, EmployedContact]:
        return store.employed_contacts(session, numbers)

    def shown(self, record: EmployedContact, paid: Paid | None = None) -> Sequence[str]:
        """Return the asked data points with a value; none if the contact lacks the one that the call filters by.

        With `paid`, what nobody has paid for counts as lacking.
        """
        contact, asked = record.contact, self.asked
        held: Sequence[str] = contact_units(contact.emails, contact.phones)
        if paid is not None:
            held = [unit for unit in held if unit not in asked or (contact.number, unit) in paid]
        if self._needed is not None and self._needed not in held:
            return ()
        return [unit for unit in held if unit in asked]

    def units(self, record: EmployedContact, reveal: frozenset[str]) -> Sequence[str]:
        return self.shown(record)

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, ItemErrorCode]:
        return self._contacts.errors(session, numbers)


class PersonView(NamedTuple):
    """One item of an answer."""

    error: LegacyItemError | None
    charged: bool
    data: bytes | None


class PersonRenderer:
    """Renderer of revealed people with the ids of an installation."""

    def __init__(self, record_ids: RecordIds, paid_units: PaidUnits, events: EventRenderer) -> None:
        self._paid_units = paid_units
        self._events = events
        self._record_ids = record_ids

    def company_id(self, number: int) -> int:
        return self._record_ids.legacy(Entity.COMPANY, number)

    def open(
        self,
        session: Session,
        caller: AccountCaller,
        content: RevealBatch[EmployedContact],
        kind: AskedContacts,
        signals: RequestedSignals[EmployedContact] | None = None,
    ) -> "RevealedPeople":
        """Read what the employers of an answer have besides their profiles. At most two statements."""
        paid_people = {number for number, _ in content.paid}
        whole = {
            record.contact.company_id
            for number, record in content.records.items()
            if number in paid_people and record.contact.company_id is not None
        }
        own = AccountSession(session, caller.account_id)
        paid = self._paid_units.paid(own, Entity.COMPANY, sorted(whole)) if whole else ()
        with_intent = {number for number, unit in paid if unit == INTENT}
        companies = store.company_profiles(session, with_intent) if with_intent else {}
        intents = {number: intent for number, one in companies.items() if (intent := stored_intent(one))}
        arrays = SignalArrays(self._events, signals, content)
        return RevealedPeople(self, content, kind, intents, paid_people, arrays)

    def person_id(self, number: int) -> int:
        return self._record_ids.legacy(Entity.CONTACT, number)


class RevealedPeople:
    """People of one answer."""

    def __init__(
        self,
        renderer: PersonRenderer,
        content: RevealBatch[EmployedContact],
        kind: AskedContacts,
        intents: Mapping[int, msgspec.Raw],
        paid_people: Collection[int],
        arrays: SignalArrays,
    ) -> None:
        self._renderer = renderer
        self._content = content
        self._kind = kind
        self._intents = intents
        self._paid_people = paid_people
        self._arrays = arrays
        self._charged = {number for number, _ in content.charged}
        self._whole_employers: dict[int, msgspec.Raw] = {}

    def views(self) -> list[PersonView]:
        """Return the items of calls by identifiers."""
        return [self._view(slot) for slot in self._content.slots]

    def _view(self, slot: ResultSlot) -> PersonView:
        record = self.record(slot)
        if record is None:
            return PersonView(self.error(slot), False, None)
        number, shown = record.contact.number, self._kind.shown(record, self._content.paid)
        person = self._stored(record, shown).person(
            self._renderer.person_id(number), self._company_id(record), self.employer(record)
        )
        data = _json(person)
        if shown:
            data = self._arrays.add(number, data)
        return PersonView(None if shown else _NO_ASKED_VALUE, number in self._charged, data)

    def prospected(self, slot: ResultSlot) -> PersonView:
        """Return an item of `POST /prospecting/contact/enrich`."""
        record = self.record(slot)
        if record is None:
            return PersonView(self.error(slot), False, None)
        number, shown = record.contact.number, self._kind.shown(record, self._content.paid)
        summary, company_id = employer_summary(record.contact), self._company_id(record)
        person = self._stored(record, shown).prospected(
            UNSET if company_id is UNSET else str(company_id),
            UNSET if summary is None else summary.name,
            self._prospected_employer(record, summary),
            is_shown=number in self._paid_people,
        )
        return PersonView(None if shown else _NO_ASKED_VALUE, number in self._charged, _json(person))

    def record(self, slot: ResultSlot) -> EmployedContact | None:
        return None if slot.number is None else self._content.records.get(slot.number)

    def error(self, slot: ResultSlot) -> LegacyItemError:
        code: ItemErrorCode = self._content.error(slot)
        return COMPLIANCE_RESTRICTED if code == RESTRICTED else EMPTY_DATA

    def _stored(self, record: EmployedContact, shown: Sequence[str]) -> PersonBuilder:
        held = {"emails": record.contact.emails, "phones": record.contact.phones}
        return PersonBuilder(
            record, {unit: held[unit] if unit in shown else None for unit in self._kind.asked}
        )

    def _company_id(self, record: EmployedContact) -> int | UnsetType:
        number = record.contact.company_id
        return UNSET if number is None else self._renderer.company_id(number)

    def employer(self, record: EmployedContact) -> LegacyPersonCompany | UnsetType:
        """Return the employer: whole if the account has paid for the person, else as in a preview."""
        whole = self._whole_employer(record)
        if whole is not None:
            number = whole[0]
            if number not in self._whole_employers:
                self._whole_employers[number] = msgspec.Raw(_json(self._builder(*whole).employer()))
            # rendered once for all of its people
            return cast(LegacyPersonCompany, self._whole_employers[number])
        summary = employer_summary(record.contact)
        if summary is None:
            return UNSET
        return LegacyPersonCompany(name=summary.name, fqdn=summary.domain, main_industry=summary.industry)

    def _prospected_employer(
        self, record: EmployedContact, summary: CompanyView | None
    ) -> LegacyProspectedEmployer | UnsetType:
        whole = self._whole_employer(record)
        if whole is not None:
            return self._builder(*whole).prospected_employer()
        if summary is None or summary.industry is UNSET:
            return UNSET
        return LegacyProspectedEmployer(main_industry=summary.industry)

    def _whole_employer(self, record: EmployedContact) -> tuple[int, bytes] | None:
        """Return number and profile of the employer, if it is shown whole."""
        number = record.contact.company_id
        if number is None or record.employer is None or record.contact.number not in self._paid_people:
            return None
        return number, record.employer

    def _builder(self, number: int, profile: bytes) -> CompanyBuilder:
        return CompanyBuilder(profile, self._intents.get(number))

    def employers(self) -> bytes:
        """Render the employers of the people by id, whole ones where any of the people has them whole."""
        found: dict[int, bytes] = {}
        for record in self._content.records.values():
            number = record.contact.company_id
            if number is not None and (number not in found or record.contact.number in self._paid_people):
                employer = self.employer(record)
                found[number] = b"{}" if employer is UNSET else _json(employer)
        members = (b'"%d":%s' % (self._renderer.company_id(number), one) for number, one in found.items())
        return b"{%s}" % b",".join(members)


def render_item(view: PersonView) -> bytes:
    """Render an item of calls by identifiers."""
    return b'{"error":%s,"isCreditCharged":%s,"data":%s}' % (
        _json(view.error),
        b"true" if view.charged else b"false",
        view.data or b"null",
    )
