"""Batches of records of an earlier release, merged again from converted rows."""

from collections.abc import Callable, Sequence

from firmograph.directory.company_json import encode_company
from firmograph.directory.records import CompanyRef
from firmograph.ingest.merging.companies import CompanyBatch, merge_company_rows
from firmograph.ingest.merging.company_state import CompanyState
from firmograph.ingest.merging.contact_state import ContactState
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.earlier_rows import convert_company_row, convert_contact_row
from firmograph.ingest.merging.record_state import rewrite_records
from firmograph.ingest.records.company_keys import referenced_company
from firmograph.security.record_ids import Entity


class ContactUpgrade(ContactBatch):
    """Contacts of an earlier release."""

    def upgrade(self, numbers: Sequence[int], in_time: Callable[[], bool]) -> int:
        """Merge and write records of an earlier release until the time is up, at least one; return how many."""
        self._load_records(numbers)
        upgraded = []
        for number in numbers:
            contact = self._contacts[number]
            stored = dict(contact.rows)
            self._upgrade_rows(contact)
            self._merge(contact)
            contact.find_changed_rows(stored)
            upgraded.append(contact)
            if not in_time():
                break
        rewrite_records(self._session, Entity.CONTACT, upgraded, self._keys.all_keys, ())
        return len(upgraded)

    def _upgrade_rows(self, contact: ContactState) -> None:
        """Convert the rows of a contact, and link employers that the conversion changed."""
        contact.fill_rows()
        upgraded = contact.upgraded_rows(convert_contact_row)
        if not upgraded:
            return
        self._compute_keys(contact)
        for source, target, row, before, after in upgraded:
            if before.company != after.company:
                row = row._replace(company_id=self._link_employer(after.company))
            contact.move_row(source, target, row)

    def _link_employer(self, employer: CompanyRef | None) -> int | None:
        named = referenced_company(self._digests, employer) if employer else None
        if named:
            self._linker.link(self._session, [named])
        return self._linker.number(named)


class CompanyUpgrade(CompanyBatch):
    """Companies of an earlier release."""

    def upgrade(self, numbers: Sequence[int], in_time: Callable[[], bool]) -> int:
        """Merge and write records of an earlier release until the time is up, at least one; return how many."""
        self._load_records(numbers)
        before, added = {}, []
        for number in numbers:
            company = self._companies[number]
            before[number], stored = company.parts, dict(company.rows)
            added += [(key, number) for key in self._keys.missing_keys(company)]
            self._upgrade_rows(company)
            company.record = merge_company_rows(company.rows, self._source_names)
            company.parts = encode_company(company.record)
            company.find_changed_rows(stored)
            company.changed = True
            if not in_time():
                break
        self._companies = {number: self._companies[number] for number in before}
        self._link_related()
        for number, parts in before.items():
            company = self._companies[number]
            company.changed = company.parts != parts
        rewrite_records(self._session, Entity.COMPANY, self._companies.values(), self._keys.all_keys, added)
        self._linker.clear_cache()
        return len(before)

    def _upgrade_rows(self, company: CompanyState) -> None:
        """Convert the rows of a company, and note its keys before."""
        company.fill_rows()
        upgraded = company.upgraded_rows(convert_company_row)
        if upgraded:
            company.keys = self._keys.all_keys(company) | self._keys.former_keys(company)
        for source, target, row, *_ in upgraded:
            company.move_row(source, target, row)
