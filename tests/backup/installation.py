"""An installation for backup tests: a database, its key file and its commands."""

import secrets
from functools import cache, cached_property
from pathlib import Path

import msgspec
import sqlalchemy as sa

import database_fixtures
from command_fixtures import InProcess
from firmograph.accounts.service import Accounts
from firmograph.backup import archive, service
from firmograph.backup.protections import Preserved, Protections
from firmograph.bootstrap.packages import load_plans
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.privacy.suppression import Suppression
from firmograph.security.keyring import Keyring
from installation_factory import make_protections, make_suppression
from record_factory import KEYRING
from server_fixtures import Command

_RENAME = sa.text("UPDATE installation SET value = :value WHERE name IN ('identity', 'origin')")
_RECORD_KEYRING = sa.text("INSERT INTO installation (name, value) VALUES ('keyring', :fingerprint)")


class Installation:
    """One installation in its own folder; without a keyring it is new and empty.

    A copy of an `origin` has its identity too; nobody uses that one at the time.
    """

    def __init__(
        self, folder: Path, keyring: Keyring | None = KEYRING, origin: "Installation | None" = None
    ) -> None:
        folder.mkdir()
        self.folder = folder
        if origin is None:
            self.url = database_fixtures.fresh(folder)
        else:
            origin.database.close()
            self.url = database_fixtures.copy(origin.url, folder)
        self.database = Database(self.url)
        self.command = InProcess(folder, self.url)
        self.process = Command(folder, self.url)
        """The same commands as separate processes."""
        self.key_file = folder / f"{self.database.companion}.keys"
        self.clock = SetClock()
        self.accounts = Accounts(self.database, load_plans(), self.clock)
        if origin is None:
            with self.database.write(None) as session:
                # databases of tests are copies of one template and would share its identity
                session.execute(_RENAME, {"value": secrets.token_hex(16)})
                if keyring is not None:
                    session.execute(_RECORD_KEYRING, {"fingerprint": keyring.fingerprint()})
        if keyring is not None:
            self.key_file.write_bytes(msgspec.json.encode(keyring))
            self.key_file.chmod(0o600)

    @cached_property
    def suppression(self) -> Suppression:
        return make_suppression(self.database, KEYRING, self.clock)

    def suppress(self, **by: str) -> int:
        return self.suppression.suppress(self.suppression.person(**by))

    def back_up(self, file: Path) -> Path:
        service.back_up(self.database, KEYRING, file, self.clock, replace=True, progress_of=no_progress)
        return file

    def restore(self, file: Path) -> Preserved:
        """Replace the database by a backup."""
        with archive.open_archive(file) as backup:
            service.check(backup, self.url, no_progress("Checking"))
            return service.restore(backup, self.database, protections(), force=True, progress_of=no_progress)

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        return self.database.session().all(sa.text(statement))

    def emails(self) -> set[str]:
        """Return the e-mail addresses of all contacts."""
        lists = self.rows("SELECT emails FROM contacts WHERE emails IS NOT NULL")
        return {each["email"] for (emails,) in lists for each in msgspec.json.decode(emails)}

    def identity(self) -> str:
        return str(self.rows("SELECT value FROM installation WHERE name = 'identity'")[0][0])

    def end(self) -> None:
        self.database.close()
        database_fixtures.drop(self.url)


def no_progress(what: str) -> archive.Progress:
    return lambda done, total: None


@cache
def protections() -> Protections:
    return make_protections()
