"""A served application whose database is backed up and restored while it stands."""

from firmograph.backup import archive
from firmograph.backup import service as backups
from firmograph.backup.protections import Protections
from record_factory import KEYRING


def no_progress(done, total):
    """Show no progress."""


class BackedUpService:
    """Application with a backup of its database in a folder."""

    def __init__(self, service, folder):
        self.service = service
        self.file = folder / "backup"

    def back_up(self):
        backups.back_up(
            self.service.database,
            KEYRING,
            self.file,
            self.service.clock,
            replace=True,
            progress_of=lambda what: no_progress,
        )

    def restore(self):
        protections = self.service.installation.get(Protections)
        with archive.open_archive(self.file) as backup:
            backups.restore(
                backup, self.service.database, protections, force=True, progress_of=lambda what: no_progress
            )
