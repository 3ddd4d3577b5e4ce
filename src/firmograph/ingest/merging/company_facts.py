"""What a feed tells of companies that are held, as one more row that their records are merged from.

Such a row stands under a source of its own, so that it never takes the place of a row of a file of companies, and
holds no keys. Unlike these it may be replaced by any other at any time: it is what the feed's facts say today, and they
are kept themselves.
"""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.company_json import PARENT_BITS, CompanyParts, encode_company
from firmograph.directory.records import Company
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import merged_company
from firmograph.ingest.merging.existing import write_records
from firmograph.ingest.merging.existing_companies import HeldCompany
from firmograph.ingest.merging.source_history import Row
from firmograph.security.record_ids import Entity

_encode = msgspec.json.Encoder().encode


class Told(NamedTuple):
    """What a feed tells of one company."""

    day: str
    """Since when, `YYYY-MM-DD`: the newest value of a field wins."""
    record: Company
    """With nothing but the feed's own fields, and a stub, so that it makes no other stub whole."""


def take_up(session: Session, kind: str, source: str, told: Mapping[int, Told]) -> int:
    """Merge what a feed tells into the records of these numbers; how many records changed.

    Part of the caller's transaction. A number that is not held is passed over.
    """
    name = f"{kind} of {source}"
    sources = store.numbered_sources(session, name)
    at = (sources[name], "")
    names = {number: source_name for source_name, number in sources.items()}
    batch = _held(session, told)
    for held in batch:
        row = _row(told[held.number])
        if held.rows.get(at) == row:
            continue
        before = _encode(held.merged())
        held.replace(at, row)
        held.record = merged_company(held.rows, names)
        if before != _encode(held.record):
            assert held.fragments is not None
            held.fragments = _fragments(held.record, held.fragments)
            held.changed = True
    store.put_rows(session, Entity.COMPANY, [row for held in batch for row in held.stored_rows()])
    write_records(session, Entity.COMPANY, batch)
    changed = [held.number for held in batch if held.changed]
    store.load_changes(session, Entity.COMPANY, changed)
    return len(changed)


def _held(session: Session, told: Mapping[int, Told]) -> list[HeldCompany]:
    numbers = sorted(told)
    rows = store.rows_of(session, Entity.COMPANY, numbers)
    batch = []
    for number, fragments in store.company_fragments_of(session, numbers).items():
        held = HeldCompany(number)
        held.fragments, held.rows = fragments, rows[number]
        batch.append(held)
    return batch


def _row(told: Told) -> Row:
    body = _encode(told.record)
    return Row(hashlib.blake2b(body, digest_size=8).digest(), told.day, None, body, None)


class _Premium(msgspec.Struct):
    competitors: list[int] = []


def _fragments(record: Company, before: CompanyParts) -> CompanyParts:
    """The fragments of a record whose links to other records are those that it had before."""
    premium = msgspec.json.decode(before.premium, type=_Premium) if before.premium else _Premium()
    return encode_company(
        record, competitor_ids=premium.competitors, has_parent=bool(before.tokens & PARENT_BITS)
    )
