"""Services of backups."""

from typing import Final

from firmograph.backup.preserved_erasures import Protections
from firmograph.installation import Installation, Services


def _protections(installation: Installation) -> Protections:
    return Protections(installation.personal_data)


SERVICES: Final[Services] = {Protections: _protections}
