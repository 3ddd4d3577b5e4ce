"""Sample of the records, for learning: chosen by their content, so that the order of imports does not matter."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from firmograph.database.connection import Database, Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.records import Company, Contact
from firmograph.indexing import store
from firmograph.security.record_ids import Entity

_CHUNK_SIZE: Final = 5_000
_LAST: Final = 1 << 63
"""Added to the hash of a partial company: these fill up the sample only where there are not enough others."""

_Chosen = npt.NDArray[np.uint64]
"""Rows of hash and record number."""


class SampledEmployee(NamedTuple):
    """Contact of a sample, with the number of the company record."""

    contact: Contact
    company: int | None


def sample_companies(database: Database, limit: int) -> Iterator[Company]:
    """Yield up to so many companies; complete ones before partial ones."""
    for numbers in _batches(_choose(database, store.company_profiles_after, limit)):
        for stored in store.companies_by_number(database.session(), numbers):
            yield decode_company(stored.fragments)


def sample_contacts(database: Database, limit: int) -> Iterator[list[SampledEmployee]]:
    """Yield up to so many contacts, in batches."""
    for numbers in _batches(_choose(database, store.contact_profiles_after, limit)):
        contacts = store.contacts_by_number(database.session(), numbers)
        yield [SampledEmployee(decode_contact(each.fragments), each.company) for each in contacts]


def companies_of(database: Database, numbers: Sequence[int]) -> dict[int, Company]:
    """Return those of the companies that exist, by number."""
    found = store.companies_by_number(database.session(), numbers)
    return {each.number: decode_company(each.fragments) for each in found}


def contacts_of(database: Database, numbers: Sequence[int]) -> dict[int, SampledEmployee]:
    """Return those of the contacts that exist, by number."""
    found = store.contacts_by_number(database.session(), numbers)
    return {each.number: SampledEmployee(decode_contact(each.fragments), each.company) for each in found}


def highest_numbers(session: Session) -> tuple[int, int]:
    """Return the highest numbers of companies and contacts."""
    return store.highest_number(session, Entity.COMPANY), store.highest_number(session, Entity.CONTACT)


def _choose(
    database: Database, profiles_after: Callable[[Session, int, int], list[store.StoredProfile]], limit: int
) -> list[int]:
    """Return the numbers of the records with the lowest hashes, in the order of the hashes."""
    chosen: _Chosen = np.empty((0, 2), dtype=np.uint64)
    parts, waiting, number = [chosen], 0, 0
    while profiles := profiles_after(database.session(), number, _CHUNK_SIZE):
        number = profiles[-1].number
        parts.append(np.array([(_hash(each), each.number) for each in profiles], dtype=np.uint64))
        waiting += len(profiles)
        if waiting > 2 * limit:
            parts, waiting = [_lowest(parts, limit)], 0
    return [int(each) for each in _lowest(parts, limit)[:, 1]]


def _lowest(parts: Sequence[_Chosen], limit: int) -> _Chosen:
    together = np.concatenate(parts)
    return together[np.argsort(together[:, 0], kind="stable")[:limit]]


def _hash(profile: store.StoredProfile) -> int:
    digest = hashlib.blake2b(profile.content, digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1 | (_LAST if profile.partial else 0)


def _batches(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), _CHUNK_SIZE):
        yield numbers[start : start + _CHUNK_SIZE]
