"""Values that feeds add to stored companies, each as one more row of the record.

Such a row has a source of its own, so that it never replaces a row of a companies file, and it has no keys. Any later
one replaces it without history: it is derived from the feed's facts, which are stored themselves.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import PARENT_BITS, CompanyParts, encode_company
from firmograph.directory.records import Company
from firmograph.directory.stored_views import competitor_numbers
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import merge_company_rows
from firmograph.ingest.merging.company_state import CompanyState
from firmograph.ingest.merging.record_state import write_records
from firmograph.ingest.merging.source_history import Row
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class FeedValues(NamedTuple):
    """Values of one company from a feed."""

    day: str
    """Day of the values, `YYYY-MM-DD`: the newest value of a field wins."""
    record: Company
    """The feed's own fields alone; a stub, so that it completes no other stub."""


def merge_feed_values(session: Session, kind: str, source: str, values: Mapping[int, FeedValues]) -> int:
    """Merge a feed's values into records, by record number, and return how many records changed.

    Runs in the caller's transaction and skips numbers without a record.
    """
    name = f"{kind} of {source}"
    sources = store.number_sources(session, name)
    slot = (sources[name], "")
    names = {number: source_name for source_name, number in sources.items()}
    batch = _load_states(session, sorted(values))
    for company in batch:
        row = _row(values[company.number])
        if company.rows.get(slot) == row:
            continue
        before = _encode(company.canonical())
        company.set_row(slot, row)
        company.record = merge_company_rows(company.rows, names)
        if before != _encode(company.record):
            assert company.parts is not None
            company.parts = _encode_with_links(company.record, company.parts)
            company.changed = True
    store.put_rows(session, Entity.COMPANY, [row for company in batch for row in company.stored_rows()])
    write_records(session, Entity.COMPANY, batch)
    changed = [company.number for company in batch if company.changed]
    store.load_changes(session, Entity.COMPANY, changed)
    return len(changed)


def _load_states(session: Session, numbers: Sequence[int]) -> list[CompanyState]:
    rows = store.read_rows(session, Entity.COMPANY, numbers)
    batch = []
    for number, parts in store.read_company_parts(session, numbers).items():
        company = CompanyState(number)
        company.parts, company.rows = parts, rows[number]
        batch.append(company)
    return batch


def _row(values: FeedValues) -> Row:
    body = _encode(values.record)
    return Row(hashlib.blake2b(body, digest_size=8).digest(), values.day, None, body, None)


def _encode_with_links(record: Company, before: CompanyParts) -> CompanyParts:
    """Encode a record and keep its former links to other records."""
    return encode_company(
        record,
        competitor_ids=competitor_numbers(before.premium),
        has_parent=bool(before.tokens & PARENT_BITS),
    )
