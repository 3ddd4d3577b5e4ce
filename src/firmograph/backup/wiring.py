"""Services of backups."""

from typing import Final

from firmograph.backup.protections import Protections
from firmograph.installation import Installation, Services
from firmograph.privacy.removed_sources import RemovedSources


def _protections(installation: Installation) -> Protections:
    sources = installation.get(RemovedSources)
    return Protections(installation.personal_data, sources, lambda: installation.keyring, installation.clock)


SERVICES: Final[Services] = {Protections: _protections}
