"""Registration of backups: the protections that a restore preserves, and the files."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.backup.preserved_erasures import Protections
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.backup.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _protections(installation: Installation) -> "Protections":
    from firmograph.backup.preserved_erasures import Protections

    return Protections(installation.personal_data)


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={
        "Protections": _protections,
    },
)
