"""Registration of record tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData
    from firmograph.record_tables.ids import TableIds


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.record_tables.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _table_ids(installation: Installation) -> "TableIds":
    from firmograph.record_tables.ids import TableIds

    return TableIds(installation.keyring)


REGISTRATION = Registration(personal_data=_personal_data, services={"TableIds": _table_ids})
