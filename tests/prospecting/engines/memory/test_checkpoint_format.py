"""Protection of the checkpoint format against changed entries without a new format number."""

import hashlib

import pytest
from conformance import activity_of
from sample_records import generated

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory.company_attributes import company_attributes_of
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.indexing import analysis
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry

pytestmark = pytest.mark.no_database

RECORDED = ("firmograph search 6", "b7c1fb95b2323b14")


def test_entries_have_not_changed_without_a_new_format() -> None:
    """On failure, increase the number in `MEMORY_SEARCH.format` and record the new digest of the entries here."""
    records = generated(20_260_104, contacts=120, companies=40)
    digest = hashlib.blake2b(digest_size=8)
    for company in records.companies.values():
        entry = company_entry(company.number, company.record, activity_of(company))
        digest.update(repr((entry, company_attributes_of(entry))).encode())
    for contact in records.contacts.values():
        entry = contact_entry(contact.number, contact.company, contact.record, activity_of(contact))
        digest.update(repr(entry).encode())
        for field, text in entry.terms:
            if field in fields.CONTACT_TEXTS:
                digest.update(
                    repr((analysis.text_keys(field, text), analysis.text_words(field, text))).encode()
                )

    assert (MEMORY_SEARCH.format, digest.hexdigest()) == RECORDED
