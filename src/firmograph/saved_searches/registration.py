"""Registration of saved searches."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.saved_searches.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(personal_data=_personal_data, accounts="firmograph.saved_searches.account_wiring")
