"""Erasure of people by the code of all packages, for suppression and for restores."""

from collections.abc import Iterable

from firmograph.database.connection import EVERY_ACCOUNT, SUBSCRIPTIONS, Session
from firmograph.privacy.declarations import Erasure, People, PersonalData, in_order_of_use


class Erasers:
    """Erasers of all packages."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        """Take the declarations of all packages, in any order."""
        # what a package uses is erased after what uses it
        self._declarations = in_order_of_use(declarations)[::-1]

    def erase(self, session: Session, people: People, at: float, *, notify: bool) -> None:
        """Erase people everywhere in a transaction of the scope RECORDS; `notify` queues notices to who saw them."""
        erasure = Erasure(session, people, at)
        for declaration in self._declarations:
            for erase in declaration.record_erasers:
                erase(erasure)
        # entered last, because it blocks all charging; it waits for calls that are revealing a person
        session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
        for declaration in self._declarations if notify else ():
            for queue in declaration.notices:
                queue(erasure)
        for declaration in self._declarations:
            for erase in declaration.erasers:
                erase(erasure)
