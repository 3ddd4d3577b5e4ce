"""Operators' keys, which commands manage."""

from typing import Final

from firmograph.admin.operator_keys import OperatorKeys
from firmograph.installation import Installation, Services


def _operator_keys(installation: Installation) -> OperatorKeys:
    return OperatorKeys(installation.database, installation.clock)


SERVICES: Final[Services] = {OperatorKeys: _operator_keys}
