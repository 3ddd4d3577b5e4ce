"""Records that were deleted after an index last followed the changes."""

from collections.abc import Collection
from typing import Final, NamedTuple

from firmograph.security.record_ids import Entity


class RemovedRecords(NamedTuple):
    """Numbers of deleted records by kind; a company and a contact may have the same number."""

    companies: Collection[int] = ()
    contacts: Collection[int] = ()

    def of(self, entity: Entity) -> Collection[int]:
        return self.companies if entity is Entity.COMPANY else self.contacts


NONE_REMOVED: Final = RemovedRecords()
