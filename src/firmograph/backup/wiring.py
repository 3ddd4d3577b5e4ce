"""Services of backups."""

from typing import Final

from firmograph.backup.protections import Protections
from firmograph.installation import Installation, Services


def _protections(installation: Installation) -> Protections:
    return Protections(installation.personal_data, lambda: installation.keyring, installation.clock)


SERVICES: Final[Services] = {Protections: _protections}
