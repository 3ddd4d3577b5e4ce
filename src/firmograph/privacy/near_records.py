"""Records that a suppression did not remove but that may be of the same person, for the operator to look at.

An address names a mailbox, without its subaddress, and often a person: `jane.doe@acme.com` is Jane Doe at the company
of `acme.com`.
"""

import re
from typing import Final

from firmograph.database.connection import Session
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.host_keys import host_keys
from firmograph.directory.identity import Digests
from firmograph.directory.names import full_name_keys, query_blocking_keys
from firmograph.directory.normalise.emails import email_domain, is_free_mail, without_subaddress
from firmograph.directory.store import company_numbers, contact_numbers
from firmograph.directory.suppressed_names import suppressed_name_variants
from firmograph.privacy import store
from firmograph.privacy.person_keys import names_of

MOST: Final = 20
"""Limit of records named."""
_SEPARATORS: Final = re.compile(r"[^a-z]+")


def find_near_records(session: Session, digests: Digests, address: str) -> list[int]:
    """Return the numbers of the records near an address, at most `MOST`."""
    mailbox = without_subaddress(address)
    held = contact_numbers(session, [digests.contact_email(mailbox)])
    near = {number for numbers in held.values() for number in numbers}
    return sorted(near.union(_find_namesakes(session, digests, mailbox)))[:MOST]


def _find_namesakes(session: Session, digests: Digests, address: str) -> list[int]:
    """Return the people of the company at the address's domain whose name the address may be made of."""
    words = [word for word in _SEPARATORS.split(address.partition("@")[0]) if word]
    domain = email_domain(address)
    if len(words) < 2 or is_free_mail(domain):
        return []
    hosts = host_keys(digests, domain)
    employers = hosts.employers(company_numbers(session, set(hosts.all())))
    blocks = query_blocking_keys(words[0], words[-1])
    keys = [digests.contact_name(employer, block) for employer in employers for block in blocks]
    numbers = {number for numbers in contact_numbers(session, keys).values() for number in numbers}
    return [number for number in numbers if _is_named(session, number, " ".join(words))]


def _is_named(session: Session, number: int, name: str) -> bool:
    contact = store.select_contact(session, number)
    if contact is None:
        return False
    first, last = names_of(decode_contact(contact[1]))
    return name in {*full_name_keys(first, last), *suppressed_name_variants(first, last)}
