"""What a restore keeps of the database that it replaces (docs/reference/backup.md#what-a-restore-keeps).

People suppressed, records and sources removed, and imports taken back there must not come back with an older copy;
they are erased from it while the replaced database goes on. What packages carry over besides comes last, when nobody
else can change either database. The copy also gets a new identity, so that no index of another state is taken for its
own.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from firmograph.backup import store
from firmograph.database.connection import Database, Session
from firmograph.kit.clock import Clock
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy.declarations import PersonalData, Replacement, in_order_of_use
from firmograph.privacy.list_revision import read_revision
from firmograph.privacy.restored_people import RestoredPeople, find_lacking, has_same_origin
from firmograph.privacy.taken_back import LeftToTakeBack, TakenBack
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
    sources: int = 0
    """Removed sources that were taken out of the copy."""
    imports: int = 0
    """Imports that were taken back in the copy too."""
    listed: int = 0
    """Do-not-call numbers and hashes of deletion lists."""

    def plus(self, other: "Preserved") -> "Preserved":
        return Preserved(*(own + added for own, added in zip(self, other, strict=True)))


class Protections:
    """Protections of all packages."""

    def __init__(
        self,
        declarations: Iterable[PersonalData],
        taken_back: TakenBack,
        keyring: Callable[[], Keyring],
        clock: Clock,
    ) -> None:
        """Take the declarations of all packages; the keyring is asked for when people are compared."""
        self._taken_back = taken_back
        self._declarations = in_order_of_use(declarations)
        self._people = RestoredPeople(self._declarations, keyring)
        self._keyring = keyring
        self._clock = clock
        self._carried: tuple[Database, int] | None = None
        """The last copy to which lists were carried over, and their revision."""

    def erase(self, replaced: Database, copy: Database) -> Preserved:
        """Erase from a copy what was suppressed, removed or taken back in the replaced database, which goes on."""
        with replaced.read() as session:
            lacking = find_lacking(session, copy.session())
            left = self._left_to_take_back(session, copy.session())
            revision = read_revision(session)
            # a database without a revision has no lists, perhaps not even their tables
            is_needed = revision > 0 and self._carried != (copy, revision)
            listed = self._taken_back.carry_lists(session, copy) if is_needed else 0
        self._carried = copy, revision
        if any(left):
            self._taken_back.take_back(copy, left)
        erased = self._people.erase(copy, lacking, self._clock.seconds())
        return Preserved(
            len(lacking.suppressed),
            erased,
            sources=len(left.sources),
            imports=len(left.imports),
            listed=listed,
        )

    def are_complete(self, replaced: Session, copy: Session) -> bool:
        """Return whether nothing was suppressed, removed, taken back or listed since the copy was erased."""
        if self._carried is None or self._carried[1] != read_revision(replaced):
            return False
        return find_lacking(replaced, copy).is_empty() and not any(self._left_to_take_back(replaced, copy))

    def _left_to_take_back(self, replaced: Session, copy: Session) -> LeftToTakeBack:
        if has_same_origin(replaced, copy):
            return self._taken_back.find_left(replaced, copy)
        return LeftToTakeBack()

    def preserve(self, replaced: Session, copy: Database, made_at: str) -> Preserved:
        """Complete a copy by what else a restore does not undo; nobody else can change either database.

        Records the restore of the backup, made at that time, in the copy's audit.
        """
        with copy.write(None) as session:
            is_copy = has_same_origin(replaced, session)
            replacement = Replacement(replaced, session, is_copy, self._keyring)
            for declaration in self._declarations:
                for preserve in declaration.preservers:
                    preserve(replacement)
            store.renew_identity(session)
            OperatorAudit().record(session, self._clock.seconds(), "restore", details={"backupOf": made_at})
        return Preserved(**replacement.preserved)
