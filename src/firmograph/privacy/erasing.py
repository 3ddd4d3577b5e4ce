"""Deletion of records, and erasure of people, by the code of all packages."""

from collections.abc import Collection, Iterable, Mapping

from firmograph.database.connection import EVERY_ACCOUNT, SUBSCRIPTIONS, Session
from firmograph.privacy.declarations import Deletion, Erasure, PersonalData, in_order_of_use
from firmograph.security.record_ids import Entity


class Erasers:
    """Removers and erasers of all packages."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        """Take the declarations of all packages, in any order."""
        # what a package uses is erased after what uses it
        self._declarations = in_order_of_use(declarations)[::-1]

    def delete(
        self, session: Session, entity: Entity, keys: Mapping[int, Collection[bytes]], at: float
    ) -> None:
        """Delete records that no source states any more, in a transaction of the scope RECORDS.

        `keys` are those of each record. Its number is never used again; what accounts paid for it stays paid.
        """
        if keys:
            deletion = Deletion(session, entity, keys, at, opted_out=False)
            self._remove_records(deletion)
            self._remove_uses(deletion)

    def erase(self, erasure: Erasure, *, notify: bool) -> None:
        """Erase people everywhere in a transaction of the scope RECORDS; `notify` queues notices to who saw them."""
        keys = {number: person.stored_keys for number, person in erasure.people.records.items()}
        deletion = Deletion(erasure.session, Entity.CONTACT, keys, erasure.at, opted_out=True)
        self._remove_records(deletion)
        for declaration in self._declarations if notify else ():
            for queue in declaration.notices:
                queue(erasure)
        self._remove_uses(deletion)
        for declaration in self._declarations:
            for erase in declaration.erasers:
                erase(erasure)

    def _remove_records(self, deletion: Deletion) -> None:
        for declaration in self._declarations:
            for remove in declaration.record_removers:
                remove(deletion)
        # entered last, because it blocks all charging; it waits for calls that are revealing a record
        deletion.session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)

    def _remove_uses(self, deletion: Deletion) -> None:
        for declaration in self._declarations:
            for remove in declaration.removers:
                remove(deletion)
