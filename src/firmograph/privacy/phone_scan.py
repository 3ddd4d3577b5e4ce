"""Search of contacts by telephone number; it reads all contacts, as numbers are no keys."""

from collections.abc import Callable, Collection

import msgspec

from firmograph.database.connection import Database
from firmograph.directory.normalise.phones import normalise_phone
from firmograph.directory.records import Phone
from firmograph.privacy import store
from firmograph.privacy.held_values import HeldValues

ReportProgress = Callable[[int, int], None]
"""Takes the last contact read, and the last of all."""

_REPORTED = 10_000
"""Contacts between two reports of progress."""


def read_phone(text: str) -> str | None:
    """Return a telephone number as E.164, None if it cannot be read."""
    read = normalise_phone(text, None)
    return read[0] if read else None


def find_by_phone(
    database: Database,
    values: HeldValues,
    wanted: Collection[str],
    report: ReportProgress = lambda done, total: None,
) -> dict[str, list[int]]:
    """Return the contacts of telephone numbers, given as E.164, by their records and by values next to these."""
    found: dict[str, list[int]] = {number: [] for number in wanted}
    if not found:
        return found
    decode = msgspec.json.Decoder(list[Phone]).decode
    last = store.select_last_contact(database.session())
    # most contacts hold none of the numbers, which a search of their bytes shows without decoding
    asked = [number.encode() for number in found]
    for count, (number, phones) in enumerate(store.select_phones(database.session())):
        if count % _REPORTED == 0:
            report(number, last)
        if len(asked) < 20 and not any(each in phones for each in asked):
            continue
        for phone in {each.number for each in decode(phones)} & found.keys():
            found[phone].append(number)
    with database.read() as session:
        for phone, number in values.find_holders(session, wanted):
            if number not in found[phone]:
                found[phone].append(number)
    report(last, last)
    return found
