"""Checkpoints of an earlier version are not taken for today's when records come to hold something else."""

import hashlib

import pytest
from conformance import activity_of
from sample_records import generated

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory import checkpoint
from firmograph.prospecting.engines.memory.company_attributes import company_attributes_of
from firmograph.prospecting.indexing import analysis
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry

pytestmark = pytest.mark.no_database

HELD = ("firmograph search 4", "8a1cafbde4049016")


def test_what_records_hold_has_not_changed_without_another_format() -> None:
    """When this fails: give `checkpoint.FORMAT` another number, and note here what the entries come to now."""
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

    assert (checkpoint.FORMAT, digest.hexdigest()) == HELD
