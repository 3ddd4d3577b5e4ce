"""What a restore keeps of the database that it replaces (docs/reference/backup.md#what-a-restore-keeps).

People suppressed or removed there must not come back with an older copy; they are erased from it while the replaced
database goes on. What packages carry over besides comes last, when nobody else can change either database. The copy
also gets a new identity, so that no index of another state is taken for its own.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from firmograph.backup import store
from firmograph.database.connection import Database, Session
from firmograph.kit.clock import Clock
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.declarations import PersonalData, Replacement, in_order_of_use
from firmograph.privacy.restored_people import RestoredPeople, find_lacking, has_same_origin
from firmograph.security.keyring import Keyring


class Preserved(NamedTuple):
    """Numbers of preserved protections."""

    suppressions: int = 0
    """Suppression hashes."""
    erased: int = 0
    """Erased records."""
    revoked: int = 0
    """Revoked API keys."""
    disabled: int = 0
    """Disabled accounts."""

    def plus(self, other: "Preserved") -> "Preserved":
        return Preserved(*(own + added for own, added in zip(self, other, strict=True)))


class Protections:
    """Protections of all packages."""

    def __init__(
        self, declarations: Iterable[PersonalData], keyring: Callable[[], Keyring], clock: Clock
    ) -> None:
        """Take the declarations of all packages; the keyring is asked for when there is somebody to erase."""
        self._declarations = in_order_of_use(declarations)
        self._people = RestoredPeople(self._declarations, keyring)
        self._clock = clock

    def erase_people(self, replaced: Database, copy: Database) -> Preserved:
        """Erase from a copy who was suppressed or removed in the database to be replaced, which goes on."""
        with replaced.read() as session:
            lacking = find_lacking(session, copy.session())
        erased = self._people.erase(copy, lacking, self._clock.seconds())
        return Preserved(len(lacking.suppressed), erased)

    def are_complete(self, replaced: Session, copy: Session) -> bool:
        """Return whether nobody was suppressed or removed since people were erased."""
        return find_lacking(replaced, copy).is_empty()

    def preserve(self, replaced: Session, copy: Database, made_at: str) -> Preserved:
        """Complete a copy by what else a restore does not undo; nobody else can change either database.

        Records the restore of the backup, made at that time, in the copy's audit.
        """
        with copy.write(None) as session:
            replacement = Replacement(replaced, session, has_same_origin(replaced, session))
            for declaration in self._declarations:
                for preserve in declaration.preservers:
                    preserve(replacement)
            store.renew_identity(session)
            OperatorAudit().record(session, self._clock.seconds(), "restore", details={"backupOf": made_at})
        return Preserved(**replacement.preserved)
