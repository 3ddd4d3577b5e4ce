"""Batches of records that are merged again from their stored rows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory.company_json import encode_company
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch, merge_company_rows
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.present_titles import renew_titles
from firmograph.ingest.merging.record_state import rewrite_records
from firmograph.security.record_ids import Entity


class _Keys(NamedTuple):
    strong: Collection[bytes]
    """Keys that identify a record by more than a name."""
    weak: Collection[bytes]
    """Keys that several records may hold."""


class ContactDerivation(ContactBatch):
    """Contacts merged again."""

    def derive(self, numbers: Sequence[int], in_time: Callable[[], bool]) -> int:
        """Merge and write records until the time is up, at least one; return how many."""
        self._load_records(numbers)
        derived, keys = [], {}
        for number in numbers:
            contact = self._contacts[number]
            stored = dict(contact.rows)
            contact.fill_rows()
            contact.rows = {slot: renew_titles(row) for slot, row in contact.rows.items()}
            self._merge(contact)
            every, shared = self._keys.all_keys(contact), self._keys.shared_keys(contact)
            keys[number] = _Keys(every - shared, shared)
            contact.find_changed_rows(stored)
            derived.append(contact)
            if not in_time():
                break
        added = _missing_keys(self._session, Entity.CONTACT, keys)
        rewrite_records(self._session, Entity.CONTACT, derived, self._keys.all_keys, added)
        return len(derived)


class CompanyDerivation(CompanyBatch):
    """Companies merged again."""

    def derive(self, numbers: Sequence[int], in_time: Callable[[], bool]) -> int:
        """Merge and write records until the time is up, at least one; return how many."""
        self._load_records(numbers)
        before, keys = {}, {}
        for number in numbers:
            company = self._companies[number]
            before[number], stored = company.parts, dict(company.rows)
            company.fill_rows()
            company.record = merge_company_rows(company.rows, self._source_names)
            company.parts = encode_company(company.record)
            every, strong = self._keys.all_keys(company), self._keys.strong_keys(company)
            keys[number] = _Keys(strong, every - strong)
            company.find_changed_rows(stored)
            company.changed = True
            if not in_time():
                break
        self._companies = {number: self._companies[number] for number in before}
        self._link_related()
        for number, parts in before.items():
            company = self._companies[number]
            company.changed = company.parts != parts
        added = _missing_keys(self._session, Entity.COMPANY, keys)
        rewrite_records(self._session, Entity.COMPANY, self._companies.values(), self._keys.all_keys, added)
        self._linker.clear_cache()
        return len(before)


def _missing_keys(session: Session, entity: Entity, keys: Mapping[int, _Keys]) -> list[store.StoredKey]:
    """Return the keys that the records lack. A strong key that another record holds stays with that one alone."""
    every = {key for each in keys.values() for key in (*each.strong, *each.weak)}
    holders = store.find_by_keys(session, entity, every)
    missing: list[store.StoredKey] = []
    for number, own in keys.items():
        weak = [key for key in own.weak if number not in holders[key]]
        strong = [key for key in own.strong if not holders[key]]
        for key in (*weak, *strong):
            holders[key].append(number)
            missing.append((key, number))
    return missing
