"""Questions to the do-not-call registry (docs/reference/do-not-call.md)."""

from collections.abc import Collection, Iterable
from typing import Final

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.contact_json import ContactParts, decode_phones, encode_phones, phone_numbers
from firmograph.directory.contact_scans import changed_identifiers, read_counter
from firmograph.directory.identity import Digests
from firmograph.directory.records import Phone
from firmograph.privacy.do_not_call import store
from firmograph.privacy.list_revision import raise_revision

MARKED_POSITION: Final = "do_not_call"
"""Counter of the change sequence up to which commands marked contacts; searches compare their index with it."""


def numbers_on_do_not_call(session: Session, digests: Digests, numbers: Collection[str]) -> set[str]:
    """Return those of these numbers, given as E.164, that are in the registry. One statement; two for thousands."""
    by_digest = {digests.phone_number(number): number for number in numbers}
    if not by_digest:
        return set()
    return {by_digest[digest] for digest in store.select_listed(session, by_digest.keys())}


def marked_since(session: Session, sequence: int) -> set[int]:
    """Return the contacts with do-not-call numbers that changed between a position and the last marks by a command."""
    last = read_counter(session, MARKED_POSITION)
    if last <= sequence:
        return set()
    changed = changed_identifiers(session, sequence, last)
    return {number for number, parts in changed if any(phone.do_not_call for phone in decode_phones(parts))}


class ListedNumbers:
    """The registry as one transaction asks it; each number is looked up once."""

    def __init__(self, session: Session, digests: Digests) -> None:
        self._session = session
        self._digests = digests
        self._listed: dict[str, bool] = {}
        self._has_numbers: bool | None = None

    def ask(self, numbers: Iterable[str]) -> None:
        """Look up numbers together."""
        if not self._is_filled():
            return
        new = set(numbers).difference(self._listed)
        listed = numbers_on_do_not_call(self._session, self._digests, new)
        self._listed |= {number: number in listed for number in new}

    def ask_of(self, contacts: Iterable[ContactParts]) -> None:
        """Look up the numbers of contacts together."""
        if self._is_filled():
            self.ask(number for parts in contacts for number in phone_numbers(parts))

    def mark(self, phones: Iterable[Phone]) -> bool:
        """Mark the numbers in the registry in place; return whether any was not marked before."""
        phones = list(phones)
        self.ask(phone.number for phone in phones)
        changed = [phone for phone in phones if self._listed.get(phone.number) and not phone.do_not_call]
        for phone in changed:
            phone.do_not_call = True
        return bool(changed)

    def marked(self, parts: ContactParts) -> ContactParts:
        """Return a stored contact with the numbers in the registry marked."""
        if not parts.phones or not self._is_filled():
            return parts
        if not any(self._listed.get(number, True) for number in phone_numbers(parts)):
            return parts
        phones = decode_phones(parts)
        return parts._replace(phones=encode_phones(phones)) if self.mark(phones) else parts

    def _is_filled(self) -> bool:
        if self._has_numbers is None:
            self._has_numbers = store.has_numbers(self._session)
        return self._has_numbers


def add_digests(session: Session, digests: Collection[bytes], day: int) -> None:
    """Add digests of numbers; those in the registry keep their day."""
    store.insert_rows(session, [(digest, day) for digest in digests])
    raise_revision(session)


def remove_digests(session: Session, digests: Collection[bytes]) -> None:
    """Remove digests of numbers."""
    store.delete_digests(session, digests)
    raise_revision(session)


def carry_numbers(replaced: Session, copy: Database) -> int:
    """Add the numbers of a database that a restored copy lacks; return how many."""
    carried = 0
    for page in store.select_pages(replaced):
        with copy.write(RECORDS) as session:
            listed = store.select_listed(session, [digest for digest, _ in page])
            missing = [row for row in page if row[0] not in listed]
            store.insert_rows(session, missing)
        carried += len(missing)
    return carried


def count_numbers(session: Session) -> int:
    return store.count_numbers(session)


def count_by_day(session: Session) -> list[tuple[int, int]]:
    """Return the day, in days since 1970, and the number of numbers added on it, oldest first."""
    return store.count_by_day(session)
