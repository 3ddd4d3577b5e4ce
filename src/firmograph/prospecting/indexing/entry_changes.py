"""Entry changes: a change batch as a search engine applies it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firmograph.directory.records import Company, Contact, Location
from firmograph.indexing.change_batches import ChangeBatch, DecodedCompany, DecodedContact
from firmograph.indexing.record_forms import forms_of, left_out
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry


@dataclass(slots=True)
class EntryChanges:
    """Changed records as entries, applied together."""

    sequence: int
    """Position in the change sequence that is reached once these are applied."""
    companies: Sequence[Entry] = ()
    contacts: Sequence[Entry] = ()
    removed_companies: Sequence[int] = ()
    removed_contacts: Sequence[int] = ()
    employers: Sequence[Entry] = ()
    """Unchanged companies of these contacts, for an index that lacks them."""


def entry_changes(batch: ChangeBatch) -> EntryChanges:
    """Return the entries of a batch. A record without a valid entry counts as removed."""
    companies, contacts = company_entries(batch.companies), contact_entries(batch.contacts)
    return EntryChanges(
        batch.sequence,
        companies=companies,
        contacts=contacts,
        removed_companies=[*batch.removed_companies, *left_out(batch.companies, companies)],
        removed_contacts=[*batch.removed_contacts, *left_out(batch.contacts, contacts)],
        employers=company_entries(batch.employers),
    )


def company_entries(companies: Iterable[DecodedCompany]) -> list[Entry]:
    return forms_of(companies, lambda one: company_entry(one.number, one.record, one.activity), "search")


def contact_entries(contacts: Iterable[DecodedContact]) -> list[Entry]:
    return forms_of(
        contacts, lambda one: contact_entry(one.number, one.company, one.record, one.activity), "search"
    )


def warm_up() -> None:
    """Load the dependencies of entries ahead of time: the first entry takes half a second, which blocks requests."""
    location = Location(city="Columbus", country_iso2="US")
    contact_entry(1, None, Contact(location=location))
    company_entry(1, Company(location=location))
