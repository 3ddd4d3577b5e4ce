"""Search and review of the values that are held."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from firmograph.database.connection import EVERY_ACCOUNT, AccountSession, Database, Session
from firmograph.directory.identity import Digests
from firmograph.privacy.deletion_lists.listed_hashes import listed_identifiers
from firmograph.privacy.do_not_call.registry import numbers_on_do_not_call
from firmograph.privacy.held_values import HeldValues
from firmograph.waterfall.asks import value_store
from firmograph.waterfall.asks.value_keys import EMAILS, PHONES, ValueKeys, decode_values
from firmograph.waterfall.asks.value_store import HeldValue


class ValueReview(HeldValues):
    """Review of all values, a page of contacts at a time, after the do-not-call registry or a list changed."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._keys = ValueKeys(digests)

    def review(self, database: Database) -> int:
        # answers that are being recorded against the lists as they were
        with database.write(EVERY_ACCOUNT):
            pass
        changed, after = 0, 0
        while True:
            with database.read() as session:
                contacts = value_store.select_contacts_after(session, after)
                has_changes = any(True for _ in self._changes(session, contacts))
            if not contacts:
                return changed
            if has_changes:
                with database.write(EVERY_ACCOUNT) as session:
                    changes = list(self._changes(session, contacts))
                    for held, values in changes:
                        replace_values(session, self._keys, held, values)
                changed += len(changes)
            after = contacts[-1]

    def find_holders(self, session: Session, numbers: Collection[str]) -> list[tuple[str, int]]:
        by_key = {self._digests.phone_number(number): number for number in numbers}
        found = value_store.select_holders(session, PHONES, by_key.keys())
        return sorted((by_key[key], contact) for key, contact in found)

    def _changes(
        self, session: Session, contacts: Sequence[int]
    ) -> Iterator[tuple[HeldValue, list[dict[str, Any]]]]:
        """Yield the values of contacts that change, each with what it has afterwards."""
        held = [(one, decode_values(one.value.contents)) for one in value_store.select_of(session, contacts)]
        emails = {each["email"] for one, some in held if one.value.data_point == EMAILS for each in some}
        numbers = {each["number"] for one, some in held if one.value.data_point == PHONES for each in some}
        deleted = listed_identifiers(session, self._digests, emails, numbers)
        marked = numbers_on_do_not_call(session, self._digests, numbers)
        for one, before in held:
            kept = [each for each in before if each.get("email", each.get("number")) not in deleted]
            if one.value.data_point == PHONES:
                kept = [{**each, "doNotCall": each["number"] in marked} for each in kept]
            if kept != before:
                yield one, kept


def replace_values(
    session: Session, keys: ValueKeys, held: HeldValue, values: Sequence[dict[str, Any]]
) -> None:
    """Store what is left of the values of a data point; they go if nothing is left, and stay paid."""
    own = AccountSession(session, held.account_id)
    if values:
        value = held.value._replace(contents=msgspec.json.encode(values))
        value_store.put_value(own, value, keys.of_contents(value.data_point, value.contents))
    else:
        value_store.delete_value(own, held.value.contact_id, held.value.data_point)
