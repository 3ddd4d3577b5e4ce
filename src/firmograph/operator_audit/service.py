"""Record of operators' actions, in the transactions of the actions themselves.

See docs/reference/audit.md.
"""

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from firmograph.database.connection import Database, Session
from firmograph.kit.errors import Refused
from firmograph.operator_audit import store
from firmograph.operator_audit.types import Action, OperatorAction

MOST_REASON: Final = 200
"""Characters of a reason."""
_NO_DETAILS: Final[Mapping[str, int | str]] = {}


class ActionLog(ABC):
    """Log of actions, each recorded in its transaction."""

    def record(
        self,
        session: Session,
        at: float,
        action: str,
        *,
        account: int | None = None,
        subject: str = "",
        person: bytes | None = None,
        details: Mapping[str, int | str] = _NO_DETAILS,
        reason: str = "",
    ) -> None:
        """Record an action in its transaction. A person appears as a keyed digest only. One statement."""
        self._write(
            session,
            Action(at, action, account, subject, person, msgspec.json.encode(details).decode(), reason),
        )

    @abstractmethod
    def _write(self, session: Session, action: Action) -> None:
        """Write an action. One statement."""

    def record_export(
        self,
        database: Database,
        at: float,
        action: str,
        *,
        account: int | None = None,
        subject: str = "",
        person: bytes | None = None,
        details: Mapping[str, int | str] = _NO_DETAILS,
    ) -> None:
        """Record what was shown or written to a file, in a transaction of its own."""
        with database.write(None) as session:
            self.record(session, at, action, account=account, subject=subject, person=person, details=details)


class OperatorAudit(ActionLog):
    """Audit of an operator's actions: of the user of the operating system, unless another one is named."""

    def __init__(self, actor: str = "") -> None:
        self._actor = actor or system_user()

    def _write(self, session: Session, action: Action) -> None:
        row = OperatorAction(secrets.token_bytes(16), actor=self._actor, **action._asdict())
        store.insert_actions(session, [row])


def read_actions(session: Session, account: int | None = None) -> Iterator[OperatorAction]:
    """Yield actions, or those on one account, newest first."""
    return store.select_newest(session, account)


def read_action_page(
    session: Session, account: int | None, skipped: int, most: int
) -> tuple[list[OperatorAction], int]:
    """Return actions, or those on one account, newest first, after some that are skipped; and their number in all."""
    return store.select_page(session, account, skipped, most)


def check_reason(reason: str) -> str:
    """Return a reason without the spaces around it. Raises Refused for one that is none."""
    reason = reason.strip()
    if not 1 <= len(reason) <= MOST_REASON or not reason.isprintable():
        raise Refused(f"A reason must be 1 to {MOST_REASON} printable characters on one line")
    return reason


def system_user() -> str:
    """Return the user of the operating system under whose number this process runs."""
    import pwd

    user = os.getuid()
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        # containers may run under a number without a name
        return f"uid {user}"
