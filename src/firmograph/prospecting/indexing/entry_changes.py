"""Entry changes: a change batch as a search engine applies it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import structlog

from firmograph.directory.records import Company, Contact, Location
from firmograph.indexing.change_batches import ChangeBatch, DecodedCompany, DecodedContact
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry

log = structlog.get_logger("firmograph.search")

R = TypeVar("R", DecodedCompany, DecodedContact)


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
        removed_companies=[*batch.removed_companies, *_without_entry(batch.companies, companies)],
        removed_contacts=[*batch.removed_contacts, *_without_entry(batch.contacts, contacts)],
        employers=company_entries(batch.employers),
    )


def company_entries(companies: Iterable[DecodedCompany]) -> list[Entry]:
    return _entries(companies, lambda one: company_entry(one.number, one.record, one.activity))


def contact_entries(contacts: Iterable[DecodedContact]) -> list[Entry]:
    return _entries(contacts, lambda one: contact_entry(one.number, one.company, one.record, one.activity))


def warm_up() -> None:
    """Load the dependencies of entries ahead of time: the first entry takes half a second, which blocks requests."""
    location = Location(city="Columbus", country_iso2="US")
    contact_entry(1, None, Contact(location=location))
    company_entry(1, Company(location=location))


def _entries(records: Iterable[R], entry: Callable[[R], Entry]) -> list[Entry]:
    """Return the entries of records. A record that fails is skipped, so that it does not block all later changes."""
    entries = []
    for record in records:
        try:
            entries.append(entry(record))
        except Exception:
            log.exception("record left out of the search index", number=record.number)
    return entries


def _without_entry(records: Sequence[R], entries: list[Entry]) -> list[int]:
    if len(entries) == len(records):
        return []
    present = {entry.number for entry in entries}
    return [record.number for record in records if record.number not in present]
