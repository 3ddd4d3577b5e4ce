"""Batches of records of an earlier release, merged again from their rows."""

from collections.abc import Callable, Sequence

from firmograph.directory.company_json import encode_company
from firmograph.directory.records import CompanyRef
from firmograph.ingest.merging.companies import CompanyBatch, merged_company
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.earlier_rows import company_row, contact_row
from firmograph.ingest.merging.existing import write_again
from firmograph.ingest.merging.existing_companies import HeldCompany
from firmograph.ingest.merging.existing_contacts import HeldContact
from firmograph.ingest.records.company_keys import named_company
from firmograph.security.record_ids import Entity


class ContactUpgrade(ContactBatch):
    """Contacts of an earlier release."""

    def again(self, numbers: Sequence[int], in_time: Callable[[], bool]) -> int:
        """Merge records of an earlier release again from their rows, and write what differs: how many, at least one."""
        self._load_records(numbers)
        again = []
        for number in numbers:
            held = self._held[number]
            stored = dict(held.rows)
            self._remake_rows(held)
            self._merge(held)
            held.settle_rows(stored)
            again.append(held)
            if not in_time():
                break
        write_again(self._session, Entity.CONTACT, again, self._keys.of, ())
        return len(again)

    def _remake_rows(self, held: HeldContact) -> None:
        """Make the rows of an earlier release as they are read today, and link employers that are named otherwise."""
        held.fill_rows()
        remade = held.remade_rows(contact_row)
        if not remade:
            return
        self._note_keys(held)
        for earlier, at, row, before, now in remade:
            if before.company != now.company:
                row = row._replace(company_id=self._linked(now.company))
            held.replace_row(earlier, at, row)

    def _linked(self, employer: CompanyRef | None) -> int | None:
        named = named_company(self._digests, employer) if employer else None
        if named:
            self._linker.link(self._session, [named])
        return self._linker.number(named)


class CompanyUpgrade(CompanyBatch):
    """Companies of an earlier release."""

    def again(self, numbers: Sequence[int], in_time: Callable[[], bool]) -> int:
        """Merge these records again from their rows, and write what differs: how many of them, at least one."""
        self._load_records(numbers)
        before, added = {}, []
        for number in numbers:
            held = self._held[number]
            before[number], stored = held.fragments, dict(held.rows)
            added += [(key, number) for key in self._keys.missing(held)]
            self._remake_rows(held)
            held.record = merged_company(held.rows, self._source_names)
            held.fragments = encode_company(held.record)
            held.settle_rows(stored)
            held.changed = True
            if not in_time():
                break
        self._held = {number: self._held[number] for number in before}
        self._link_others()
        for number, fragments in before.items():
            held = self._held[number]
            held.changed = held.fragments != fragments
        write_again(self._session, Entity.COMPANY, self._held.values(), self._keys.of, added)
        self._linker.forget()
        return len(before)

    def _remake_rows(self, held: HeldCompany) -> None:
        """Make the rows of an earlier release as they are read today."""
        held.fill_rows()
        remade = held.remade_rows(company_row)
        if remade:
            held.keys = self._keys.of(held) | self._keys.former(held)
        for earlier, at, row, *_ in remade:
            held.replace_row(earlier, at, row)
