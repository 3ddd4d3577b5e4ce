"""Registration of backups: the protections that a restore preserves, and the files."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.backup.protections import Protections
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.backup.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _protections(installation: Installation) -> "Protections":
    from firmograph.backup.protections import Protections

    return Protections(installation.personal_data, lambda: installation.keyring, installation.clock)


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={
        "Protections": _protections,
    },
)
