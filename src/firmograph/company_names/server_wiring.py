"""Parts of a server for company names: the index."""

from collections.abc import Sequence
from typing import Final

from firmograph.company_names.factory import ServedNames
from firmograph.installation import Installation, RegisteredIndex, ServerWiring


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    if not installation.settings.company_likeness:
        return []
    names = installation.get(ServedNames)
    return [RegisteredIndex("company_names", names.active, [names.local])]


SERVER: Final = ServerWiring(indexes=_indexes)
