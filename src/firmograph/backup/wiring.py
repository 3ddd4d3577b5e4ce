"""Services of backups."""

from typing import Final

from firmograph.backup.protections import Protections
from firmograph.installation import Installation, Services
from firmograph.privacy.taken_back import TakenBack


def _protections(installation: Installation) -> Protections:
    taken_back = installation.get(TakenBack)
    return Protections(
        installation.personal_data, taken_back, lambda: installation.keyring, installation.clock
    )


SERVICES: Final[Services] = {Protections: _protections}
