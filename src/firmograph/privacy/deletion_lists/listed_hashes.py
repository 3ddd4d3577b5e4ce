"""Hashes of identifiers, and questions to the stored lists (docs/reference/deletion-lists.md)."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final, TypeVar

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.contact_json import ContactParts, addresses, phone_numbers
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.emails import bare_address
from firmograph.privacy.deletion_lists import store
from firmograph.privacy.list_revision import raise_revision

K = TypeVar("K")

_DIGITS: Final = 10
"""Last digits of a telephone number that are hashed."""


class DeletionStatus(IntEnum):
    """Answer to an identifier of a list."""

    REMOVED = 3
    OPTED_OUT = 4
    """Several people share the identifier."""
    NOT_FOUND = 5


def address_digests(digests: Digests, address: str) -> list[bytes]:
    """Return the digests of the hashes of an e-mail address and of its bare address."""
    bare = bare_address(address)
    spellings = [address] if bare in (None, address) else [address, bare]
    return [digests.identifier_hash(hashlib.sha256(each.encode()).digest()) for each in spellings]


def number_digests(digests: Digests, number: str) -> list[bytes]:
    """Return the digest of the hash of a telephone number's last ten digits; none for a shorter one."""
    last = number.lstrip("+")[-_DIGITS:]
    if len(last) < _DIGITS:
        return []
    return [digests.identifier_hash(hashlib.sha256(last.encode()).digest())]


def contact_digests(digests: Digests, parts: ContactParts) -> list[bytes]:
    """Return the digests of the hashes of all addresses and numbers of a stored contact."""
    found = [digest for address in addresses(parts) for digest in address_digests(digests, address)]
    found += [digest for number in phone_numbers(parts) for digest in number_digests(digests, number)]
    return found


def listed_identifiers(
    session: Session, digests: Digests, emails: Iterable[str] = (), numbers: Iterable[str] = ()
) -> set[str]:
    """Return those of these e-mail addresses and E.164 numbers that a deletion list holds. One statement."""
    by_identifier = {email: address_digests(digests, email) for email in emails}
    by_identifier |= {number: number_digests(digests, number) for number in numbers}
    return set(listed_among(session, by_identifier))


def listed_among(session: Session, digests_of: Mapping[K, Collection[bytes]]) -> Iterator[K]:
    """Yield those whose digests a deletion list holds."""
    every = {digest for each in digests_of.values() for digest in each}
    listed = {row[0] for row in store.select_rows(session, every)} if every else set()
    return (key for key, each in digests_of.items() if not listed.isdisjoint(each))


def has_lists(session: Session) -> bool:
    return store.has_hashes(session)


def statuses_of(session: Session, digests: Collection[bytes]) -> dict[bytes, DeletionStatus]:
    """Return the statuses of those of these digests that are stored."""
    return {row[0]: DeletionStatus(row[1]) for row in store.select_rows(session, digests)}


def add_missing(session: Session, digests: Collection[bytes], day: int) -> None:
    """Add digests that match nobody; those that are stored keep their status."""
    store.add_rows(session, [(digest, DeletionStatus.NOT_FOUND, day) for digest in digests])
    raise_revision(session)


def put_matched(session: Session, statuses: Mapping[bytes, DeletionStatus], day: int) -> None:
    """Store the statuses of digests that match somebody."""
    store.put_rows(session, [(digest, status, day) for digest, status in statuses.items()])
    raise_revision(session)


def delete_listed(session: Session, digests: Collection[bytes]) -> list[bytes]:
    """Delete digests; return those that were stored."""
    listed = [row[0] for row in store.select_rows(session, digests)]
    if listed:
        store.delete_digests(session, listed)
        raise_revision(session)
    return listed


def carry_hashes(replaced: Session, copy: Database) -> Iterator[bytes]:
    """Add the hashes of a database that a restored copy lacks, and yield them."""
    for page in store.select_pages(replaced):
        with copy.write(RECORDS) as session:
            stored = {row[0] for row in store.select_rows(session, [row[0] for row in page])}
            missing = [row for row in page if row[0] not in stored]
            store.add_rows(session, missing)
        yield from (row[0] for row in missing)
