"""Contacts as providers are asked for them, and the values that answers have for them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory import store as directory
from firmograph.directory.identity import Digests
from firmograph.directory.matching import first_names_compatible, last_names_agree
from firmograph.directory.names import share_script
from firmograph.directory.records import Contact, Email, Phone
from firmograph.directory.store import ContactProfile
from firmograph.ingest.reading.inputs import CompanyRefInput, ContactInput, LocationInput
from firmograph.ingest.records.contact import normalise_contact
from firmograph.privacy.deletion_lists.listed_hashes import listed_identifiers
from firmograph.privacy.do_not_call.registry import ListedNumbers
from firmograph.waterfall.asks.value_keys import ValueKeys
from firmograph.waterfall.providers.types import Found, Person

MOST_VALUES: Final = 10
"""Values of one answer that are kept."""

_decode_profile = msgspec.json.Decoder(Contact).decode
_encode = msgspec.json.encode


class _Employer(msgspec.Struct):
    name: str | None = None
    domain: str | None = None


class _Email(msgspec.Struct):
    email: str


class AskedContact(NamedTuple):
    """Contact, as far as asks need it."""

    number: int | None
    """None for a person who is not held."""
    person: Person
    in_eu: bool
    country: str | None
    """ISO 3166-1 code."""
    has: frozenset[str]
    """Data points with own values."""


def read_contact(profile: ContactProfile) -> AskedContact:
    """Return a contact from its stored parts."""
    record = _decode_profile(profile.profile)
    summary = profile.company_summary
    employer = msgspec.json.decode(b"{%s}" % summary, type=_Employer) if summary else _Employer()
    emails = msgspec.json.decode(profile.emails, type=list[_Email]) if profile.emails else []
    person = Person(
        email=emails[0].email if emails else None,
        first_name=record.first_name,
        last_name=record.last_name,
        company=employer.name,
        domain=employer.domain,
        linkedin_url=record.social_links.linkedin if record.social_links else None,
    )
    place = record.location
    has = {name for name, value in (("emails", profile.emails), ("phones", profile.phones)) if value}
    return AskedContact(
        profile.number,
        person,
        bool(place and place.is_eu_contact),
        place.country_iso2 if place else None,
        frozenset(has),
    )


class ValueReader:
    """Reader of the values in answers of providers, by the rules of imports."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self.keys = ValueKeys(digests)

    def read(
        self, session: Session, contact: AskedContact, data_point: str, found: Found, day: str
    ) -> bytes | None:
        """Return the usable values of a data point as a record stores them; None without any.

        Those of somebody with another name count as none, and so does an answer without names if the person was asked
        for by name alone. E-mails that are suppressed are left out, and so is what a deletion list names. Numbers in
        the do-not-call registry are marked.
        """
        row = normalise_contact(_as_row(contact, data_point, found))
        if not self._is_of(contact.person, row):
            return None
        values: Sequence[Email | Phone]
        values = (
            self._emails(session, row.emails) if data_point == "emails" else self._phones(session, row.phones)
        )
        for value in values:
            value.update_date = day
        return _encode(values[:MOST_VALUES]) if values else None

    def _is_of(self, person: Person, row: Contact) -> bool:
        if not row.first_name and not row.last_name:
            return person.email is not None or person.linkedin_url is not None
        first, last = row.first_name or "", row.last_name or ""
        asked_first, asked_last = person.first_name or "", person.last_name or ""
        return (first_names_compatible(first, asked_first) or not share_script(first, asked_first)) and (
            last_names_agree(last, asked_last) or not share_script(last, asked_last)
        )

    def _emails(self, session: Session, emails: Sequence[Email]) -> list[Email]:
        keys = {each.email: self.keys.of_email(each.email) for each in emails}
        every = {key for some in keys.values() for key in some}
        suppressed = directory.suppressed_digests(session, sorted(every)) if every else set()
        listed = listed_identifiers(session, self._digests, emails=keys)
        return [
            each for each in emails if each.email not in listed and keys[each.email].isdisjoint(suppressed)
        ]

    def _phones(self, session: Session, phones: Sequence[Phone]) -> list[Phone]:
        listed = listed_identifiers(session, self._digests, numbers=[each.number for each in phones])
        kept = [each for each in phones if each.number not in listed]
        ListedNumbers(session, self._digests).mark(kept)
        return kept


def _as_row(contact: AskedContact, data_point: str, found: Found) -> ContactInput:
    """Return the answer as a row of an import, with what is known of the person."""
    person = contact.person
    return ContactInput(
        first_name=found.first_name,
        last_name=found.last_name,
        emails=list(found.emails[:MOST_VALUES]) if data_point == "emails" else None,
        phones=list(found.phones[:MOST_VALUES]) if data_point == "phones" else None,
        company=CompanyRefInput(name=person.company, domain=person.domain),
        location=LocationInput(country=contact.country),
    )
